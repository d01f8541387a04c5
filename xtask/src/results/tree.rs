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
        if revision.starts_with('-') || revision.is_empty() {
            bail!("`{revision}` is no revision");
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
        let commit = text(&repository, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
            .with_context(|| format!("git knows no revision `{revision}`"))?;
        Ok(Self::Git { repository, commit, path })
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
                let output = run(repository, &["ls-tree", "-z", "--name-only", &place])?;
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
        bail!("git: {}", if message.is_empty() { "it said nothing" } else { message });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches(['\n', '\r']).to_owned())
}

fn run(folder: &Path, arguments: &[&str]) -> anyhow::Result<Output> {
    let command = cmd("git", arguments).dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    let output = command.stdin_null().stdout_capture().stderr_capture().unchecked().run();
    output.context("git cannot be started; results of a revision are read by it. Install git, or name a folder")
}
