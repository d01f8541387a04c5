//! What one task does: one file per operation.
//!
//! A task repeats one operation. [`Step`] is the shape of an operation: a part that waits and a part that computes, so
//! that every concurrency model can place each part where it belongs. [`Operation`] is any one of them, prepared for a
//! job. [`Timer`] and [`sleep`] wait exactly; [`event_loop()`] is the loop that waits are made on.
//!
//! Operations that need libraries (mail, databases, pictures, archives) are there with the feature `everyday` only.
//! Around what each operation lets go of the interpreter lock, and why, is in `docs/locks.md`.
//!
//! How many tasks run at once, and on which threads, is not decided here but in the `models` crate.

#[cfg(not(feature = "everyday"))]
mod absent;
mod block;
mod blocking;
mod burn;
mod command;
mod event_loop;
#[cfg(feature = "everyday")]
mod everyday;
mod faulty;
mod file_read;
mod file_system;
mod file_write;
mod generated;
mod http_get;
mod in_flight;
mod kept;
mod lock;
mod operation;
mod peer;
mod primes;
mod process;
mod scratch;
mod slots;
mod step;
mod sum_of_squares;
#[cfg(test)]
mod testing;
mod timer;
mod wait;
mod wait_and_burn;

#[cfg(not(feature = "everyday"))]
pub use absent::{Absent as DbSelect, Absent as ResizeImage, Absent as SmtpSend, Absent as Zip};
pub use burn::Burn;
pub use command::Command;
pub use event_loop::{event_loop, release_while_parked};
#[cfg(feature = "everyday")]
pub use everyday::{DbSelect, ResizeImage, SmtpSend, Zip};
#[doc(hidden)]
pub use faulty::Faulty;
pub use file_read::FileRead;
pub use file_write::FileWrite;
pub use generated::generated;
pub use http_get::HttpGet;
pub use lock::interpreter_lock;
pub use operation::{Operation, Unsupported};
pub use primes::Primes;
pub use scratch::INPUTS_VARIABLE;
pub use step::Step;
pub use sum_of_squares::SumOfSquares;
pub use timer::{Timer, sleep};
pub use wait::Wait;
pub use wait_and_burn::WaitAndBurn;
