//! The checksum that proves that the work was done, the same for every model, runtime and language.
//!
//! A task has a state of 64 bits. It starts as [`task_seed`] of the task's index; every step folds its result in with
//! [`fold`]. The checksum of a task set is the wrapping sum of the last states, so it does not depend on the order in
//! which tasks finish, and every task and every step changes it.

use std::fmt;

/// The finaliser of SplitMix64: a bijection of 64 bits in which every input bit changes about half of the output bits.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the constants of
/// Stafford's variant 13.
#[inline]
#[must_use]
pub const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The state in which the task with this index starts. The constant is 2⁶⁴ divided by the golden ratio.
#[inline]
#[must_use]
pub const fn task_seed(index: u64) -> u64 {
    mix(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The state after a step with this result.
#[inline]
#[must_use]
pub const fn fold(state: u64, result: u64) -> u64 {
    mix(state.rotate_left(23) ^ result)
}

/// The checksum of a task set: the wrapping sum of the tasks' last states. On the wire 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum(pub u64);

impl Checksum {
    /// Takes in a task's last state, or the checksum of another part of the task set.
    #[inline]
    pub fn add(&mut self, state: u64) {
        self.0 = self.0.wrapping_add(state);
    }
}

impl FromIterator<u64> for Checksum {
    fn from_iter<I: IntoIterator<Item = u64>>(states: I) -> Self {
        Self(states.into_iter().fold(0, u64::wrapping_add))
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl std::str::FromStr for Checksum {
    type Err = std::num::ParseIntError;

    fn from_str(digits: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(digits, 16).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_is_the_finaliser_of_splitmix64() {
        // The first outputs of SplitMix64 seeded with 0 (its published test vector).
        let golden = 0x9e37_79b9_7f4a_7c15_u64;
        assert_eq!(mix(golden), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(golden.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(task_seed(0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn equal_results_of_two_tasks_do_not_cancel() {
        let sum: Checksum = [fold(task_seed(0), 42), fold(task_seed(1), 42)].into_iter().collect();
        assert_ne!(sum, Checksum(0));
        assert_ne!(fold(task_seed(0), 42), fold(task_seed(1), 42));
    }

    #[test]
    fn every_step_counts() {
        let once = fold(task_seed(7), 1);
        assert_ne!(once, fold(once, 1));
    }

    #[test]
    fn a_checksum_is_sixteen_digits_on_the_wire() {
        assert_eq!(Checksum(255).to_string(), "00000000000000ff");
        assert_eq!("00000000000000ff".parse(), Ok(Checksum(255)));
    }
}
