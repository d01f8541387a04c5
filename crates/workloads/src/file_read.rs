//! `file-read`: a whole file.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Result, ensure};
use interpreter_lock::InterpreterLock;

use crate::{
    Step, Timer,
    blocking::on_blocking_thread,
    generated::generated,
    in_flight::InFlight,
    scratch::{Scratch, explained, write_input},
};

/// How many different files there are.
const FILES: u64 = 8;

/// Reads one of eight generated files; the task's index says which. The result is the CRC-32 of what was read.
///
/// An event loop hands the whole of it to a thread of tokio's blocking pool, once, as `tokio::fs::read` does. A
/// `tokio::fs::File` would go there for the opening, for every read and for the end of the file, and copy what it read
/// from a buffer of its own.
#[derive(Debug, Clone)]
pub struct FileRead {
    files: Arc<Files>,
    in_flight: Arc<InFlight>,
}

#[derive(Debug)]
struct Files {
    scratch: Scratch,
    size_bytes: u64,
    cold: bool,
    dropped: Option<bool>,
}

impl FileRead {
    /// Makes the files in `folder`. With `cold` each is dropped from the page cache before it is read.
    ///
    /// # Errors
    /// They cannot be made.
    pub fn new(folder: &str, size_bytes: u64, cold: bool) -> Result<Self> {
        let scratch = Scratch::new(folder, |inputs| {
            (0..FILES).try_for_each(|number| write_input(&path(inputs, number), &generated(number, size_bytes)?))
        })?;
        let dropped = if cold { can_drop(&path(scratch.inputs(), 0), size_bytes)? } else { None };
        let files = Files { scratch, size_bytes, cold, dropped };
        Ok(Self { files: Arc::new(files), in_flight: Arc::default() })
    }

    /// Whether the files really left the page cache when they were dropped from it. `None` if they need not, or nobody knows.
    #[must_use]
    pub fn page_cache_dropped(&self) -> Option<bool> {
        self.files.dropped
    }

    /// The folder with the files.
    pub(crate) fn inputs(&self) -> &Path {
        self.files.scratch.inputs()
    }
}

impl Files {
    /// Reads the file of the task with this index, and returns its CRC-32.
    fn read(&self, index: u64) -> Result<u64> {
        let path = path(self.scratch.inputs(), index % FILES);
        let content = self.content(&path).map_err(|error| explained(error, "cannot read", &path))?;
        let (expected, got) = (self.size_bytes, content.len());
        ensure!(got as u64 == expected, "{} has {got} bytes, but was made with {expected}", path.display());
        Ok(u64::from(crc32fast::hash(&content)))
    }

    fn content(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        if self.cold {
            drop_from_cache(&file)?;
        }
        // One byte more than the file has, so that its end is seen without growing the buffer.
        let mut content = Vec::new();
        content.try_reserve_exact(self.size_bytes as usize + 1)?;
        file.read_to_end(&mut content)?;
        Ok(content)
    }
}

impl Step for FileRead {
    fn waits(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        false
    }

    fn for_loop(&self) -> Self {
        Self { in_flight: Arc::default(), ..self.clone() }
    }

    async fn wait(&self, index: u64, _timer: &Timer) -> Result<u64> {
        let files = Arc::clone(&self.files);
        self.in_flight.run(on_blocking_thread(move || files.read(index))).await
    }

    fn wait_blocking(&self, index: u64, lock: &InterpreterLock) -> Result<u64> {
        lock.unlocked(|| self.files.read(index))
    }
}

fn path(inputs: &Path, number: u64) -> PathBuf {
    inputs.join(format!("read-{number}"))
}

/// Asks the kernel to drop a file from the page cache. Only what the disk has already is dropped.
#[cfg(target_os = "linux")]
fn drop_from_cache(file: &impl AsFd) -> io::Result<()> {
    use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};

    posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn drop_from_cache(_file: &impl AsFd) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system cannot drop a file from its page cache"))
}

/// Whether a file, dropped from the page cache, is really fetched from storage again: a file system in memory has nowhere
/// else to fetch it from, and a network's keeps its own account.
fn can_drop(path: &Path, size_bytes: u64) -> Result<Option<bool>> {
    let probe = || -> io::Result<Option<bool>> {
        let mut file = File::open(path)?;
        drop_from_cache(&file)?;
        let before = worker::storage();
        io::copy(&mut file, &mut io::sink())?;
        let fetched = before.zip(worker::storage()).map(|(before, after)| after.read_bytes - before.read_bytes);
        // Read-ahead and metadata blur the figure; a file that stayed in the cache fetches nothing.
        Ok(fetched.filter(|_| size_bytes > 0).map(|fetched| fetched >= size_bytes / 2 && fetched > 0))
    };
    probe().map_err(|error| explained(error, "cannot drop from the page cache", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::both_ways;

    #[test]
    fn the_index_says_which_file_is_read_and_the_result_is_its_crc() {
        let folder = tempfile::tempdir().unwrap();
        for cold in [false, true] {
            let read = FileRead::new(folder.path().to_str().unwrap(), 1000, cold).unwrap();
            // zlib.crc32 in Python.
            assert_eq!(both_ways(&read, 0), [Ok(CRC_OF_FILE_0), Ok(CRC_OF_FILE_0)]);
            assert_eq!(both_ways(&read, 7), [Ok(CRC_OF_FILE_7), Ok(CRC_OF_FILE_7)]);
            assert_eq!(both_ways(&read, 8), both_ways(&read, 0));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "all is gone at the end");
    }

    const CRC_OF_FILE_0: u64 = 4055176732;
    const CRC_OF_FILE_7: u64 = 561243224;

    #[test]
    fn a_file_that_changed_under_our_hands_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let read = FileRead::new(folder.path().to_str().unwrap(), 1000, false).unwrap();
        let first = path(read.files.scratch.inputs(), 0);
        std::fs::write(&first, "short").unwrap();
        for error in both_ways(&read, 0).map(Result::unwrap_err) {
            assert!(error.ends_with("read-0 has 5 bytes, but was made with 1000"), "{error}");
        }
        std::fs::remove_file(&first).unwrap();
        for error in both_ways(&read, 0).map(Result::unwrap_err) {
            assert!(error.starts_with("cannot read ") && error.contains("No such file"), "{error}");
        }
    }

    #[test]
    fn an_empty_file_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let read = FileRead::new(folder.path().to_str().unwrap(), 0, true).unwrap();
        assert_eq!(both_ways(&read, 3), [Ok(0), Ok(0)]);
        assert_eq!(read.page_cache_dropped(), None);
    }
}
