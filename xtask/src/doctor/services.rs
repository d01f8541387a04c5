//! The programs and servers that everyday operations need.

use super::Finding;

/// Looks for programs and servers.
#[must_use]
pub fn findings() -> Vec<Finding> {
    Vec::new()
}
