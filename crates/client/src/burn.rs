//! The generator that our own server burns CPU time with, so that the client knows the right answers.
//!
//! It will come from the crate `workloads` once that has it; the signature stays.

/// Runs the generator for this many steps and returns its last value, modulo 2³².
///
/// The constants are those of Numerical Recipes; the index is added so that the loop has no closed form.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the index is taken modulo 2³², as everything here is")]
pub fn burn(iterations: u64, seed: u32) -> u32 {
    (0..iterations)
        .fold(seed, |value, index| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(index as u32))
}

#[cfg(test)]
mod tests {
    use super::burn;

    #[test]
    fn a_burn_follows_the_formula_step_by_step() {
        assert_eq!(burn(0, 7), 7);
        assert_eq!(burn(1, 0), 1_013_904_223);
        // 1013904223 * 1664525 + 1013904223 + 1, modulo 2^32
        assert_eq!(burn(2, 0), 1_196_435_763);
    }
}
