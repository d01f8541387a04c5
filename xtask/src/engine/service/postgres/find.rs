//! Which PostgreSQL there is: one that runs, or programs to start one with.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::engine::binaries::NotFound;
use crate::engine::service::programs::{self, ask};

/// Environment variable that names a PostgreSQL server to use instead.
pub const URL_VARIABLE: &str = "DATABASE_URL";

/// Where distributions put the server's programs, none of which is on the PATH: a folder for each version.
const FOLDERS: &[&str] = &["/usr/lib/postgresql", "/usr/libexec/postgresql", "/opt/homebrew/opt"];

/// A PostgreSQL that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A server that runs already.
    Running {
        /// How to connect to it.
        url: String,
    },
    /// Programs to make a cluster with.
    Programs {
        /// Makes a cluster.
        initdb: PathBuf,
        /// The server.
        postgres: PathBuf,
        /// Such as `PostgreSQL 15.18`.
        version: String,
    },
}

impl Found {
    /// What it is, without a password: for the record.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Running { url } => format!("{URL_VARIABLE}: {}", without_password(url)),
            Self::Programs { version, .. } => format!("{version}, a throw-away cluster on a Unix socket, fsync off"),
        }
    }
}

/// Looks for a server that runs, then for programs to start one with.
///
/// # Errors
/// There is neither.
pub fn find() -> Result<Found, NotFound> {
    match env::var(URL_VARIABLE) {
        Ok(url) if !url.trim().is_empty() => Ok(Found::Running { url }),
        _ => find_programs(&program_folders()).ok_or_else(|| programs::missing("postgres")),
    }
}

/// The folders of the PATH, then those of distributions, the newest version first.
fn program_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    for folder in FOLDERS {
        let versions = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut versions: Vec<PathBuf> = versions.map(|entry| entry.path()).collect();
        let number = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or(0)
        };
        versions.sort_by_key(|path| std::cmp::Reverse(number(path)));
        folders.extend(versions.into_iter().map(|version| version.join("bin")));
    }
    folders
}

/// The first folder that has both programs, which then are of one version.
fn find_programs(folders: &[PathBuf]) -> Option<Found> {
    folders.iter().find_map(|folder| {
        let (initdb, postgres) = (folder.join("initdb"), folder.join("postgres"));
        if !initdb.is_file() || !postgres.is_file() {
            return None;
        }
        // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        let said = ask(&postgres, "--version")?;
        let number = said.split_once("(PostgreSQL) ")?.1.split_whitespace().next()?.to_owned();
        Some(Found::Programs { initdb, postgres, version: format!("PostgreSQL {number}") })
    })
}

/// `postgresql://user:secret@host/db` without the secret, also as `password=secret`.
fn without_password(url: &str) -> String {
    if let Some((scheme, rest)) = url.split_once("://") {
        // Parameters may hold a password as well.
        let rest = rest.split('?').next().unwrap_or_default();
        return match rest.rsplit_once('@') {
            Some((user, place)) => format!("{scheme}://{}@{place}", user.split(':').next().unwrap_or_default()),
            None => format!("{scheme}://{rest}"),
        };
    }
    let words = url.split_whitespace().filter(|word| !word.starts_with("password"));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_recorded() {
        for (url, shown) in [
            ("postgresql://me:secret@db:5432/x?sslmode=disable", "postgresql://me@db:5432/x"),
            ("postgresql://me:s/c@ret@db", "postgresql://me@db"),
            ("postgresql://me@db/x", "postgresql://me@db/x"),
            ("postgresql:///x?password=secret", "postgresql:///x"),
            ("host=/tmp user=me password=secret dbname=x", "host=/tmp user=me dbname=x"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn a_folder_with_only_one_of_the_programs_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("initdb"), "").unwrap();
        assert_eq!(find_programs(&[folder.path().to_owned()]), None);
    }
}
