//! The programs and servers that everyday operations need.

use std::env;
use std::path::Path;

use super::{Finding, State, Topic};
use crate::engine::binaries::NotFound;
use crate::engine::build::workspace;
use crate::engine::service::postgres::{self, Found};
use crate::engine::service::programs::{self, Program};
use crate::engine::service::scratch;

/// Looks for programs and servers. Programs are asked for their version; nothing is started.
#[must_use]
pub fn findings() -> Vec<Finding> {
    vec![
        database(postgres::find()),
        program("ImageMagick", "`resize-image` by command", programs::find_image_magick()),
        program("zip", "`zip` by command", programs::find_zip()),
        program("sleep", "`command` as it is by default", programs::find("sleep")),
        ours("SQLite", "a library inside `everyday-worker`, for `db-select`"),
        ours("mail server", "our own `mail-sink`, for `smtp-send`"),
        ours("HTTP server", "our own `server`, for `http-get`"),
        place(&workspace().join("target")),
    ]
}

fn finding(subject: &str, state: State, found: String, advice: Option<String>) -> Finding {
    Finding { topic: Topic::Services, subject: subject.to_owned(), state, found, advice, paste: String::new() }
}

fn database(found: Result<Found, NotFound>) -> Finding {
    const SUBJECT: &str = "PostgreSQL";
    match found {
        Ok(found @ Found::Running { .. }) => finding(SUBJECT, State::Good, found.describe(), None),
        Ok(Found::Programs { postgres, version, .. }) => {
            let found = format!("{version}, {}: a throw-away cluster is made where it is needed", postgres.display());
            finding(SUBJECT, State::Good, found, None)
        }
        Err(missing) => {
            let advice = format!(
                "{}, or set {} to a server that runs: for `db-select`",
                missing.install.unwrap_or_default(),
                postgres::URL_VARIABLE
            );
            finding(SUBJECT, State::Missing, "no initdb and postgres".to_owned(), Some(advice))
        }
    }
}

fn program(subject: &str, purpose: &str, found: Result<Program, NotFound>) -> Finding {
    match found {
        Ok(Program { path, version }) => {
            let version = version.map(|version| format!("{version}, ")).unwrap_or_default();
            finding(subject, State::Good, format!("{version}{}", path.display()), None)
        }
        Err(missing) => {
            let advice = missing.install.as_ref().map(|install| format!("{install}: for {purpose}"));
            finding(subject, State::Missing, format!("{} is not on the PATH", missing.program), advice)
        }
    }
}

/// What is built with the workers and so always there.
fn ours(subject: &str, found: &str) -> Finding {
    finding(subject, State::Good, found.to_owned(), None)
}

/// Where file operations work by default.
fn place(folder: &Path) -> Finding {
    // It is made by the first build; until then its parent tells.
    let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let Some(system) = scratch::file_system(there) else {
        return finding("file system", State::Note, format!("of {}: not known", folder.display()), None);
    };
    let found = format!("{system}, in {}", shown(folder));
    match system.as_str() {
        "tmpfs" | "ramfs" => {
            let advice = "files there are in memory: `folder` of a file operation names a place on a disk".to_owned();
            finding("file system", State::Hurts, found, Some(advice))
        }
        _ => finding("file system", State::Good, found, None),
    }
}

/// A path as seen from where the command was given.
fn shown(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_the_way_to_get_it_and_what_it_is_for() {
        let missing = program("zip", "`zip` by command", Err(programs::missing("zip")));
        assert_eq!((missing.state, missing.found.as_str()), (State::Missing, "zip is not on the PATH"));
        assert_eq!(missing.advice.as_deref(), Some("apt install zip: for `zip` by command"));
        let database = database(Err(programs::missing("postgres")));
        let advice = "apt install postgresql, or set DATABASE_URL to a server that runs: for `db-select`";
        assert_eq!((database.state, database.advice.as_deref()), (State::Missing, Some(advice)));
    }

    #[test]
    fn a_program_is_told_by_its_version_and_place() {
        let found = Program { path: "/usr/bin/zip".into(), version: Some("Zip 3.0".to_owned()) };
        let found = program("zip", "", Ok(found));
        assert_eq!((found.state, found.found.as_str(), found.advice), (State::Good, "Zip 3.0, /usr/bin/zip", None));
    }

    #[test]
    fn files_in_memory_are_told() {
        #[cfg(target_os = "linux")]
        if Path::new("/dev/shm").is_dir() && scratch::file_system(Path::new("/dev/shm")).as_deref() == Some("tmpfs") {
            assert_eq!(place(Path::new("/dev/shm/no-such-folder")).state, State::Hurts);
        }
    }
}
