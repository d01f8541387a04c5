//! stub
/// stub
#[must_use]
pub fn markdown() -> String {
    String::new()
}
