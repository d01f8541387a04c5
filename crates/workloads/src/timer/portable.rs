//! Waiting where there is no `timerfd`: as exactly as the standard library and tokio do it.

use std::{io, time::Duration};

use tokio::runtime::Builder;

pub fn enable(builder: &mut Builder) -> &mut Builder {
    builder.enable_time()
}

pub fn sleep(duration: Duration) {
    std::thread::sleep(duration);
}

#[derive(Debug)]
pub struct Timer;

impl Timer {
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub async fn wait(&self, duration: Duration) {
        if !duration.is_zero() {
            tokio::time::sleep(duration).await;
        }
    }
}
