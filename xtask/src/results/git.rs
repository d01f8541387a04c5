//! Commit and state of the working tree. Outside a repository, or without git, nothing is known and nothing is said.

use std::path::Path;

use duct::cmd;
use serde::{Deserialize, Serialize};

/// What git says of a working tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitState {
    /// The full hash of the commit that is checked out.
    pub commit: String,
    /// Whether tracked files were changed or staged, or untracked ones added. Files of results do not count.
    pub dirty: bool,
}

/// Asks git about the repository that `folder` is in. `results` is where results are kept: a run makes files there,
/// which does not change what it measures.
#[must_use]
pub fn state(folder: &Path, results: &Path) -> Option<GitState> {
    let commit = git(folder, &["rev-parse", "HEAD"])?.trim().to_owned();
    let top = git(folder, &["rev-parse", "--show-toplevel"])?;
    let top = Path::new(top.trim_end_matches('\n'));
    let mut arguments: Vec<String> =
        ["status", "--porcelain", "--untracked-files=normal", "--", ":(top)"].map(str::to_owned).to_vec();
    // Git refuses a path outside the repository.
    if let Some(inside) = results.canonicalize().ok().as_deref().and_then(|path| path.strip_prefix(top).ok())
        && !inside.as_os_str().is_empty()
    {
        arguments.push(format!(":(top,exclude,literal){}", inside.display()));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let status = git(folder, &arguments)?;
    Some(GitState { commit, dirty: !status.trim().is_empty() })
}

/// What a git command prints; `None` where it fails, silently. `GIT_OPTIONAL_LOCKS=0` keeps `status` from writing the
/// index while someone else works in the tree.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    cmd("git", arguments).dir(folder).env("GIT_OPTIONAL_LOCKS", "0").stdin_null().stderr_null().read().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn run(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let all: Vec<&str> = identity.iter().chain(arguments).copied().collect();
        cmd("git", all).dir(folder).stdin_null().stdout_null().stderr_null().run().unwrap();
    }

    fn has_git() -> bool {
        cmd!("git", "--version").stdout_null().stderr_null().run().is_ok()
    }

    #[test]
    fn outside_a_repository_nothing_is_known() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(state(folder.path(), &folder.path().join("results")), None);
        assert_eq!(state(&folder.path().join("not there"), folder.path()), None);
    }

    #[test]
    fn changed_staged_and_untracked_files_make_a_tree_dirty_and_results_do_not() {
        if !has_git() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let results = top.join("results");
        fs::create_dir(&results).unwrap();
        fs::write(top.join("file"), "1").unwrap();
        run(&top, &["init", "--quiet"]);
        run(&top, &["add", "file"]);
        run(&top, &["commit", "--quiet", "--message", "first"]);
        let dirty = || state(&top, &results).unwrap().dirty;
        assert_eq!(state(&top, &results).unwrap().commit.len(), 40);
        assert!(!dirty());
        fs::write(results.join("README.md"), "a result").unwrap();
        assert!(!dirty());
        fs::write(top.join("new"), "untracked").unwrap();
        assert!(dirty());
        run(&top, &["add", "new"]);
        assert!(dirty());
        run(&top, &["commit", "--quiet", "--message", "second"]);
        assert!(!dirty());
        fs::write(top.join("file"), "2").unwrap();
        assert!(dirty());
    }
}
