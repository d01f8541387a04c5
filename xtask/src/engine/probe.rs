//! Every runtime of a plan is asked once what it is, before anything is measured. The answer is the receipt: a runtime
//! that cannot tell its version is not measured, and all its cells have the same reason.
//!
//! The worker is given a small job, and its `ready` line tells what executes it. Where the matrix has a `version`
//! command, that is asked as well.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use protocol::Ready;

use super::ask::ask;
use super::binaries::resolve_command;
use super::failure::{Failure, FailureKind};
use super::launcher::{Assignment, Duty, Halt, Launcher, with_session};
use super::signals::Control;
use crate::matrix::plan::{Plan, Runtime};

/// For a version command.
const LIMIT: Duration = Duration::from_secs(10);

/// What a runtime told about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Probe {
    /// What its worker said. `None` of a worker that does no batches: it will tell when it is given its first job.
    pub ready: Option<Ready>,
    /// The first line that its version command printed, where the matrix has one.
    pub version: Option<String>,
}

/// By runtime: what it told, or why it did not, which is then the failure of all its cells.
pub type Probes = BTreeMap<String, Result<Probe, Failure>>;

/// Asks every runtime of the plan that has a cell, cells in `skip` (by id) left out.
///
/// What a person should know goes to `warn`. When somebody asks to stop, what there is stays.
pub fn probe(
    plan: &Plan,
    skip: &HashSet<String>,
    probes: &mut Probes,
    launcher: &mut dyn Launcher,
    control: &Control,
    warn: &mut dyn FnMut(String),
) {
    let cells = || plan.scenarios.iter().flat_map(|scenario| &scenario.cells).filter(|cell| !skip.contains(&cell.id));
    for runtime in plan.runtimes.iter().filter(|runtime| cells().any(|cell| cell.runtime == runtime.name)) {
        while !probes.contains_key(&runtime.name) {
            if control.stopped() {
                return;
            }
            let probe = match probe_runtime(runtime, launcher, warn) {
                Ok(probe) => Ok(probe),
                Err(Halt::Failed(failure)) => Err(failure),
                Err(Halt::Suspended) => continue,
                Err(Halt::Interrupted) => return,
            };
            probes.insert(runtime.name.clone(), probe);
        }
    }
}

fn probe_runtime(runtime: &Runtime, launcher: &mut dyn Launcher, warn: &mut dyn FnMut(String)) -> Result<Probe, Halt> {
    let ready = match ready(runtime, launcher, warn) {
        Ok(ready) => Some(ready),
        Err(Halt::Failed(failure)) if failure.kind == FailureKind::Unsupported => None,
        Err(halt) => return Err(halt),
    };
    let version = match &runtime.version {
        Some(command) => Some(version(runtime, command).map_err(Halt::Failed)?),
        None => None,
    };
    Ok(Probe { ready, version })
}

/// What its worker says when it is given a small job.
fn ready(runtime: &Runtime, launcher: &mut dyn Launcher, warn: &mut dyn FnMut(String)) -> Result<Ready, Halt> {
    let label = format!("version of {}", runtime.name);
    let duty = Duty::burn(1);
    let assignment = Assignment { label: &label, runtime: &runtime.name, duty, timeout: LIMIT };
    let ready = with_session(launcher, &assignment, warn, |session| session.prepare())?;
    let nobody = || Halt::failed(FailureKind::BadAnswer, format!("{} said nothing about itself", runtime.name));
    ready.into_iter().next().ok_or_else(nobody)
}

/// The first line that its version command prints.
fn version(runtime: &Runtime, command: &[String]) -> Result<String, Failure> {
    let asked = resolve_command(runtime, command)
        .map_err(|missing| Failure::new(FailureKind::Missing, format!("its version command: {missing}")))?;
    let bad = |why: String| {
        let reason = format!(
            "`{}`, the version command of {}, {why}; a runtime that cannot tell its version is not measured",
            command.join(" "),
            runtime.name
        );
        Err(Failure::new(FailureKind::NotStarted, reason))
    };
    match ask(&asked, LIMIT) {
        // Some print it to stderr.
        Ok(answer) => match answer.stdout.lines().chain(answer.stderr.lines()).find(|line| !line.trim().is_empty()) {
            Some(line) => Ok(line.trim().to_owned()),
            None => bad("printed nothing".to_owned()),
        },
        Err(error) => bad(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::scripted::{ScriptedLauncher, Step, plan_of};
    use super::*;
    use crate::matrix::plan::Order;

    fn plan(version: Option<&[&str]>) -> Plan {
        let mut plan = plan_of(Order::Sequential, 0, 1, &["a", "b"]);
        plan.scenarios[0].cells[1].runtime = "python3".to_owned();
        plan.runtimes = vec![Runtime {
            name: "python3".to_owned(),
            command: vec!["sh".to_owned()],
            version: version.map(|words| words.iter().map(|word| (*word).to_owned()).collect()),
            install: None,
            env: vec![],
            folder: PathBuf::new(),
        }];
        plan
    }

    fn probed(plan: &Plan, launcher: ScriptedLauncher, skip: &HashSet<String>) -> (Probes, Vec<String>) {
        let (mut probes, mut launcher) = (Probes::new(), launcher);
        let mut warnings = Vec::new();
        let control = Control::new().unwrap();
        probe(plan, skip, &mut probes, &mut launcher, &control, &mut |warning| warnings.push(warning));
        let mut log = launcher.log();
        log.extend(warnings);
        (probes, log)
    }

    #[test]
    fn each_runtime_is_asked_once_and_rust_is_not() {
        let (probes, log) = probed(&plan(None), ScriptedLauncher::new(), &HashSet::new());
        assert_eq!(log, ["launch version of python3", "close version of python3"]);
        assert!(matches!(&probes["python3"], Ok(Probe { ready: Some(_), version: None })), "{probes:?}");
    }

    #[test]
    fn a_runtime_whose_cells_are_all_there_already_is_not_asked() {
        let skip = HashSet::from(["s/cell=b".to_owned()]);
        assert_eq!(probed(&plan(None), ScriptedLauncher::new(), &skip), (Probes::new(), vec![]));
    }

    #[test]
    fn the_version_command_is_asked_too() {
        let plan = plan(Some(&["sh", "-c", "echo; echo '  node v20.1 '; echo more"]));
        let (probes, _) = probed(&plan, ScriptedLauncher::new(), &HashSet::new());
        assert_eq!(probes["python3"].as_ref().unwrap().version.as_deref(), Some("node v20.1"));
    }

    #[test]
    fn a_version_command_that_says_nothing_or_fails_is_a_failure() {
        let reason = |script: &str| {
            let (probes, _) = probed(&plan(Some(&["sh", "-c", script])), ScriptedLauncher::new(), &HashSet::new());
            probes["python3"].as_ref().unwrap_err().reason.clone()
        };
        let end = "; a runtime that cannot tell its version is not measured";
        assert_eq!(reason("exit 0"), format!("`sh -c exit 0`, the version command of python3, printed nothing{end}"));
        assert_eq!(
            reason("exit 2"),
            format!("`sh -c exit 2`, the version command of python3, exited with status 2{end}")
        );
    }

    #[test]
    fn a_worker_that_fails_is_the_failure_of_its_runtime() {
        let died = Halt::failed(FailureKind::Died, "the worker exited with status 1 before it answered the job");
        let launcher = ScriptedLauncher::new().script("version of python3", [Step::NotReady(died)]);
        let (probes, _) = probed(&plan(None), launcher, &HashSet::new());
        assert_eq!(probes["python3"].as_ref().unwrap_err().kind, FailureKind::Died);
    }

    #[test]
    fn a_worker_that_does_no_batches_is_no_failure() {
        let unsupported = Halt::failed(FailureKind::Unsupported, "servers only");
        let launcher = ScriptedLauncher::new().script("version of python3", [Step::NotReady(unsupported)]);
        let (probes, _) = probed(&plan(None), launcher, &HashSet::new());
        assert_eq!(probes["python3"], Ok(Probe::default()));
    }
}
