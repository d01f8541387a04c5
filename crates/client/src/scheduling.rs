//! How soon the kernel lets this thread run when it has something to do. The only `unsafe` of this crate: nix has no
//! `sched_setattr`.

use nix::libc;

/// The shortest time slice that Linux takes (`sched(7)`, from 6.12 on).
const SLICE_NS: u64 = 100_000;
/// The most urgent that a thread can be without being a real-time one.
const MOST_URGENT: i32 = -20;

/// Asks to run as soon as there is something to do, as a thread that wants little CPU time but wants it at once.
///
/// Where the server keeps all CPUs busy, a request that is due would otherwise wait for the end of a slice of some
/// milliseconds, and the client would measure its own lateness. Short slices need no privilege, a higher priority does;
/// what the kernel refuses is done without, and the send lag shows it.
pub fn be_prompt() {
    if !set(MOST_URGENT) {
        set(0);
    }
}

/// Asks for short slices at this niceness. Returns whether the kernel agreed.
fn set(nice: i32) -> bool {
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_OTHER as u32,
        sched_flags: 0,
        sched_nice: nice,
        sched_priority: 0,
        sched_runtime: SLICE_NS,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the kernel reads `size` bytes of a structure that lives until the call returns, and writes nothing. 0 is
    // the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) == 0 }
}
