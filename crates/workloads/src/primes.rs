//! `primes`: how many primes there are below a limit.

use anyhow::Result;
use interpreter_lock::InterpreterLock;

use crate::{Step, block::BLOCK};

/// Counts the primes below a limit by trial division: each odd number is divided by the odd numbers from 3 up to its
/// root, until one divides it.
///
/// Unlike a burn the work is uneven: a prime costs as many divisions as there are odd numbers up to its root, and most
/// other numbers only a few. A safepoint comes after at least 256 divisions.
#[derive(Debug, Clone, Copy)]
pub struct Primes {
    /// The first number that is not looked at.
    pub limit: u64,
}

impl Step for Primes {
    #[inline]
    fn waits(&self) -> bool {
        false
    }

    #[inline]
    fn computes(&self) -> bool {
        true
    }

    fn compute(&self, _state: u64, lock: &InterpreterLock) -> Result<u64> {
        // 2 is the only even prime.
        let mut count = u64::from(self.limit > 2);
        let mut divisions = 0;
        let mut candidate = 3;
        while candidate < self.limit {
            let (prime, tried) = is_odd_prime(candidate);
            count += u64::from(prime);
            divisions += tried;
            if divisions >= BLOCK {
                lock.safepoint();
                divisions = 0;
            }
            candidate += 2;
        }
        Ok(count)
    }
}

/// Whether an odd number is prime, and how many divisions it took to know.
fn is_odd_prime(candidate: u64) -> (bool, u64) {
    let mut divisions = 1;
    let mut divisor = 3;
    while divisor <= candidate / divisor {
        if candidate.is_multiple_of(divisor) {
            return (false, divisions);
        }
        divisions += 1;
        divisor += 2;
    }
    (true, divisions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primes(limit: u64) -> u64 {
        Primes { limit }.compute(0, &InterpreterLock::none()).unwrap()
    }

    #[test]
    fn the_limit_itself_is_not_looked_at() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(primes), [0, 0, 0, 1, 2, 2, 3]);
    }

    #[test]
    fn squares_of_primes_are_not_primes() {
        assert_eq!(primes(10) - primes(9), 0);
        assert_eq!(primes(26) - primes(25), 0);
    }

    #[test]
    fn counts_are_those_of_the_tables() {
        assert_eq!(primes(100), 25);
        assert_eq!(primes(10_000), 1229);
        assert_eq!(primes(100_000), 9592);
    }
}
