//! `file-write`: a whole file.

use std::{fs::File, io::Write, sync::Arc};

use anyhow::Result;
use interpreter_lock::InterpreterLock;

use crate::{
    Step, Timer,
    blocking::on_blocking_thread,
    generated::generated,
    in_flight::InFlight,
    scratch::{Scratch, explained},
    slots::Slots,
};

/// Writes generated file 0 to a file that no other task writes at the same time, over what is there. The result is its size.
///
/// An event loop hands the whole of it to a thread of tokio's blocking pool, once, as `tokio::fs::write` does.
#[derive(Debug, Clone)]
pub struct FileWrite {
    files: Arc<Files>,
    in_flight: Arc<InFlight>,
}

#[derive(Debug)]
struct Files {
    scratch: Scratch,
    slots: Slots,
    content: Vec<u8>,
    fsync: bool,
}

impl FileWrite {
    /// Files in `folder`. With `fsync` a write lasts until the disk has it.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn new(folder: &str, size_bytes: u64, fsync: bool) -> Result<Self> {
        let scratch = Scratch::new(folder, |_| Ok(()))?;
        let files = Files { scratch, slots: Slots::default(), content: generated(0, size_bytes)?, fsync };
        Ok(Self { files: Arc::new(files), in_flight: Arc::default() })
    }
}

impl Files {
    /// Writes a file, and returns its size.
    fn write(&self) -> Result<u64> {
        let slot = self.slots.take();
        let path = self.scratch.output(&format!("write-{}", slot.number));
        let write = || {
            let mut file = File::create(&path)?;
            file.write_all(&self.content)?;
            if self.fsync { file.sync_all() } else { Ok(()) }
        };
        write().map_err(|error| explained(error, "cannot write", &path))?;
        Ok(self.content.len() as u64)
    }
}

impl Step for FileWrite {
    fn waits(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        false
    }

    fn for_loop(&self) -> Self {
        Self { in_flight: Arc::default(), ..self.clone() }
    }

    async fn wait(&self, _index: u64, _timer: &Timer) -> Result<u64> {
        let files = Arc::clone(&self.files);
        self.in_flight.run(on_blocking_thread(move || files.write())).await
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        lock.unlocked(|| self.files.write())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::both_ways;

    #[test]
    fn what_is_written_is_the_generated_file() {
        let folder = tempfile::tempdir().unwrap();
        for fsync in [false, true] {
            let write = FileWrite::new(folder.path().to_str().unwrap(), 5_000_000, fsync).unwrap();
            assert_eq!(both_ways(&write, 3), [Ok(5_000_000), Ok(5_000_000)]);
            assert_eq!(std::fs::read(write.files.scratch.output("write-0")).unwrap(), generated(0, 5_000_000).unwrap());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "all is gone at the end");
    }

    #[test]
    fn a_disk_that_is_full_is_an_error_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let write = FileWrite::new(folder.path().to_str().unwrap(), 5_000_000, false).unwrap();
        // A device that is always full stands in for the disk.
        std::os::unix::fs::symlink("/dev/full", write.files.scratch.output("write-0")).unwrap();
        for error in both_ways(&write, 0).map(Result::unwrap_err) {
            assert!(
                error.ends_with("No space left on device (os error 28): make room, or name another folder"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_folder_that_is_gone_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = FileWrite::new(folder.path().to_str().unwrap(), 10, false).unwrap();
        std::fs::remove_dir_all(write.files.scratch.inputs()).unwrap();
        for error in both_ways(&write, 0).map(Result::unwrap_err) {
            assert!(error.contains("No such file or directory"), "{error}");
        }
    }
}
