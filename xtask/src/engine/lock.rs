//! One matrix at a time on a machine: an advisory lock whose holder can be named.
//!
//! The file stays where it is for ever; what counts is the lock on it, which ends with its holder however that ends.

use std::env;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use nix::libc;
use serde::{Deserialize, Serialize};

/// Environment variable that names another lock file: for tests, and for machines that share `/tmp` with others.
pub const LOCK_FILE_VARIABLE: &str = "PARALLAX_LOCK_FILE";
/// The same for all users and all folders, whatever `TMPDIR` says: it stands for the machine.
const LOCK_FILE: &str = "/tmp/parallax-matrix.lock";
/// More than a holder ever writes.
const LONGEST_CONTENT: u64 = 8 * 1024;

/// The lock; ends when it is dropped.
#[derive(Debug)]
pub struct MachineLock {
    file: File,
}

/// Who holds the lock.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    folder: PathBuf,
    since: String,
}

impl MachineLock {
    /// Takes the machine's lock.
    ///
    /// # Errors
    /// Another matrix runs, whose process, folder and start are named; or the lock file cannot be opened.
    pub fn take() -> Result<Self> {
        Self::take_file(&env::var_os(LOCK_FILE_VARIABLE).map_or_else(|| LOCK_FILE.into(), PathBuf::from))
    }

    /// Takes the lock on this file.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn take_file(path: &Path) -> Result<Self> {
        let mut file = open(path).with_context(|| {
            format!(
                "the lock that keeps two matrices apart, {}, cannot be opened; {LOCK_FILE_VARIABLE} names another file",
                path.display()
            )
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "another matrix runs on this machine: {}. Two at once would measure each other; wait until it is over",
                holder(&mut file)
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("{} cannot be locked", path.display()));
            }
        }
        let holder = Holder {
            pid: std::process::id(),
            folder: env::current_dir().unwrap_or_default(),
            since: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        };
        // The lock holds without a name too: somebody else's file may be one that we can only read.
        let _ = write_holder(&mut file, &holder);
        Ok(Self { file })
    }
}

impl Drop for MachineLock {
    fn drop(&mut self) {
        // So that nobody reads an old name between this holder and the next.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Opens the file, or makes it for all users. Creating is a step of its own, as opening somebody else's file in `/tmp`
/// with `O_CREAT` is refused by the kernel (fs.protected_regular).
fn open(path: &Path) -> io::Result<File> {
    // A link or a pipe that somebody put there is not followed or waited for.
    let options = || {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        options
    };
    let existing = || match options().write(true).open(path) {
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            options().open(path)
        }
        other => other,
    };
    let file = match existing() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match options().write(true).create_new(true).mode(0o666).open(path) {
                Ok(file) => {
                    // The umask took the others' right to write.
                    fs::set_permissions(path, Permissions::from_mode(0o666))?;
                    file
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => existing()?,
                Err(error) => return Err(error),
            }
        }
        other => other?,
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

fn write_holder(file: &mut File, holder: &Holder) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&serde_json::to_vec(holder)?)
}

/// Who holds it, for a person.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| Read::by_ref(file).take(LONGEST_CONTENT).read_to_string(&mut text));
    match read.ok().and_then(|_| serde_json::from_str::<Holder>(&text).ok()) {
        Some(Holder { pid, folder, since }) => {
            format!("process {pid}, started in {}, since {since}", folder.display())
        }
        None => "a process that has not left its name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_holds_the_lock_and_since_when() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = MachineLock::take_file(&path).unwrap();
        let text = MachineLock::take_file(&path).unwrap_err().to_string();
        let here = env::current_dir().unwrap();
        let expected = format!(
            "another matrix runs on this machine: process {}, started in {}, since 2",
            std::process::id(),
            here.display()
        );
        assert!(text.starts_with(&expected), "{text}");
        drop(first);
        MachineLock::take_file(&path).unwrap();
    }

    #[test]
    fn what_a_dead_holder_left_does_not_hinder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, r#"{"pid":1,"folder":"/","since":"2026-01-01T00:00:00Z"} and more"#).unwrap();
        let _lock = MachineLock::take_file(&path).unwrap();
        let text = MachineLock::take_file(&path).unwrap_err().to_string();
        assert!(text.contains(&format!("process {},", std::process::id())), "{text}");
    }

    #[test]
    fn every_user_may_take_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(MachineLock::take_file(&path).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
    }

    #[test]
    fn a_file_that_can_only_be_read_is_a_lock_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        let _lock = MachineLock::take_file(&path).unwrap();
        MachineLock::take_file(&path).unwrap_err();
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("precious"), folder.path().join("lock"));
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        MachineLock::take_file(&link).unwrap_err();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    }
}
