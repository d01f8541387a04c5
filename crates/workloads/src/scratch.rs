//! The files of a job: made in its folder while it is prepared, and gone when it ends.

use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::{Error, Result};

/// Names the folder with the files that a parent process has made for its children, which then make none themselves: they
/// would be made anew for every run, and the disk would still be busy with them while it is measured.
pub const INPUTS_VARIABLE: &str = "PARALLAX_INPUTS";

/// A folder of this job's own, inside the one that the job names. Its name begins with the process id, and what is in it
/// goes when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    /// What every task reads; the parent's, in a child process.
    inputs: PathBuf,
    /// What tasks write.
    own: PathBuf,
}

impl Scratch {
    /// Makes the folder, and by `make_inputs` the files in it that every task reads, unless a parent process has made them.
    ///
    /// # Errors
    /// The folder is not there or cannot be written to, or the disk is full.
    pub fn new(folder: &str, make_inputs: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let inherited = env::var_os(INPUTS_VARIABLE);
        Self::with_inputs(Path::new(folder), inherited.as_deref(), make_inputs)
    }

    fn with_inputs(
        folder: &Path,
        inherited: Option<&OsStr>,
        make_inputs: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        if let Some(inputs) = inherited {
            let own = make_folder(Path::new(inputs))?;
            return Ok(Self { inputs: inputs.into(), own });
        }
        let own = make_folder(folder)?;
        // Made before the files, so that these go again if one of them cannot be made.
        let scratch = Self { inputs: own.clone(), own };
        make_inputs(&scratch.inputs)?;
        Ok(scratch)
    }

    /// The folder with what every task reads.
    pub fn inputs(&self) -> &Path {
        &self.inputs
    }

    /// The path of a file that a task writes.
    pub fn output(&self, name: &str) -> PathBuf {
        self.own.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.own) {
            eprintln!("cannot remove {}, which this worker has made: {error}", self.own.display());
        }
    }
}

fn make_folder(parent: &Path) -> Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!("{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = parent.join(name);
    match fs::create_dir(&path) {
        // A process that had this number before us was killed before it could clean up.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_dir_all(&path).and_then(|()| fs::create_dir(&path))
        }
        made => made,
    }
    .map_err(|error| explained(error, "cannot make a folder in", parent))?;
    Ok(path)
}

/// Writes a file, and waits until the disk has it: what comes later is measured, and must find the disk idle.
///
/// # Errors
/// It cannot be written.
pub fn write_input(path: &Path, content: &[u8]) -> Result<()> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(content)?;
        file.sync_all()
    };
    write().map_err(|error| explained(error, "cannot write", path))
}

/// An error with a file, in a sentence that says what to do.
pub fn explained(error: io::Error, what: &str, path: &Path) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => ": has it been removed, or the folder of the job never been made?",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ": make room, or name another folder",
        io::ErrorKind::FileTooLarge => ": the limit of a file's size (ulimit -f) is lower",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ": name a folder that can be written to",
        _ => "",
    };
    Error::msg(format!("{what} {}: {error}{advice}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn everything_is_gone_when_the_job_ends() {
        let folder = tempfile::tempdir().unwrap();
        let scratch =
            Scratch::with_inputs(folder.path(), None, |inputs| write_input(&inputs.join("a"), b"abc")).unwrap();
        fs::write(scratch.output("b"), "def").unwrap();
        assert_eq!(fs::read(scratch.inputs().join("a")).unwrap(), b"abc");
        let name = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
        assert!(name.starts_with(&format!("{}-", process::id())), "{name}");
        drop(scratch);
        assert_eq!(entries(folder.path()), 0);
    }

    #[test]
    fn a_preparation_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let error = Scratch::with_inputs(folder.path(), None, |inputs| {
            write_input(&inputs.join("a"), b"abc")?;
            write_input(&inputs.join("no/such/folder"), b"abc")
        });
        assert!(error.unwrap_err().to_string().contains("no/such/folder"));
        assert_eq!(entries(folder.path()), 0);
    }

    #[test]
    fn a_child_reads_its_parents_files_and_writes_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let parent =
            Scratch::with_inputs(folder.path(), None, |inputs| write_input(&inputs.join("a"), b"abc")).unwrap();
        let child = Scratch::with_inputs(folder.path(), Some(parent.inputs().as_os_str()), |_| {
            panic!("a child makes no inputs")
        })
        .unwrap();
        assert_eq!(fs::read(child.inputs().join("a")).unwrap(), b"abc");
        assert_ne!(child.output("x"), parent.output("x"));
        // A child that was killed leaves its folder, which goes with its parent's.
        std::mem::forget(child);
        drop(parent);
        assert_eq!(entries(folder.path()), 0);
    }

    #[test]
    fn what_a_killed_process_of_the_same_number_left_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let first = Scratch::with_inputs(folder.path(), None, |_| Ok(())).unwrap();
        let count: u64 = first.own.file_name().unwrap().to_str().unwrap().split_once('-').unwrap().1.parse().unwrap();
        for later in 1..50 {
            let left = folder.path().join(format!("{}-{}", process::id(), count + later));
            fs::create_dir(&left).unwrap();
            fs::write(left.join("old"), "old").unwrap();
        }
        let second = Scratch::with_inputs(folder.path(), None, |_| Ok(())).unwrap();
        assert!(!second.output("old").exists());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = Scratch::with_inputs(Path::new("/no/such/folder"), None, |_| Ok(())).unwrap_err().to_string();
        assert!(error.starts_with("cannot make a folder in /no/such/folder: No such file"), "{error}");
    }
}
