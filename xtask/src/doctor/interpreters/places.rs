//! Where interpreters may be: the PATH, and the folders of the tools that install several side by side. Only names are
//! looked at here; nothing is started.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::language::Language;

/// Folders to look through.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The PATH.
    pub path: OsString,
    /// Folders with one folder for each installed version, which has a `bin`.
    pub versions: Vec<PathBuf>,
}

/// A file that may be an interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Of which language, by its name.
    pub language: Language,
    /// The file, as it was found.
    pub path: PathBuf,
}

impl Places {
    /// Those of this machine: the PATH; what `uv`, `pyenv` and `rbenv` have installed, each where its own environment
    /// variable or else its default says.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let folder = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let uv = folder("UV_PYTHON_INSTALL_DIR")
            .unwrap_or_else(|| folder("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")).join("uv/python"));
        let pyenv = folder("PYENV_ROOT").unwrap_or_else(|| home.join(".pyenv")).join("versions");
        let rbenv = folder("RBENV_ROOT").unwrap_or_else(|| home.join(".rbenv")).join("versions");
        Self { path: env::var_os("PATH").unwrap_or_default(), versions: vec![uv, pyenv, rbenv] }
    }

    /// The files there that are called as interpreters are. One that is reached by several links is there once.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate> {
        let on_path = env::split_paths(&self.path).filter(|folder| folder.is_absolute());
        let installed = self.versions.iter().flat_map(|folder| entries(folder)).map(|version| version.join("bin"));
        let mut seen = Vec::new();
        let mut candidates = Vec::new();
        for path in on_path.chain(installed).flat_map(|folder| entries(&folder)) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(language) = Language::of_file_name(name) else { continue };
            let Ok(real) = fs::canonicalize(&path) else { continue };
            if real.is_file() && !seen.contains(&real) {
                seen.push(real);
                candidates.push(Candidate { language, path });
            }
        }
        candidates
    }
}

/// What is in a folder, by name; nothing where there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    entries
}
