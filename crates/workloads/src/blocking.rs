//! Work that blocks, done beside an event loop.

use anyhow::{Context, Result};
use tokio::task::spawn_blocking;

/// Does `work` on a thread of tokio's blocking pool, which never has the interpreter lock.
///
/// Work on files goes there as a whole, because each way there and back costs more than reading a page of memory: the thread is
/// woken, and then the loop. No file can be waited for by the loop itself.
///
/// # Errors
/// That of `work`, or its panic.
pub async fn on_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.context("a thread of the blocking pool has not done its work")?
}
