//! What one task does: one file per operation.
//!
//! A task repeats one operation. [`Step`] is the shape of an operation: a part that waits and a part that computes, so
//! that every concurrency model can place each part where it belongs. [`Operation`] is any one of them, made from the
//! [`Task`](protocol::Task) of a job. [`Timer`] and [`sleep`] wait exactly.
//!
//! How many tasks run at once, and on which threads, is not decided here but in the `models` crate.

mod block;
mod burn;
mod faulty;
mod lock;
mod operation;
mod primes;
mod step;
mod sum_of_squares;
mod timer;
mod wait;
mod wait_and_burn;

pub use burn::Burn;
#[doc(hidden)]
pub use faulty::Faulty;
pub use lock::interpreter_lock;
pub use operation::Operation;
pub use primes::Primes;
pub use step::Step;
pub use sum_of_squares::SumOfSquares;
pub use timer::{Timer, sleep};
pub use wait::Wait;
pub use wait_and_burn::WaitAndBurn;
