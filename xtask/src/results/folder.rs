//! The folder of one result, and who writes which of its files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};

use super::atomic;
use super::environment::Environment;
use super::name::newest_first;
use super::sample_file::SampleFile;
use crate::stats::summary::Summary;

/// The matrix as it was when the run began, byte for byte.
pub const MATRIX: &str = "matrix.toml";
/// What the figures were taken with and on.
pub const ENVIRONMENT: &str = "environment.json";
/// Every repetition, a line each.
pub const SAMPLES: &str = "samples.jsonl";
/// The figures.
pub const SUMMARY: &str = "summary.json";
/// The tables, for people.
pub const TABLES: &str = "tables.md";
/// The same for a browser.
pub const PAGE: &str = "report.html";

/// The folder of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFolder {
    path: PathBuf,
}

impl ResultFolder {
    /// Makes a new folder below `root` and proves that files can be written there, so that nothing is measured in vain.
    ///
    /// Its name is the start in UTC and the first seven digits of the machine's fingerprint, with a number behind it
    /// where another result has the name already.
    ///
    /// # Errors
    /// The folder cannot be made or written to.
    pub fn create(root: &Path, started: SystemTime, fingerprint: &str) -> anyhow::Result<Self> {
        Self::try_create(root, started, fingerprint).with_context(|| {
            format!(
                "cannot keep results in `{}`; nothing has been measured. Make it writable, or choose another folder \
                 with --out DIR",
                root.display()
            )
        })
    }

    fn try_create(root: &Path, started: SystemTime, fingerprint: &str) -> anyhow::Result<Self> {
        fs::create_dir_all(root)?;
        let name = name(started, fingerprint);
        for attempt in 1..=1000 {
            let path = root.join(if attempt == 1 { name.clone() } else { format!("{name}-{attempt}") });
            match fs::create_dir(&path) {
                Ok(()) => {
                    // A folder can be made and its files refused: by a quota, or a full disk.
                    let probe = path.join(".probe");
                    let probed = atomic::write(&probe, b"can this be written?");
                    let _ = fs::remove_file(&probe);
                    if probed.is_err() {
                        let _ = fs::remove_dir(&path);
                    }
                    return probed.map(|()| Self { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        bail!("a thousand results are called `{name}`")
    }

    /// A folder that exists, to resume its run or to read it.
    ///
    /// # Errors
    /// There is no such folder, or it holds no samples.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if !path.is_dir() {
            bail!("there is no result `{}`. `results/README.md` lists those that there are.", path.display());
        }
        if !path.join(SAMPLES).is_file() {
            bail!("`{}` is not a result: it has no {SAMPLES}.", path.display());
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Removes the folder again, when nothing was measured. Whatever cannot be removed stays.
    pub fn discard(&self) {
        for name in [MATRIX, ENVIRONMENT] {
            let _ = fs::remove_file(self.file(name));
        }
        let _ = fs::remove_dir(&self.path);
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A result beside it whose name says that it began later: the clock was set back since, or another machine's is ahead.
    #[must_use]
    pub fn newer(&self) -> Option<String> {
        let entries = fs::read_dir(self.root()).into_iter().flatten().flatten();
        let newest =
            newest_first(entries.filter_map(|entry| entry.file_name().into_string().ok())).into_iter().next()?;
        (*newest != *self.path.file_name()?).then_some(newest)
    }

    /// Path of one of its files, such as [`SAMPLES`].
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Keeps the matrix file byte for byte.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write_matrix(&self, text: &[u8]) -> anyhow::Result<()> {
        atomic::write(&self.file(MATRIX), text)
    }

    /// Writes what the figures are taken with and on: at the start, and again at the end.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write_environment(&self, environment: &Environment) -> anyhow::Result<()> {
        atomic::write(&self.file(ENVIRONMENT), environment.to_json().as_bytes())
    }

    /// Writes the figures.
    ///
    /// # Errors
    /// They could not be written.
    pub fn write_summary(&self, summary: &Summary) -> anyhow::Result<()> {
        atomic::write(&self.file(SUMMARY), summary.to_json().as_bytes())
    }

    /// Writes the tables.
    ///
    /// # Errors
    /// They could not be written.
    pub fn write_tables(&self, markdown: &str) -> anyhow::Result<()> {
        atomic::write(&self.file(TABLES), markdown.as_bytes())
    }

    /// Writes the page.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write_page(&self, html: &str) -> anyhow::Result<()> {
        atomic::write(&self.file(PAGE), html.as_bytes())
    }

    /// Writes pictures by name, and removes those of an earlier time that are no longer made: `is_ours` tells a picture's
    /// name from those of other files.
    ///
    /// # Errors
    /// One could not be written.
    pub fn write_plots<'a>(
        &self,
        plots: impl IntoIterator<Item = (&'a str, &'a str)>,
        is_ours: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        let mut written = Vec::new();
        for (name, svg) in plots {
            atomic::write(&self.file(name), svg.as_bytes())?;
            written.push(name);
        }
        for entry in fs::read_dir(&self.path)?.flatten() {
            let name = entry.file_name();
            let is_old = name.to_str().is_some_and(|name| is_ours(name) && !written.contains(&name));
            if is_old {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// The sample file, new or to be continued.
    ///
    /// # Errors
    /// It could not be opened, or is not one that this version can continue.
    pub fn sample_file(&self) -> anyhow::Result<SampleFile> {
        SampleFile::open(&self.file(SAMPLES))
    }

    /// The folder of results that it is in.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// `2026-11-30T171522Z-3f9c2a1`: sorts by time, and no file system minds it (a colon would bother Windows).
fn name(started: SystemTime, fingerprint: &str) -> String {
    let start = humantime::format_rfc3339_seconds(started).to_string().replace(':', "");
    let machine: String = fingerprint.chars().take(7).collect();
    format!("{start}-{machine}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn start() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_058_922)
    }

    const FINGERPRINT: &str = "3f9c2a1d00";

    fn create(root: &Path) -> anyhow::Result<ResultFolder> {
        ResultFolder::create(root, start(), FINGERPRINT)
    }

    fn name_of(folder: &ResultFolder) -> &str {
        folder.path().file_name().unwrap().to_str().unwrap()
    }

    #[test]
    fn a_folder_is_named_by_start_and_machine_and_begins_empty() {
        let root = tempfile::tempdir().unwrap();
        let folder = create(&root.path().join("not/yet/there")).unwrap();
        assert_eq!(name_of(&folder), "2026-11-30T171522Z-3f9c2a1");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_second_result_of_the_same_second_gets_a_number() {
        let root = tempfile::tempdir().unwrap();
        create(root.path()).unwrap();
        assert_eq!(name_of(&create(root.path()).unwrap()), "2026-11-30T171522Z-3f9c2a1-2");
        assert_eq!(name_of(&create(root.path()).unwrap()), "2026-11-30T171522Z-3f9c2a1-3");
    }

    #[test]
    fn a_result_from_the_future_is_told_by_the_name_of_one_that_is_newer() {
        let root = tempfile::tempdir().unwrap();
        create(root.path()).unwrap();
        fs::create_dir(root.path().join("2026-11-30T171521Z-ffffff0")).unwrap();
        let second = create(root.path()).unwrap();
        assert_eq!(second.newer(), None, "the second of a second is the newer one");
        let ahead = "2026-11-30T171523Z-0000000";
        fs::create_dir(root.path().join(ahead)).unwrap();
        assert_eq!(second.newer().as_deref(), Some(ahead));
    }

    #[test]
    fn a_root_that_cannot_be_written_is_refused_with_what_to_do() {
        // Below a regular file nobody can make a folder, not even root.
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = format!("{:#}", create(&file.path().join("results")).unwrap_err());
        for part in ["nothing has been measured", "--out DIR", "results`", "Not a directory"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_read_only_root_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(root.path().join("try"), "").is_ok() {
            return; // We are root, who writes wherever it likes.
        }
        let error = format!("{:#}", create(root.path()).unwrap_err());
        assert!(error.contains("Permission denied"), "{error}");
    }

    #[test]
    fn the_matrix_is_kept_byte_for_byte() {
        let root = tempfile::tempdir().unwrap();
        let folder = create(root.path()).unwrap();
        folder.write_matrix(b"schema = 1\r\n# no line feed at the end").unwrap();
        assert_eq!(fs::read(folder.file(MATRIX)).unwrap(), b"schema = 1\r\n# no line feed at the end");
    }

    #[test]
    fn only_a_folder_with_samples_can_be_opened() {
        let root = tempfile::tempdir().unwrap();
        let folder = create(root.path()).unwrap();
        let error = ResultFolder::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("it has no samples.jsonl"), "{error}");
        drop(folder.sample_file().unwrap());
        assert_eq!(ResultFolder::open(folder.path()).unwrap(), folder);
        assert!(ResultFolder::open(&root.path().join("other")).is_err());
    }
}
