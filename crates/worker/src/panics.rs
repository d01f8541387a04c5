//! A panic in a task or in a run is an error of the run, whichever thread it happens on.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use anyhow::{Result, anyhow};

/// Runs `action`; its panic becomes an error with the panic's message.
///
/// Nothing that `action` has touched is used after a panic: the run is over, and the next one makes everything anew.
///
/// # Errors
/// That of `action`, or its panic.
#[inline]
pub fn caught<T>(action: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| Err(error(&*panic)))
}

#[cold]
fn error(panic: &(dyn Any + Send)) -> anyhow::Error {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    anyhow!("panicked: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        let error = caught::<()>(|| panic!("index {} is missing", 3)).unwrap_err();
        assert_eq!(error.to_string(), "panicked: index 3 is missing");
    }
}
