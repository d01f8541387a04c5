//! `sum-of-squares`: the first article's CPU-bound task.

use std::hint::black_box;

use anyhow::{Result, ensure};
use interpreter_lock::InterpreterLock;

use crate::{Step, block::in_blocks};

/// Adds `i * i` for every `i` in `0..n` (mod 2⁶⁴), one after another, and checks the sum against the closed form.
///
/// A compiler knows the closed form too and would use it. `black_box` hides each `i` from it, which costs a store and
/// a load off the critical path: the loop is really run, at about one iteration a clock.
#[derive(Debug, Clone, Copy)]
pub struct SumOfSquares {
    /// How many squares.
    pub n: u64,
}

impl Step for SumOfSquares {
    #[inline]
    fn waits(&self) -> bool {
        false
    }

    #[inline]
    fn computes(&self) -> bool {
        true
    }

    fn compute(&self, _state: u64, lock: &InterpreterLock) -> Result<u64> {
        let mut sum = 0_u64;
        in_blocks(self.n, lock, |block| {
            for i in block {
                let i = black_box(i);
                sum = sum.wrapping_add(i.wrapping_mul(i));
            }
        });
        let expected = closed_form(self.n);
        ensure!(
            sum == expected,
            "the sum of the first {} squares came out as {sum}, which should be {expected} (mod 2^64): this machine or \
             this build computes wrongly",
            self.n
        );
        Ok(sum)
    }
}

/// `(n - 1) n (2n - 1) / 6 mod 2⁶⁴`, divided before it is multiplied so that 128 bits are enough for every `n`.
fn closed_form(n: u64) -> u64 {
    let n = u128::from(n);
    let mut triangle = n * n.saturating_sub(1) / 2;
    let mut odd = (2 * n).saturating_sub(1);
    // The product is three times a whole number, and 3 is prime: it divides one of the factors.
    if triangle.is_multiple_of(3) {
        triangle /= 3;
    } else {
        odd /= 3;
    }
    triangle.wrapping_mul(odd) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(n: u64) -> u64 {
        SumOfSquares { n }.compute(0, &InterpreterLock::none()).unwrap()
    }

    #[test]
    fn sums_are_those_of_the_squares() {
        assert_eq!(sum(0), 0);
        assert_eq!(sum(1), 0);
        assert_eq!(sum(2), 1);
        assert_eq!(sum(5), 30);
        assert_eq!(sum(1000), 332_833_500);
    }

    #[test]
    fn the_closed_form_holds_where_the_sum_has_wrapped() {
        // 10^7: 333333283333335000000 mod 2^64.
        assert_eq!(closed_form(10_000_000), 1_291_890_006_563_070_912);
        assert_eq!(closed_form(u64::MAX), 9_223_372_036_854_775_807);
    }
}
