//! Whether a program is a worker: it is given jobs, right ones and wrong ones, and each answer is held against
//! `docs/protocol.md`. Nothing is measured.
//!
//! | file | what lives there |
//! | --- | --- |
//! | [`rules`] | what is checked: each rule with its section of the protocol |
//! | [`ledger`] | which rules held, and how others were broken |
//! | `talk` | one worker, what it was sent and what it answered |
//! | `jobs` | the jobs that it is asked |
//! | `reference` | what each operation computes: the checksum that is expected |
//! | `support` | what the worker can do |
//! | `lines` | lines: empty, wrong, of another version, with fields that nobody knows |
//! | `life` | its end: of stdin, of its parent, of its children |
//! | `batch`, `serve`, `load` | the three kinds of jobs |
//! | `http`, `target` | a client for its server, a server for its load |

mod batch;
mod http;
mod jobs;
pub mod ledger;
mod life;
mod lines;
mod load;
mod reference;
pub mod rules;
mod serve;
mod support;
mod talk;
mod target;

use std::time::Duration;

use serde::Serialize;

pub use ledger::{Breach, Outcome, Verdict};
pub use support::Support;

use crate::engine::dialogue::Stage;
use crate::engine::signals::Control;
use crate::engine::spawn::WorkerCommand;
use ledger::Ledger;
use rules::Level;
use talk::Stop;

/// What came of the check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What the worker calls itself; `None` where it never got ready.
    pub worker: Option<String>,
    /// What executes its tasks, by its own account.
    pub runtime: Option<String>,
    /// What it can do.
    pub support: Support,
    /// Every rule with what came of it.
    pub verdicts: Vec<Verdict>,
    /// Whether every rule was checked that could be: somebody may have asked to stop.
    pub complete: bool,
}

impl Report {
    /// Whether it breaks nothing that a worker must do.
    #[must_use]
    pub fn conforms(&self) -> bool {
        self.complete
            && self.verdicts.iter().all(|verdict| verdict.level == Level::Should || verdict.outcome != Outcome::Broken)
    }
}

/// How long a worker may take for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For an answer: to a job, or to a run of the small jobs that are asked here.
    pub answer: Duration,
    /// For its end.
    pub exit: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer: Duration::from_secs(15), exit: Duration::from_secs(5) }
    }
}

/// Who checks: where workers are started, which, and how long they may take.
struct Inspector<'a> {
    stage: &'a Stage,
    command: &'a WorkerCommand,
    control: &'a Control,
    limits: Limits,
}

/// Checks a worker. It is started many times, one process at a time; none is left.
///
/// # Errors
/// The folder for its files cannot be made.
pub fn check(stage: &Stage, command: &WorkerCommand, control: &Control, limits: Limits) -> std::io::Result<Report> {
    let inspector = Inspector { stage, command, control, limits };
    let folder = jobs::Folder::new()?;
    let mut ledger = Ledger::default();
    let mut report =
        Report { worker: None, runtime: None, support: Support::default(), verdicts: Vec::new(), complete: false };
    let result = inspect(&inspector, &folder, &mut ledger, &mut report);
    if let Err(Stop::NotStarted(reason)) = &result {
        let breach = Breach {
            case: "starting it".to_owned(),
            sent: Vec::new(),
            answered: reason.clone(),
            expected: "a process".to_owned(),
            stderr_tail: Vec::new(),
        };
        ledger.note(rules::Rule::Started, Err(breach));
    }
    report.complete = !matches!(result, Err(Stop::Interrupted));
    report.verdicts = ledger.into_verdicts();
    Ok(report)
}

fn inspect(
    inspector: &Inspector<'_>,
    folder: &jobs::Folder,
    ledger: &mut Ledger,
    report: &mut Report,
) -> Result<(), Stop> {
    let Some(known) = support::ask(inspector, folder, ledger, report)? else { return Ok(()) };
    lines::check(inspector, &known, ledger)?;
    life::check(inspector, &known, ledger)?;
    batch::check(inspector, folder, &known, ledger)?;
    serve::check(inspector, &report.support, ledger)?;
    load::check(inspector, &report.support, ledger)
}
