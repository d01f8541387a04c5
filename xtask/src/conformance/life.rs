//! A worker's end: when stdin ends, when its parent dies; and that nothing of it is left.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use protocol::{Job, PARENT_PID_VARIABLE, Reply};

use super::Inspector;
use super::ledger::{Breach, Ledger};
use super::rules::Rule;
use super::support::Known;
use super::talk::{Answer, Stop, Talk};
use crate::engine::spawn::WorkerCommand;

/// Starts the worker as its child, tells it so, and lives until it is killed. The worker has our pipe as its stdin.
const AS_PARENT: &str = "exec 3<&0; PARALLAX_PARENT_PID=$$ \"$@\" <&3 3<&- & exec <&- >&-; wait";
/// Becomes the worker, which is told that its parent is somebody else.
const OF_ANOTHER: &str = "PARALLAX_PARENT_PID=1 exec \"$@\"";

pub(super) fn check(inspector: &Inspector<'_>, known: &Known, ledger: &mut Ledger) -> Result<(), Stop> {
    let mut talk = inspector.start()?;
    ledger.note(Rule::EndWithoutJob, ends_well(&mut talk, "no job", inspector.limits.exit)?);
    ledger.note(Rule::Children, nothing_left(talk, "the end without a job"));

    let mut talk = inspector.start()?;
    let result = match talk.prepare(&known.base, "a job and a run")? {
        Err(breach) => Err(breach),
        Ok(_) => {
            let run = if matches!(known.base, Job::Load(_)) { None } else { Some(talk.run(false)?) };
            match run {
                None | Some(Answer::Reply(Reply::Sample(_) | Reply::Served(_) | Reply::Load(_))) => {
                    ends_well(&mut talk, "a job and a run", inspector.limits.exit)?
                }
                // A mail server's answer has a word of its own.
                Some(_) if matches!(known.base, Job::Mail(_)) => {
                    ends_well(&mut talk, "a job and a run", inspector.limits.exit)?
                }
                Some(_) => Err(talk.breach("a job and a run", "the answer to a run")),
            }
        }
    };
    ledger.note(Rule::EndWithJob, result);
    ledger.note(Rule::Children, nothing_left(talk, "the end after a run"));
    parent(inspector, known, ledger)
}

/// Whether it exits with status 0 when stdin ends, and writes nothing more.
pub(super) fn ends_well(talk: &mut Talk, case: &str, limit: Duration) -> Result<Result<(), Breach>, Stop> {
    talk.close_stdin();
    let (wrote, status) = talk.wait_for_end(limit)?;
    Ok(match (wrote, status) {
        (None, Some(status)) if status.success() => Ok(()),
        (Some(line), _) => Err(talk.breach_by(case, line, "nothing more, as nobody asked")),
        _ => Err(talk.breach(case, "when stdin ends, it exits with status 0")),
    })
}

/// Ends it and tells whether there was something to end.
pub(super) fn nothing_left(talk: Talk, case: &str) -> Result<(), Breach> {
    let breach = talk.breach(case, "no process of it lives after its end");
    match talk.end().as_slice() {
        [] => Ok(()),
        warnings => Err(Breach { answered: warnings.join("; "), ..breach }),
    }
}

/// What it does when its parent dies, or is another one than it was told.
fn parent(inspector: &Inspector<'_>, known: &Known, ledger: &mut Ledger) -> Result<(), Stop> {
    if !cfg!(target_os = "linux") {
        ledger.not_checked(Rule::DiesWithParent, "only Linux tells");
        return Ok(());
    }
    let mut talk = inspector.start_as(&through_shell(inspector.command, AS_PARENT))?;
    let case = format!("its parent, {PARENT_PID_VARIABLE}, is killed after `ready`");
    let result = match talk.prepare(&known.base, &case)? {
        Err(breach) => Err(breach),
        Ok(_) => {
            talk.dialogue().kill_leader();
            let deadline = Instant::now() + inspector.limits.exit;
            // Its stdin is still open: that is not why it ends.
            while !talk.dialogue().others().is_empty() && Instant::now() < deadline && !inspector.control.stopped() {
                std::thread::sleep(Duration::from_millis(10));
            }
            let left = talk.dialogue().others();
            match left.first() {
                None => Ok(()),
                Some(seen) => {
                    let did = format!("{} (process {}) lived on", seen.name, seen.pid);
                    Err(talk.breach_by(&case, did, "it dies too, though its stdin is still open"))
                }
            }
        }
    };
    ledger.note(Rule::DiesWithParent, result);
    talk.end();

    let mut talk = inspector.start_as(&through_shell(inspector.command, OF_ANOTHER))?;
    let case = format!("{PARENT_PID_VARIABLE} is 1, which is not its parent");
    let (_, status) = talk.wait_for_end(inspector.limits.exit)?;
    let result = match status {
        Some(_) => Ok(()),
        None => Err(talk.breach(&case, "it exits at once")),
    };
    ledger.note(Rule::OtherParent, result);
    talk.end();
    Ok(())
}

/// The command, started by a script of the shell.
fn through_shell(command: &WorkerCommand, script: &str) -> WorkerCommand {
    let mut arguments = vec!["-c".to_owned(), script.to_owned(), "sh".to_owned()];
    arguments.push(command.program.display().to_string());
    arguments.extend(command.arguments.iter().cloned());
    WorkerCommand { program: PathBuf::from("/bin/sh"), arguments, ..command.clone() }
}
