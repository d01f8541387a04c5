//! Asks a runtime who it is, without measuring anything.

use std::time::Duration;

use protocol::{BatchJob, Job, Lock, Model, Ready, Task};

use super::launcher::{Assignment, Duty, Halt, Launcher};

/// How long a runtime may take for the smallest of jobs.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What the worker of a runtime says about itself when it is ready for a job.
///
/// # Errors
/// The reason why it says nothing.
pub fn ask(runtime: &str, launcher: &mut dyn Launcher) -> Result<Ready, String> {
    let label = format!("probe of {runtime}");
    let job = Job::Batch(BatchJob {
        model: Model::Sequential,
        workers: 1,
        lock: Lock::None,
        switch_interval_ns: None,
        tasks: 1,
        first_task: 0,
        steps: 1,
        task: Task::Burn { iterations: 1 },
    });
    let assignment = Assignment { label: &label, runtime, duty: Duty::Batch(job), timeout: TIMEOUT };
    let mut session = launcher.launch(&assignment).map_err(|failure| failure.reason)?;
    let ready = session.prepare();
    // What it leaves behind is told when it is measured.
    let _ = session.close();
    match ready {
        Ok(ready) => ready.into_iter().next().ok_or_else(|| "it said nothing".to_owned()),
        Err(Halt::Failed(failure)) => Err(failure.reason),
        Err(Halt::Interrupted | Halt::Suspended) => Err("interrupted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::failure::FailureKind;
    use super::super::scripted::{ScriptedLauncher, Step};
    use super::*;

    #[test]
    fn a_runtime_says_who_it_is_and_does_nothing() {
        let mut launcher = ScriptedLauncher::new();
        assert_eq!(ask("python", &mut launcher).unwrap().worker, "scripted 1");
        assert_eq!(launcher.log(), ["launch probe of python", "close probe of python"]);
    }

    #[test]
    fn one_that_does_not_start_says_why() {
        let halt = Halt::failed(FailureKind::Died, "the worker died");
        let mut launcher = ScriptedLauncher::new().script("probe of python", [Step::NotReady(halt)]);
        assert_eq!(ask("python", &mut launcher), Err("the worker died".to_owned()));
    }
}
