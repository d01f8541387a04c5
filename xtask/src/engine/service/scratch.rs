//! Folders that do not outlive us: each is locked by its owner, so that one whose owner was killed is known and removed
//! by the next run.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::postgres;

/// What names begin with.
const PREFIX: &str = "parallax-";
/// The file that is locked as long as the folder is in use.
const OWNER: &str = "owner";
/// Where its content is: the lock stands beside it.
const CONTENT: &str = "in";

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    top: PathBuf,
    content: PathBuf,
    /// Its lock ends with us, however we end.
    _owner: File,
}

impl Scratch {
    /// Makes an empty folder in `base` for `what`: a word that its name tells.
    ///
    /// # Errors
    /// `base` is no folder, or nothing can be made in it.
    pub fn create(base: &Path, what: &str) -> io::Result<Self> {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let (top, owner) = loop {
            let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
            let top = base.join(format!("{PREFIX}{what}-{}-{number}", std::process::id()));
            match fs::create_dir(&top) {
                Ok(()) => {}
                // Of an earlier process with our id, perhaps in another namespace.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            let owner = File::create_new(top.join(OWNER)).and_then(|owner| owner.lock().map(|()| owner));
            match owner {
                Ok(owner) => break (top, owner),
                Err(error) => {
                    let _ = fs::remove_dir_all(&top);
                    return Err(error);
                }
            }
        };
        let content = top.join(CONTENT);
        let scratch = Self { top, content, _owner: owner };
        fs::create_dir(&scratch.content)?;
        Ok(scratch)
    }

    /// The folder to write in.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.content
    }

    /// Removes it; tells why it could not.
    #[must_use]
    pub fn remove(self) -> Option<String> {
        let error = fs::remove_dir_all(&self.top).err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
        Some(format!("{} could not be removed: {error}", self.top.display()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}

/// Removes what runs that were killed have left in `base`, and ends the databases in it; tells what it removed, and what
/// it could not. Folders of runs that live, of other users, and of other names are left alone.
#[must_use]
pub fn clear_leftovers(base: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(base) else { return Vec::new() };
    let names = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    names.filter_map(|entry| clear_leftover(&entry.path())).collect()
}

fn clear_leftover(top: &Path) -> Option<String> {
    // Not through a link that somebody put there.
    let seen = fs::symlink_metadata(top).ok().filter(fs::Metadata::is_dir)?;
    if seen.uid() != nix::unistd::geteuid().as_raw() {
        return None;
    }
    match File::open(top.join(OWNER)).ok()?.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return None,
    }
    let ended = postgres::end_leftover(&top.join(CONTENT));
    Some(match fs::remove_dir_all(top) {
        Ok(()) if ended => format!("ended the database of an earlier run, and removed {}", top.display()),
        Ok(()) => format!("removed what an earlier run left: {}", top.display()),
        Err(error) => format!("{}, which an earlier run left, could not be removed: {error}", top.display()),
    })
}

/// The type of the file system that a folder is in, such as `ext4`, as `/proc` tells it.
#[must_use]
pub fn file_system(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    file_system_in(&fs::read_to_string("/proc/self/mountinfo").ok()?, &folder)
}

/// `id parent device root mount-point options … - type source …`: proc_pid_mountinfo(5). The last of the longest mount
/// points counts, as it hides those before.
fn file_system_in(mounts: &str, folder: &Path) -> Option<String> {
    let mounts = mounts.lines().filter_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?.replace("\\040", " ");
        folder.starts_with(&point).then(|| (point.len(), kind.split(' ').next().unwrap_or_default().to_owned()))
    });
    mounts.max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(base: &Path) -> Vec<String> {
        let names = fs::read_dir(base).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_folder_is_gone_with_its_owner() {
        let base = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(base.path(), "test").unwrap();
        fs::write(scratch.path().join("file"), "x").unwrap();
        assert_eq!(names(base.path()).len(), 1);
        drop(scratch);
        assert_eq!(names(base.path()), [""; 0]);
    }

    #[test]
    fn what_a_dead_owner_left_is_removed_and_what_a_living_one_has_is_not() {
        let base = tempfile::tempdir().unwrap();
        let living = Scratch::create(base.path(), "test").unwrap();
        let dead = base.path().join("parallax-test-1-0");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(OWNER), "").unwrap();
        fs::create_dir(base.path().join("somebody-elses")).unwrap();
        // Not ours to judge: nobody ever locked it.
        fs::create_dir(base.path().join("parallax-without-owner")).unwrap();
        let told = clear_leftovers(base.path());
        assert_eq!(told, [format!("removed what an earlier run left: {}", dead.display())]);
        assert!(living.path().is_dir() && !dead.exists());
        assert_eq!(names(base.path()).len(), 3);
    }

    #[test]
    fn a_link_in_place_of_a_folder_is_left_alone() {
        let (base, victim) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(victim.path().join(OWNER), "").unwrap();
        std::os::unix::fs::symlink(victim.path(), base.path().join("parallax-test-1-0")).unwrap();
        assert_eq!(clear_leftovers(base.path()), [""; 0]);
        assert!(victim.path().join(OWNER).exists());
    }

    #[test]
    fn the_file_system_is_that_of_the_longest_mount_point() {
        let mounts = "22 1 253:0 / / rw - ext4 /dev/root rw\n30 22 0:5 / /tmp rw shared:1 - tmpfs tmpfs rw\n\
                      31 22 0:6 / /tmp\\040x rw - xfs /dev/b rw\n";
        let of = |path: &str| file_system_in(mounts, Path::new(path)).unwrap();
        assert_eq!((of("/home/x"), of("/tmp/y"), of("/tmp x/y")), ("ext4".into(), "tmpfs".into(), "xfs".into()));
    }
}
