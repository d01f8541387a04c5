//! The interpreter lock that a job asks for.

use std::time::Duration;

use interpreter_lock::{GIL_SWITCH_INTERVAL, GVL_QUANTUM, InterpreterLock};
use protocol::Lock;

/// A lock of this kind that nobody has held yet. `switch_interval_ns` is the job's; `None` means the kind's own.
#[must_use]
pub fn interpreter_lock(kind: Lock, switch_interval_ns: Option<u64>) -> InterpreterLock {
    let interval = switch_interval_ns.map(Duration::from_nanos);
    match kind {
        Lock::None => InterpreterLock::none(),
        Lock::Gil => InterpreterLock::gil(interval.unwrap_or(GIL_SWITCH_INTERVAL)),
        Lock::Gvl => InterpreterLock::gvl(interval.unwrap_or(GVL_QUANTUM)),
    }
}
