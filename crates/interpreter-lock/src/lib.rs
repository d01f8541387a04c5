//! Stub with the agreed interface; the real lock replaces it.
#![allow(missing_docs)]
use std::{
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

#[derive(Clone, Default)]
pub struct InterpreterLock(Option<Arc<(Mutex<bool>, Condvar)>>);
pub const GIL_SWITCH_INTERVAL: Duration = Duration::from_millis(5);
pub const GVL_QUANTUM: Duration = Duration::from_millis(100);
pub struct Held<'a>(&'a InterpreterLock);

impl InterpreterLock {
    pub fn none() -> Self {
        Self(None)
    }
    pub fn gil(_switch_interval: Duration) -> Self {
        Self(Some(Arc::default()))
    }
    pub fn gvl(_quantum: Duration) -> Self {
        Self(Some(Arc::default()))
    }
    pub fn acquire(&self) {
        if let Some(lock) = &self.0 {
            let mut held = lock.0.lock().unwrap();
            while *held {
                held = lock.1.wait(held).unwrap();
            }
            *held = true;
        }
    }
    pub fn release(&self) {
        if let Some(lock) = &self.0 {
            *lock.0.lock().unwrap() = false;
            lock.1.notify_one();
        }
    }
    pub fn hold(&self) -> Held<'_> {
        self.acquire();
        Held(self)
    }
    pub fn unlocked<R>(&self, f: impl FnOnce() -> R) -> R {
        self.release();
        let r = f();
        self.acquire();
        r
    }
    #[inline]
    pub fn safepoint(&self) {}
}
impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}
