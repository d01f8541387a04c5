//! A launcher without processes: it answers from a script. For tests of the engine and of whatever listens to it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use protocol::{Job, Lock, Model, Ready, Sample, Task};

use super::failure::Failure;
use super::launcher::{Assignment, Halt, Launcher, Session};
use crate::matrix::plan::{BatchWork, Cell, Order, Plan, RUST_RUNTIME, Scenario, Schedule, TaskSpec, Work};
use crate::results::record::Measured;

/// What a scripted worker does next.
#[derive(Debug, Clone)]
pub enum Step {
    /// It answers well, with this elapsed time.
    Sample(Duration),
    /// The repetition ends so.
    Halt(Halt),
    /// It cannot be started.
    NotLaunched(Failure),
    /// It does not get ready.
    NotReady(Halt),
}

/// A burn of so many nanoseconds an iteration, so that calibration can be scripted too.
#[derive(Debug, Clone, Copy)]
pub struct BurnCost(pub f64);

/// A launcher that starts nothing.
#[derive(Debug, Default)]
pub struct ScriptedLauncher {
    steps: Rc<RefCell<BTreeMap<String, VecDeque<Step>>>>,
    log: Rc<RefCell<Vec<String>>>,
    burn: Option<BurnCost>,
    warnings: Vec<String>,
}

impl ScriptedLauncher {
    /// A launcher whose workers all answer well.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds steps for the worker of an assignment with this label. When they are used up, it answers well.
    #[must_use]
    pub fn script(self, label: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.borrow_mut().entry(label.to_owned()).or_default().extend(steps);
        self
    }

    /// Makes samples of `burn` jobs take as long as this says.
    #[must_use]
    pub fn burning(mut self, cost: BurnCost) -> Self {
        self.burn = Some(cost);
        self
    }

    /// Makes every worker leave something behind that is worth a warning.
    #[must_use]
    pub fn warning(mut self, message: &str) -> Self {
        self.warnings.push(message.to_owned());
        self
    }

    /// What was asked of it so far, a line each: `launch LABEL`, `warm-up LABEL`, `run LABEL`, `close LABEL`.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.log.borrow().clone()
    }

    /// Takes the label's next step if it is one of those that `fits` accepts.
    fn take(&self, label: &str, fits: impl Fn(&Step) -> bool) -> Option<Step> {
        let mut steps = self.steps.borrow_mut();
        let queue = steps.get_mut(label)?;
        if queue.front().is_some_and(fits) { queue.pop_front() } else { None }
    }
}

impl Launcher for ScriptedLauncher {
    fn launch(&mut self, assignment: &Assignment<'_>) -> Result<Box<dyn Session>, Failure> {
        self.log.borrow_mut().push(format!("launch {}", assignment.label));
        if let Some(Step::NotLaunched(failure)) =
            self.take(assignment.label, |step| matches!(step, Step::NotLaunched(_)))
        {
            return Err(failure);
        }
        Ok(Box::new(ScriptedSession {
            launcher: Self {
                steps: Rc::clone(&self.steps),
                log: Rc::clone(&self.log),
                burn: self.burn,
                warnings: self.warnings.clone(),
            },
            label: assignment.label.to_owned(),
            job: assignment.job.clone(),
        }))
    }
}

struct ScriptedSession {
    launcher: ScriptedLauncher,
    label: String,
    job: Job,
}

impl Session for ScriptedSession {
    fn prepare(&mut self) -> Result<Ready, Halt> {
        match self.launcher.take(&self.label, |step| matches!(step, Step::NotReady(_))) {
            Some(Step::NotReady(halt)) => Err(halt),
            _ => Ok(Ready {
                protocol: protocol::VERSION,
                worker: "scripted 1".to_owned(),
                runtime: "none".to_owned(),
                facts: BTreeMap::new(),
                ports: Vec::new(),
            }),
        }
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        let what = if warmup { "warm-up" } else { "run" };
        self.launcher.log.borrow_mut().push(format!("{what} {}", self.label));
        let Job::Batch(batch) = &self.job else { panic!("only batch jobs are scripted") };
        let elapsed = match (self.launcher.burn, &batch.task) {
            (Some(BurnCost(cost)), Task::Burn { iterations }) =>
            {
                #[expect(clippy::cast_precision_loss, reason = "a scripted time")]
                Duration::from_secs_f64(*iterations as f64 * cost / 1e9)
            }
            _ => Duration::from_millis(1),
        };
        let mut sample = Sample {
            elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
            setup_ns: 0,
            tasks: batch.tasks,
            checksum: protocol::Checksum(1).to_string(),
            workers: Vec::new(),
            usage: None,
        };
        match self.launcher.take(&self.label, |step| !matches!(step, Step::NotLaunched(_) | Step::NotReady(_))) {
            Some(Step::Halt(halt)) => return Err(halt),
            Some(Step::Sample(elapsed)) => {
                sample.elapsed_ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
            }
            _ => {}
        }
        Ok(Measured::Batch(sample))
    }

    fn close(self: Box<Self>) -> Vec<String> {
        self.launcher.log.borrow_mut().push(format!("close {}", self.label));
        self.launcher.warnings
    }
}

/// A plan of one scenario `s` with a cell `s/cell=NAME` for every name, all doing the same work, compared with
/// nobody: something to run in a test.
#[must_use]
pub fn plan_of(order: Order, warmups: u32, runs: u32, names: &[&str]) -> Plan {
    let cell = |name: &&str| Cell {
        id: format!("s/cell={name}"),
        axes: [("cell".to_owned(), (*name).into())].into_iter().collect(),
        runtime: RUST_RUNTIME.to_owned(),
        work: Work::Batch(BatchWork {
            model: Model::Sequential,
            workers: 1,
            lock: Lock::None,
            switch_interval: None,
            tasks: 2,
            steps: 1,
            task: TaskSpec::SumOfSquares { n: 10 },
        }),
    };
    Plan {
        file: PathBuf::from("test.toml"),
        scenarios: vec![Scenario {
            name: "s".to_owned(),
            question: None,
            compare: None,
            include_setup: false,
            axes: Vec::new(),
            schedule: Schedule { order, warmups, runs, timeout: Duration::from_secs(1) },
            cells: names.iter().map(cell).collect(),
            comparisons: Vec::new(),
        }],
        runtimes: Vec::new(),
        cores: 2,
    }
}
