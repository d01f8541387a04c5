//! Where results can be read: a folder of results on disk, or the same folder as a git revision has it. A revision is
//! read from git's store: neither work tree nor index is touched, and there may be none (a bare clone).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context, bail};
use duct::cmd;

/// A folder of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// On disk.
    Disk(PathBuf),
    /// In git's store.
    Git {
        /// Where git is asked: a folder of the repository, or a bare repository.
        repository: PathBuf,
        /// The full hash of the commit.
        commit: String,
        /// The folder of results in the commit's tree; without a slash at its end.
        path: String,
    },
}

impl Tree {
    /// The folder of results as a revision has it.
    ///
    /// # Errors
    /// Git is not there, `root` is in no repository, or the repository does not know the revision.
    pub fn at_revision(root: &Path, revision: &str) -> anyhow::Result<Self> {
        if revision.is_empty() {
            bail!("a revision has a name");
        }
        // What a revision has need not be on disk.
        let repository = root.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new(".")).to_owned();
        let is_bare = text(&repository, &["rev-parse", "--is-bare-repository"])? == "true";
        let path = if is_bare {
            "results".to_owned()
        } else {
            let prefix = text(&repository, &["rev-parse", "--show-prefix"])?;
            let rest = root.strip_prefix(&repository).unwrap_or(Path::new(""));
            Path::new(&prefix).join(rest).to_string_lossy().trim_end_matches('/').to_owned()
        };
        let commit = format!("{revision}^{{commit}}");
        let Ok(commit) = text(&repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]) else {
            bail!("git knows no revision `{revision}`");
        };
        Ok(Self::Git { repository, commit, path })
    }

    /// The name of a result from a path in the revision, as git would write it: `results/2026-…/` → `2026-…`, and nothing of
    /// the folder itself. What is no such path stays as it is.
    #[must_use]
    pub fn name_in<'a>(&self, text: &'a str) -> &'a str {
        let Self::Git { path, .. } = self else { return text };
        let text = text.trim_end_matches('/');
        match text.strip_prefix(path.as_str()) {
            Some("") => "",
            Some(rest) => rest.strip_prefix('/').unwrap_or(text),
            None => text,
        }
    }

    /// The names of what lies directly in it, in no order.
    ///
    /// # Errors
    /// It cannot be read. A folder that is not there is empty.
    pub fn names(&self) -> anyhow::Result<Vec<String>> {
        match self {
            Self::Disk(root) => {
                let unreadable = || format!("cannot read the results in `{}`", root.display());
                let entries = match fs::read_dir(root) {
                    Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
                    entries => entries.with_context(unreadable)?,
                };
                let mut names = Vec::new();
                for entry in entries {
                    // No result has a name that is not Unicode.
                    names.extend(entry.with_context(unreadable)?.file_name().into_string());
                }
                Ok(names)
            }
            Self::Git { repository, commit, path } => {
                let place = format!("{commit}:{path}");
                let output = run(repository, &["ls-tree", "-z", "--name-only", "--full-tree", &place])?;
                // A revision before the first result has no such folder.
                let listed = if output.status.success() { output.stdout } else { Vec::new() };
                let names = listed.split(|&byte| byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
                Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
            }
        }
    }

    /// A file of one result; `None` where it has none of this name.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn file(&self, result: &str, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        match self {
            Self::Disk(root) => {
                let path = root.join(result).join(name);
                match fs::read(&path) {
                    Ok(content) => Ok(Some(content)),
                    Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
                    Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
                }
            }
            Self::Git { repository, commit, path } => {
                let place = format!("{commit}:{path}/{result}/{name}");
                let output = run(repository, &["cat-file", "blob", &place])?;
                Ok(output.status.success().then_some(output.stdout))
            }
        }
    }

    /// How a person would write the place of one file.
    #[must_use]
    pub fn shown(&self, result: &str, name: &str) -> PathBuf {
        match self {
            Self::Disk(root) => root.join(result).join(name),
            Self::Git { commit, path, .. } => {
                let short: String = commit.chars().take(10).collect();
                format!("{short}:{path}/{result}/{name}").into()
            }
        }
    }
}

/// What a git command prints, without the line's end.
fn text(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = run(folder, arguments)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let message = message.lines().next().unwrap_or("").trim_start_matches("fatal: ");
        bail!("git says: {}", if message.is_empty() { "nothing" } else { message });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches(['\n', '\r']).to_owned())
}

fn run(folder: &Path, arguments: &[&str]) -> anyhow::Result<Output> {
    let command = cmd("git", arguments).dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    let output = command.stdin_null().stdout_capture().stderr_capture().unchecked().run();
    output.context("git cannot be started; results of a revision are read by it. Install git, or name a folder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::folder::SUMMARY;

    fn git(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let all: Vec<&str> = identity.iter().chain(arguments).copied().collect();
        cmd("git", all).dir(folder).stdin_null().stdout_null().stderr_null().run().unwrap();
    }

    const NAME: &str = "2026-11-30T171522Z-3f9c2a1";

    /// A repository with a result that was committed, tagged, and deleted again; `None` without git.
    fn repository() -> Option<tempfile::TempDir> {
        cmd!("git", "--version").stdout_null().stderr_null().run().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let result = folder.path().join("results").join(NAME);
        fs::create_dir_all(&result).unwrap();
        fs::write(result.join(SUMMARY), "{}").unwrap();
        git(folder.path(), &["init", "--quiet"]);
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "--quiet", "--message", "a result"]);
        git(folder.path(), &["tag", "v1"]);
        git(folder.path(), &["rm", "-r", "--quiet", "results"]);
        git(folder.path(), &["commit", "--quiet", "--allow-empty", "--message", "gone"]);
        Some(folder)
    }

    #[test]
    fn a_revision_is_read_without_its_files_on_disk() {
        let Some(folder) = repository() else { return };
        let root = folder.path().join("results");
        assert!(!root.exists());
        let tree = Tree::at_revision(&root, "v1").unwrap();
        assert_eq!(tree.names().unwrap(), [NAME]);
        assert_eq!(tree.file(NAME, SUMMARY).unwrap().unwrap(), b"{}");
        assert_eq!(tree.file(NAME, "other.json").unwrap(), None);
        assert_eq!(Tree::at_revision(&root, "HEAD").unwrap().names().unwrap(), [""; 0]);
        assert!(!root.exists(), "the work tree is left alone");
    }

    #[test]
    fn a_folder_of_results_that_is_there_is_asked_from_within() {
        let Some(folder) = repository() else { return };
        let root = folder.path().join("results");
        fs::create_dir(&root).unwrap();
        assert_eq!(Tree::at_revision(&root, "HEAD~1").unwrap().names().unwrap(), [NAME]);
    }

    #[test]
    fn a_result_may_be_written_as_git_would() {
        let Some(folder) = repository() else { return };
        let tree = Tree::at_revision(&folder.path().join("results"), "v1").unwrap();
        let path = format!("results/{NAME}");
        for (text, name) in [
            ("results", ""),
            ("results/", ""),
            (path.as_str(), NAME),
            (&format!("{path}/"), NAME),
            ("results/latest~1", "latest~1"),
            ("latest", "latest"),
            ("results-of-old", "results-of-old"),
        ] {
            assert_eq!(tree.name_in(text), name, "{text}");
        }
    }

    #[test]
    fn a_bare_clone_has_results_too() {
        let Some(folder) = repository() else { return };
        let bare = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().to_str().unwrap(), bare.path().to_str().unwrap());
        git(folder.path(), &["clone", "--quiet", "--bare", from, to]);
        assert_eq!(Tree::at_revision(bare.path(), "v1").unwrap().file(NAME, SUMMARY).unwrap().unwrap(), b"{}");
    }

    #[test]
    fn what_git_does_not_know_is_an_error_that_names_it() {
        let Some(folder) = repository() else { return };
        let root = folder.path().join("results");
        for revision in ["v2", "--all", "HEAD~9", "v1^{tree}"] {
            let error = Tree::at_revision(&root, revision).unwrap_err().to_string();
            assert_eq!(error, format!("git knows no revision `{revision}`"));
        }
        let outside = tempfile::tempdir().unwrap();
        let error = Tree::at_revision(outside.path(), "HEAD").unwrap_err().to_string();
        assert!(error.starts_with("git says: not a git repository"), "{error}");
    }
}
