//! The interpreters of this machine.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Every Python that this machine has, by its version, in ascending order: on the PATH, or under `~/.pyenv/versions`. A
/// free-threaded build is another one than the same version with a GIL.
pub fn pythons() -> Vec<(Version, PathBuf)> {
    let home = env::var("HOME").unwrap_or_default();
    let folders = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .chain(glob::glob(&format!("{home}/.pyenv/versions/*/bin")).unwrap().flatten())
        .filter(|folder| !folder.ends_with("shims")) // scripts that start one of the others
        .collect::<Vec<_>>();
    let names = |folder: &PathBuf| glob::glob(&format!("{}/python3*", folder.display())).unwrap().flatten();
    let candidates = folders.iter().flat_map(names).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.trim_start_matches("python").chars().all(|c| c.is_ascii_digit() || c == '.' || c == 't')
    });
    let script =
        "import sys, sysconfig as s; print(*sys.version_info[:3], int(bool(s.get_config_var('Py_GIL_DISABLED'))))";
    let found: BTreeMap<Version, PathBuf> =
        candidates.filter_map(|path| Some((version(&path, &["-c", script])?, path))).collect();
    found.into_iter().collect()
}

/// The Ruby on the PATH.
pub fn ruby() -> Option<(Version, PathBuf)> {
    let script = "puts RUBY_VERSION.tr('.', ' ')";
    Some((version(Path::new("ruby"), &["-e", script])?, PathBuf::from("ruby")))
}

/// Major, minor and patch version, and 1 for a free-threaded build.
pub type Version = Vec<u32>;

fn version(interpreter: &Path, arguments: &[&str]) -> Option<Version> {
    let output = Command::new(interpreter).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let numbers = String::from_utf8(output.stdout).ok()?;
    let version: Option<Version> = numbers.split_whitespace().map(|number| number.parse().ok()).collect();
    version.filter(|version| output.status.success() && version.len() >= 3)
}
