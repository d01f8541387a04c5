//! Generated files: text that every worker in every language makes the same. `docs/protocol.md` says how.

use std::io::Write;

use anyhow::{Context, Result};
use protocol::mix;

/// Length of a line, line feed included.
const LINE_BYTES: u64 = 26;

/// The content of generated file number `file`, `size_bytes` long.
///
/// # Errors
/// It does not fit into memory.
pub fn generated(file: u64, size_bytes: u64) -> Result<Vec<u8>> {
    let size = usize::try_from(size_bytes).unwrap_or(usize::MAX);
    let mut text = Vec::new();
    text.try_reserve_exact(size.saturating_add(LINE_BYTES as usize))
        .with_context(|| format!("a file of {size_bytes} bytes does not fit into memory, where it is made"))?;
    for line in 0..size_bytes.div_ceil(LINE_BYTES) {
        let digits = mix((file << 32).wrapping_add(line));
        writeln!(text, "{line:08} {digits:016x}").expect("memory takes everything");
    }
    text.truncate(size);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_26_bytes_long() {
        let text = String::from_utf8(generated(0, 53).unwrap()).unwrap();
        assert_eq!(text, "00000000 0000000000000000\n00000001 5692161d100b05e5\n0");
    }

    #[test]
    fn files_differ_and_none_may_be_empty() {
        assert_ne!(generated(1, 26).unwrap(), generated(2, 26).unwrap());
        assert_eq!(generated(3, 0).unwrap(), b"");
        assert_eq!(generated(3, 26).unwrap().len(), 26);
    }

    #[test]
    fn a_file_that_is_larger_than_memory_is_an_error_and_not_the_end_of_the_worker() {
        for size_bytes in [1 << 50, u64::MAX] {
            let error = generated(0, size_bytes).unwrap_err().to_string();
            assert_eq!(error, format!("a file of {size_bytes} bytes does not fit into memory, where it is made"));
        }
    }
}
