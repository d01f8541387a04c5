//! Names of places on the page: the same for the same scenario or cell in every result, and never one for two.

use std::fmt::Write;

/// The place of a scenario.
pub(super) fn scenario(name: &str) -> String {
    format!("scenario-{}", escaped(name))
}

/// The place of a cell.
pub(super) fn cell(id: &str) -> String {
    format!("cell-{}", escaped(id))
}

/// A link to a place on this page.
pub(super) fn to(place: &str) -> String {
    format!("#{place}")
}

/// Only signs that stand for themselves in an `id` and behind the `#` of an address; all others as `~` and two hexadecimal
/// digits a byte. Nothing but the escape has a `~`, so no two names share one.
fn escaped(name: &str) -> String {
    let mut place = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b'=' | b',' => {
                place.push(char::from(byte))
            }
            _ => write!(place, "~{byte:02x}").expect("a string takes everything"),
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_id_can_be_read_in_its_place() {
        assert_eq!(cell("cpu-bound/model=threads,lock=gil"), "cell-cpu-bound/model=threads,lock=gil");
        assert_eq!(to(&scenario("io")), "#scenario-io");
    }

    #[test]
    fn odd_signs_give_a_place_that_needs_no_escape_and_is_no_others() {
        let places: Vec<String> = ["a b", "a~20b", "a%20b", "a\"b", "<&>", "\u{5d0}", "é", "A", "a"].map(cell).into();
        assert_eq!(&places[..2], ["cell-a~20b", "cell-a~7e20b"]);
        for (index, place) in places.iter().enumerate() {
            assert!(place.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>&#%?".contains(&byte)), "{place}");
            assert!(!places[..index].contains(place), "{place}");
        }
    }
}
