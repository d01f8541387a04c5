//! What an interpreter says of itself, and how that reads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::language::Language;
use crate::engine::ask::{NoAnswer, ask};
use crate::engine::spawn::WorkerCommand;

/// What an interpreter says of itself. What it does not tell is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Identity {
    /// Its implementation, such as `CPython`.
    pub implementation: String,
    /// Its version.
    pub version: String,
    /// Its file, links resolved.
    pub executable: PathBuf,
    /// Whether it was built so that it can run without a GIL.
    #[serde(default)]
    pub built_without_gil: Option<bool>,
    /// Whether it has a GIL now.
    #[serde(default)]
    pub gil_enabled: Option<bool>,
    /// Whether it has a pool of interpreters.
    #[serde(default)]
    pub interpreters: Option<bool>,
    /// Whether it has Ractors.
    #[serde(default)]
    pub ractors: Option<bool>,
    /// Whether it was built with YJIT.
    #[serde(default)]
    pub yjit: Option<bool>,
    /// Whether YJIT is on now.
    #[serde(default)]
    pub yjit_enabled: Option<bool>,
}

/// Why a program is no interpreter that can be used.
#[derive(Debug)]
pub enum NoIdentity {
    /// It is a placeholder of a version manager for something that is not chosen, or not there.
    NotThere,
    /// It did not answer, or not well.
    NoAnswer(NoAnswer),
    /// It answered with something else.
    Garbage(String),
}

impl fmt::Display for NoIdentity {
    /// The second half of a sentence: `did not answer within 5s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere => f.write_str("stands for an interpreter that is not there"),
            Self::NoAnswer(error) => error.fmt(f),
            Self::Garbage(said) if said.is_empty() => f.write_str("said nothing when it was asked what it is"),
            Self::Garbage(said) => write!(f, "answered {said:?} when it was asked what it is"),
        }
    }
}

/// With this a shell, and what stands in for a program of `pyenv` and `rbenv`, says that there is no such program.
const NO_SUCH_PROGRAM: i32 = 127;

impl Identity {
    /// Asks a program.
    ///
    /// # Errors
    /// It does not answer as an interpreter of the language does.
    pub fn ask(language: Language, program: &Path, limit: Duration) -> Result<Self, NoIdentity> {
        let arguments = language.question().map(str::to_owned).to_vec();
        let command = WorkerCommand { arguments, ..WorkerCommand::of(program.to_owned()) };
        match ask(&command, limit) {
            Ok(answer) => Self::read(&answer.stdout),
            Err(NoAnswer::Failed(answer)) if answer.status.code() == Some(NO_SUCH_PROGRAM) => Err(NoIdentity::NotThere),
            Err(error) => Err(NoIdentity::NoAnswer(error)),
        }
    }

    /// The answer, wherever it stands: some installations greet first.
    fn read(text: &str) -> Result<Self, NoIdentity> {
        let answers = text.lines().filter(|line| line.contains("\"parallax\""));
        answers.filter_map(|line| serde_json::from_str(line).ok()).next_back().ok_or_else(|| {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            NoIdentity::Garbage(line.trim().chars().take(60).collect())
        })
    }

    /// The first two numbers of its version.
    #[must_use]
    pub fn version_numbers(&self) -> Option<(u32, u32)> {
        let mut parts = self.version.split('.').map(|part| part.parse().ok());
        Some((parts.next()??, parts.next()??))
    }

    /// What a matrix may call it: `python3.14t`, `pypy3.10`, `ruby3.1`.
    #[must_use]
    pub fn short_name(&self) -> String {
        let stem = match self.implementation.to_lowercase() {
            name if name == "cpython" => "python".to_owned(),
            name => name,
        };
        let version =
            self.version_numbers().map_or_else(|| self.version.clone(), |(major, minor)| format!("{major}.{minor}"));
        format!("{stem}{version}{}", self.suffix())
    }

    /// The same with its whole version, for a machine that has several of the short one.
    #[must_use]
    pub fn long_name(&self) -> String {
        let short = self.short_name();
        let stem = short.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.' || sign == 't');
        format!("{stem}{}{}", self.version, self.suffix())
    }

    fn suffix(&self) -> &'static str {
        if self.built_without_gil == Some(true) { "t" } else { "" }
    }

    /// What is worth knowing of it, in a line: `CPython 3.11.7, has a GIL`.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut parts = vec![format!("{} {}", self.implementation, self.version)];
        let mut say = |part: &str| parts.push(part.to_owned());
        match (self.built_without_gil, self.gil_enabled) {
            (Some(true), Some(false)) => say("free-threaded: built without a GIL, and it is off"),
            (Some(true), Some(true)) => say("built without a GIL, but it is on now (PYTHON_GIL, or an extension)"),
            (Some(true), None) => say("built without a GIL"),
            (_, Some(true)) => say("has a GIL"),
            _ => {}
        }
        if self.interpreters == Some(true) {
            say("a pool of interpreters");
        }
        // Other Rubies have no such lock, and do not say so.
        if let Some(ractors) = self.ractors.filter(|_| self.implementation == "ruby") {
            say(if ractors { "has a GVL and Ractors" } else { "has a GVL, no Ractors" });
        }
        match (self.yjit, self.yjit_enabled) {
            (Some(true), Some(true)) => say("YJIT is on"),
            (Some(true), _) => say("YJIT is built in, and off"),
            _ => {}
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(implementation: &str, version: &str) -> Identity {
        Identity::read(&format!(
            r#"{{"parallax": 1, "implementation": "{implementation}", "version": "{version}", "executable": "/x"}}"#
        ))
        .unwrap()
    }

    #[test]
    fn names_are_those_that_people_use() {
        let mut free = identity("CPython", "3.14.0rc2");
        free.built_without_gil = Some(true);
        let all = [identity("CPython", "3.11.7"), free, identity("PyPy", "3.10.14"), identity("ruby", "3.1.2")];
        let names = all.clone().map(|identity| identity.short_name());
        assert_eq!(names, ["python3.11", "python3.14t", "pypy3.10", "ruby3.1"]);
        let names = all.map(|identity| identity.long_name());
        assert_eq!(names, ["python3.11.7", "python3.14.0rc2t", "pypy3.10.14", "ruby3.1.2"]);
    }

    #[test]
    fn the_state_of_the_gil_is_told_for_the_build_and_for_now() {
        let told = |built, enabled| {
            Identity { built_without_gil: built, gil_enabled: enabled, ..identity("CPython", "3.14.0") }.describe()
        };
        assert_eq!(told(Some(false), Some(true)), "CPython 3.14.0, has a GIL");
        assert_eq!(told(Some(true), Some(false)), "CPython 3.14.0, free-threaded: built without a GIL, and it is off");
        assert_eq!(
            told(Some(true), Some(true)),
            "CPython 3.14.0, built without a GIL, but it is on now (PYTHON_GIL, or an extension)"
        );
        assert_eq!(told(None, None), "CPython 3.14.0");
    }

    #[test]
    fn a_greeting_before_the_answer_does_no_harm() {
        let text = "Welcome!\n{\"parallax\": 1, \"implementation\": \"ruby\", \"version\": \"3.3.0\", \"executable\": \"/r\", \
                    \"ractors\": true, \"yjit\": true, \"yjit_enabled\": false}\nbye\n";
        let identity = Identity::read(text).unwrap();
        assert_eq!(identity.describe(), "ruby 3.3.0, has a GVL and Ractors, YJIT is built in, and off");
    }

    #[test]
    fn anything_else_is_quoted() {
        let said = |text: &str| Identity::read(text).unwrap_err().to_string();
        assert_eq!(said("\nhello\n"), "answered \"hello\" when it was asked what it is");
        assert_eq!(said(""), "said nothing when it was asked what it is");
        assert_eq!(said("{\"parallax\": 1}"), "answered \"{\\\"parallax\\\": 1}\" when it was asked what it is");
    }
}
