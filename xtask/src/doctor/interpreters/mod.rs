//! Pythons and Rubies of this machine, and whether they have a lock.
//!
//! | file | what lives there |
//! | --- | --- |
//! | [`language`] | the languages that have a worker here |
//! | [`places`] | where interpreters may be |
//! | [`identity`] | what one says of itself |
//!
//! Here is what becomes of that: a finding for each, with the table of a matrix to paste.

pub mod identity;
pub mod language;
pub mod places;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::{Finding, State, Topic};
use identity::{Identity, NoIdentity};
use language::Language;
use places::{Candidate, Places};

/// How long an interpreter may take to say what it is.
pub const LIMIT: Duration = Duration::from_secs(5);

/// Looks for interpreters on the PATH and those that `uv`, `pyenv` and `rbenv` manage.
#[must_use]
pub fn findings() -> Vec<Finding> {
    findings_in(&Places::of_this_machine(), LIMIT)
}

/// An interpreter that answered, and the file by which it was found.
#[derive(Debug)]
struct Interpreter {
    language: Language,
    identity: Identity,
}

/// The findings for these places; each interpreter is given so long for its answer.
#[must_use]
pub fn findings_in(places: &Places, limit: Duration) -> Vec<Finding> {
    let mut interpreters: Vec<Interpreter> = Vec::new();
    let mut broken = Vec::new();
    for (candidate, answer) in ask_all(places.candidates(), limit) {
        match answer {
            // Reached by another name before: a link in a script, say.
            Ok(identity) if interpreters.iter().any(|known| known.identity.executable == identity.executable) => {}
            Ok(identity) => interpreters.push(Interpreter { language: candidate.language, identity }),
            Err(NoIdentity::NotThere) => {}
            Err(error) => broken.push(not_usable(candidate.path, &error)),
        }
    }
    interpreters.sort_by_key(|one| (one.language, one.identity.version_numbers(), one.identity.version.clone()));
    let mut findings: Vec<Finding> = interpreters.iter().map(|interpreter| found(interpreter, &interpreters)).collect();
    findings.extend(broken);
    findings.extend(missing(&interpreters));
    findings
}

/// Asks all at the same time: each takes a while to start, and one that hangs keeps nobody waiting but us.
fn ask_all(candidates: Vec<Candidate>, limit: Duration) -> Vec<(Candidate, Result<Identity, NoIdentity>)> {
    thread::scope(|scope| {
        let asked: Vec<_> = candidates
            .into_iter()
            .map(|candidate| {
                scope.spawn(move || {
                    let answer = Identity::ask(candidate.language, &candidate.path, limit);
                    (candidate, answer)
                })
            })
            .collect();
        asked.into_iter().map(|thread| thread.join().expect("asking does not panic")).collect()
    })
}

fn finding(subject: String, state: State, found: String, advice: Option<String>) -> Finding {
    Finding { topic: Topic::Interpreters, subject, state, found, advice, paste: String::new() }
}

fn found(interpreter: &Interpreter, all: &[Interpreter]) -> Finding {
    let Interpreter { language, identity } = interpreter;
    let short = identity.short_name();
    let alone = all.iter().filter(|other| other.identity.short_name() == short).count() == 1;
    let name = if alone { short } else { identity.long_name() };
    let path = identity.executable.display().to_string();
    let what = format!("{}; {path}", identity.describe());
    let (major, minor) = language.oldest();
    if identity.version_numbers().is_some_and(|version| version < (major, minor)) {
        let advice = format!("too old for the worker, which needs {} {major}.{minor}", language.name());
        return finding(name, State::Note, what, Some(advice));
    }
    let paste = format!(
        "[[runtime]]\nname    = {}\ncommand = [{}, {}]\n",
        toml_text(&name),
        toml_text(&path),
        toml_text(language.worker())
    );
    Finding { paste, ..finding(name, State::Good, what, None) }
}

/// A text as TOML writes it, which is as JSON does.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn not_usable(path: PathBuf, error: &NoIdentity) -> Finding {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let advice = "it cannot be measured; run it by hand to see what is wrong".to_owned();
    finding(name, State::Note, format!("{} {error}", path.display()), Some(advice))
}

/// What would be worth having and is not there.
fn missing(interpreters: &[Interpreter]) -> Vec<Finding> {
    let has = |language: Language| interpreters.iter().any(|one| one.language == language);
    let free_threaded = interpreters.iter().any(|one| one.identity.built_without_gil == Some(true));
    let mut missing = Vec::new();
    let mut say = |subject: &str, advice: &str| {
        let nothing = "not found on the PATH, nor in the folders of uv, pyenv and rbenv".to_owned();
        missing.push(finding(subject.to_owned(), State::Missing, nothing, Some(advice.to_owned())));
    };
    if !has(Language::Python) {
        say("Python", "`uv python install 3.14` or `apt install python3`: a real GIL beside the emulated one");
    }
    if !free_threaded {
        say("Python without a GIL", "`uv python install 3.14t`: free threads beside the GIL, in the same language");
    }
    if !has(Language::Ruby) {
        say("Ruby", "`apt install ruby`: a real GVL beside the emulated one");
    }
    missing
}
