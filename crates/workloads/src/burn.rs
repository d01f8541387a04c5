//! `burn`: a linear congruential generator.

use std::{hint::black_box, ops::Range};

use anyhow::Result;
use interpreter_lock::InterpreterLock;

use crate::{Step, block::in_blocks};

/// The generator's multiplier (Knuth; Numerical Recipes).
const MULTIPLIER: u32 = 1_664_525;
/// The generator's increment.
const INCREMENT: u32 = 1_013_904_223;

/// Runs `value = value * 1664525 + 1013904223 + index (mod 2³²)` for every index in `0..iterations`.
///
/// The value starts as the low 32 bits of the task's state and its last value is the result. Each value needs the one
/// before, and the loop touches no memory: its time is pure CPU time, about four clocks an iteration.
#[derive(Debug, Clone, Copy)]
pub struct Burn {
    /// How many steps of the generator.
    pub iterations: u64,
}

impl Step for Burn {
    #[inline]
    fn waits(&self) -> bool {
        false
    }

    #[inline]
    fn computes(&self) -> bool {
        true
    }

    #[inline]
    fn compute(&self, state: u64, lock: &InterpreterLock) -> Result<u64> {
        let mut value = state as u32;
        in_blocks(self.iterations, lock, |block| value = burn(value, block));
        Ok(u64::from(value))
    }
}

/// One block. Compiled once, so that an iteration costs the same under every model.
#[inline(never)]
fn burn(mut value: u32, indices: Range<u64>) -> u32 {
    // A compiler that knows the multiplier replaces four steps by one with its fourth power, where it sees fit.
    let multiplier = black_box(MULTIPLIER);
    for index in indices {
        value = value.wrapping_mul(multiplier).wrapping_add(INCREMENT).wrapping_add(index as u32);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burn(iterations: u64, state: u64) -> u64 {
        Burn { iterations }.compute(state, &InterpreterLock::none()).unwrap()
    }

    #[test]
    fn burn_follows_the_recurrence() {
        assert_eq!(burn(0, 7), 7);
        assert_eq!(burn(1, 1), 1_015_568_748);
        // 1015568748 * 1664525 + 1013904223 + 1, mod 2^32.
        assert_eq!(burn(2, 1), 1_586_005_468);
    }

    #[test]
    fn burn_starts_from_the_low_half_of_the_state() {
        assert_eq!(burn(3, 0xdead_beef_0000_0001), burn(3, 1));
    }

    #[test]
    fn the_cut_into_blocks_does_not_change_the_result() {
        let mut value = 5_u32;
        for index in 0..1000_u32 {
            value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(index);
        }
        assert_eq!(burn(1000, 5), u64::from(value));
    }
}
