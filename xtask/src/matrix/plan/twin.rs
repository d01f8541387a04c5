//! The twin of a baseline: the same cell measured a second time, as a cell of its own, by an A/A pass.

/// What the id of a twin has behind that of its baseline.
pub const TWIN_SUFFIX: &str = "#aa";

/// The id under which the twin of a baseline is recorded.
#[must_use]
pub fn twin_id(baseline: &str) -> String {
    format!("{baseline}{TWIN_SUFFIX}")
}

/// The baseline of a twin; `None` for the id of a cell.
#[must_use]
pub fn baseline_of(id: &str) -> Option<&str> {
    id.strip_suffix(TWIN_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_is_known_by_its_id() {
        assert_eq!(twin_id("s/model=sequential"), "s/model=sequential#aa");
        assert_eq!(baseline_of("s/model=sequential#aa"), Some("s/model=sequential"));
        assert_eq!(baseline_of("s/model=sequential"), None);
    }
}
