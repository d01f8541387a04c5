//! Tight loops in blocks, with a safepoint of the interpreter lock after each.

use std::ops::Range;

use interpreter_lock::InterpreterLock;

/// How many iterations of a tight loop lie between two safepoints.
///
/// A native iteration takes about 1 ns and an interpreted one 50 to 100 ns, so a block stands for a few interpreted
/// iterations. A safepoint on every native iteration would cost more than the 2 % of instructions that it may.
pub const BLOCK: u64 = 256;

/// Calls `block` with `0..iterations`, cut into blocks, and passes a safepoint after each.
#[inline(always)]
pub fn in_blocks(iterations: u64, lock: &InterpreterLock, mut block: impl FnMut(Range<u64>)) {
    let mut start = 0;
    while start < iterations {
        let end = iterations.min(start.saturating_add(BLOCK));
        block(start..end);
        lock.safepoint();
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(iterations: u64) -> Vec<(u64, u64)> {
        let mut seen = Vec::new();
        in_blocks(iterations, &InterpreterLock::none(), |block| seen.push((block.start, block.end)));
        seen
    }

    #[test]
    fn blocks_cover_every_iteration_once() {
        assert_eq!(blocks(0), []);
        assert_eq!(blocks(256), [(0, 256)]);
        assert_eq!(blocks(600), [(0, 256), (256, 512), (512, 600)]);
    }
}
