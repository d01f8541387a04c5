//! Writes a file wholly or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

/// Replaces a file by one with this content. Whoever reads it, also after a crash, sees the old or the new content.
///
/// # Errors
/// The file could not be written; what stood there before is untouched.
pub fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let temporary = temporary(path);
    let result = write_and_rename(&temporary, path, content);
    if result.is_err() {
        // A half-written temporary file helps nobody, and a full disk is glad of the space.
        let _ = fs::remove_file(&temporary);
    }
    result.with_context(|| format!("cannot write `{}`", path.display()))
}

/// A neighbour of the file: a rename is atomic within one file system only. The process id keeps two writers apart.
fn temporary(path: &Path) -> std::path::PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn write_and_rename(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(temporary)?;
    file.write_all(content)?;
    // Without this a file system may keep the rename and lose the content.
    file.sync_all()?;
    fs::rename(temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_content_and_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        // A folder that is not empty cannot be replaced by a file.
        fs::create_dir_all(path.join("inside")).unwrap();
        let error = write(&path, b"new").unwrap_err();
        assert!(format!("{error:#}").contains("summary.json"), "{error:#}");
        assert!(path.join("inside").is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
