//! How much an event loop may have open at once.

use anyhow::{Result, anyhow};
use tokio::sync::Semaphore;

/// How many processes, connections or files an event loop has open at once. Its tasks begin all at once, and there may be
/// thousands: without a limit they would fail by the limit of open files, or by the peer's.
pub const MAX_IN_FLIGHT: usize = 64;

/// Lets tasks of an event loop in, so many at a time, in order. When one has failed, those that still wait fail at once: the
/// run is lost, and each of them might take as long to fail.
#[derive(Debug)]
pub struct InFlight(Semaphore);

impl InFlight {
    /// Room for so many, for one run of one event loop.
    pub fn new(at_once: usize) -> Self {
        Self(Semaphore::new(at_once))
    }

    /// Waits for room, then for `work`.
    pub async fn run<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let _permit = self.0.acquire().await.map_err(|_| anyhow!("not begun, because another task had failed"))?;
        work.await.inspect_err(|_| self.0.close())
    }
}

impl Default for InFlight {
    fn default() -> Self {
        Self::new(MAX_IN_FLIGHT)
    }
}
