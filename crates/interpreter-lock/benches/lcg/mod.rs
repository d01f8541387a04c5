//! The work that both benchmarks do: the second article's linear congruential generator.

/// Steps between two safepoints.
pub const BLOCK: u32 = 256;

/// Runs `blocks` blocks of steps from `value` on, and calls `after_block` after each.
///
/// Each step needs the one before it, and the compiler does not see the multiplier, or it would run several steps as one
/// with the powers of it. So it can neither vectorise the loop nor fold it away.
#[inline(always)]
pub fn run(mut value: u32, blocks: u32, mut after_block: impl FnMut()) -> u32 {
    let multiplier = std::hint::black_box(1_664_525_u32);
    let mut index = 0_u32;
    for _ in 0..blocks {
        for _ in 0..BLOCK {
            value = value.wrapping_mul(multiplier).wrapping_add(1_013_904_223).wrapping_add(index);
            index = index.wrapping_add(1);
        }
        after_block();
    }
    value
}
