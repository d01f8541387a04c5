//! Pythons and Rubies of this machine, and whether they have a lock.

use super::Finding;

/// Looks for interpreters on the PATH and those that `uv` manages.
#[must_use]
pub fn findings() -> Vec<Finding> {
    Vec::new()
}
