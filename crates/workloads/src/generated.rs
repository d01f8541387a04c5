//! Generated files: text that every worker in every language makes the same. `docs/protocol.md` says how.

use std::io::Write;

use protocol::mix;

/// Length of a line, line feed included.
const LINE_BYTES: u64 = 26;

/// The content of generated file number `file`, `size_bytes` long.
#[must_use]
pub fn generated(file: u64, size_bytes: u64) -> Vec<u8> {
    let size = usize::try_from(size_bytes).expect("as large as memory at most");
    let mut text = Vec::with_capacity(size + LINE_BYTES as usize);
    for line in 0..size_bytes.div_ceil(LINE_BYTES) {
        let digits = mix((file << 32).wrapping_add(line));
        writeln!(text, "{line:08} {digits:016x}").expect("memory takes everything");
    }
    text.truncate(size);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_26_bytes_long() {
        let text = String::from_utf8(generated(0, 53)).unwrap();
        assert_eq!(text, "00000000 0000000000000000\n00000001 5692161d100b05e5\n0");
    }

    #[test]
    fn files_differ_and_none_may_be_empty() {
        assert_ne!(generated(1, 26), generated(2, 26));
        assert_eq!(generated(3, 0), b"");
        assert_eq!(generated(3, 26).len(), 26);
    }
}
