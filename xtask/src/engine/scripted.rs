//! A launcher without processes: it answers from a script. For tests of the engine and of whatever listens to it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use protocol::{Histogram, HttpModel, HttpRequest, Job, Listen, LoadSample, Lock, Model, Pace, Ready, Sample, Task};

use super::before::Before;
use super::failure::Failure;
use super::launcher::{Assignment, Duty, Halt, Launcher, Session};
use super::machine::{Readings, Scale, Snapshot};
use super::schedule::{Visit, schedule};
use super::twins::Twins;
use crate::matrix::plan::{
    BatchWork, Cell, CpuWork, Endpoints, HttpWork, LoadSpec, Need, Order, OwnServer, PaceSpec, Plan, RUST_RUNTIME,
    Scenario, Schedule, ServerSpec, TaskCount, TaskSpec, Work,
};
use crate::number::nanoseconds;
use crate::results::record::{HttpSample, MachineDelta, Measured};

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
    serving: Option<f64>,
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

    /// Makes closed loops of HTTP cells take as long as a server of so many requests a second would.
    #[must_use]
    pub fn serving(mut self, requests_per_s: f64) -> Self {
        self.serving = Some(requests_per_s);
        self
    }

    /// Makes every worker leave something behind that is worth a warning.
    #[must_use]
    pub fn warning(mut self, message: &str) -> Self {
        self.warnings.push(message.to_owned());
        self
    }

    /// What was asked of it so far, a line each: `launch LABEL`, `warm-up LABEL`, `run LABEL`, `close LABEL`. The
    /// launch of an open loop has its rate and its seed.
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
        let pace = match &assignment.duty {
            Duty::Http(duty) => match duty.pace {
                Pace::Open { rate_per_s, seed, .. } => format!(" at {rate_per_s}/s, seed {seed}"),
                Pace::Closed { .. } => String::new(),
            },
            Duty::Batch(_) | Duty::Serviced(_) => String::new(),
        };
        self.log.borrow_mut().push(format!("launch {}{pace}", assignment.label));
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
                serving: self.serving,
                warnings: self.warnings.clone(),
            },
            label: assignment.label.to_owned(),
            does: Does::of(&assignment.duty),
        }))
    }
}

struct ScriptedSession {
    launcher: ScriptedLauncher,
    label: String,
    does: Does,
}

/// What a scripted worker is for.
enum Does {
    Tasks { tasks: u64, task: Task },
    Requests(u64),
}

impl Does {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "scripted"
    )]
    fn of(duty: &Duty<'_>) -> Self {
        match duty {
            Duty::Batch(Job::Batch(batch)) => Self::Tasks { tasks: batch.tasks, task: batch.task.clone() },
            Duty::Batch(other) => panic!("{other:?} is not the job of a batch"),
            Duty::Serviced(duty) => {
                Self::Tasks { tasks: duty.tasks, task: duty.work.task.resolve(duty.rate, &everywhere()) }
            }
            Duty::Http(duty) => Self::Requests(match duty.pace {
                Pace::Closed { requests } => requests,
                Pace::Open { rate_per_s, duration_ns, .. } => (rate_per_s * duration_ns as f64 / 1e9) as u64,
            }),
        }
    }
}

/// Places for everything that a task may need.
fn everywhere() -> Endpoints {
    let at = || Some("127.0.0.1:1".to_owned());
    let programs = [Need::ImageMagick, Need::Program("zip".to_owned())].into_iter();
    Endpoints {
        postgres: Some("host=/nowhere".to_owned()),
        mail: at(),
        http: at(),
        folder: Some("/nowhere".into()),
        programs: programs.map(|need| (need, "/nowhere/program".into())).collect(),
    }
}

impl Session for ScriptedSession {
    fn prepare(&mut self) -> Result<Vec<Ready>, Halt> {
        match self.launcher.take(&self.label, |step| matches!(step, Step::NotReady(_))) {
            Some(Step::NotReady(halt)) => Err(halt),
            _ => Ok(vec![Ready {
                protocol: protocol::VERSION,
                worker: "scripted 1".to_owned(),
                runtime: "none".to_owned(),
                facts: BTreeMap::new(),
                ports: Vec::new(),
            }]),
        }
    }

    fn run(&mut self, warmup: bool) -> Result<Measured, Halt> {
        let what = if warmup { "warm-up" } else { "run" };
        self.launcher.log.borrow_mut().push(format!("{what} {}", self.label));
        #[expect(clippy::cast_precision_loss, reason = "a scripted time")]
        let mut elapsed = match (&self.does, self.launcher.burn, self.launcher.serving) {
            (Does::Tasks { task: Task::Burn { iterations }, .. }, Some(BurnCost(cost)), _) => {
                Duration::from_secs_f64(*iterations as f64 * cost / 1e9)
            }
            (Does::Requests(requests), _, Some(rate)) => Duration::from_secs_f64(*requests as f64 / rate),
            _ => Duration::from_millis(1),
        };
        match self.launcher.take(&self.label, |step| !matches!(step, Step::NotLaunched(_) | Step::NotReady(_))) {
            Some(Step::Halt(halt)) => return Err(halt),
            Some(Step::Sample(scripted)) => elapsed = scripted,
            _ => {}
        }
        let elapsed_ns = nanoseconds(elapsed);
        Ok(match &self.does {
            Does::Tasks { tasks, .. } => Measured::Batch(Sample {
                elapsed_ns,
                setup_ns: 0,
                tasks: *tasks,
                checksum: protocol::Checksum(1).to_string(),
                workers: Vec::new(),
                usage: None,
            }),
            Does::Requests(requests) => Measured::Http(Box::new(HttpSample {
                load: LoadSample { elapsed_ns, ..load_sample(*requests) },
                served: None,
                server_usage: None,
                asked_rate_per_s: None,
                time_wait: None,
            })),
        })
    }

    fn close(self: Box<Self>) -> Vec<String> {
        self.launcher.log.borrow_mut().push(format!("close {}", self.label));
        self.launcher.warnings
    }
}

/// A machine without a machine: it tells what it was told to, a repetition after the other.
#[derive(Debug, Default)]
pub struct ScriptedMachine {
    deltas: VecDeque<MachineDelta>,
}

impl ScriptedMachine {
    /// What it does in each repetition, warm-ups included; nothing in those that follow.
    #[must_use]
    pub fn new(deltas: impl IntoIterator<Item = MachineDelta>) -> Self {
        Self { deltas: deltas.into_iter().collect() }
    }
}

impl Readings for ScriptedMachine {
    fn cell_begins(&mut self) {}

    fn before(&mut self) -> Snapshot {
        Snapshot::default()
    }

    fn since(&mut self, _: &Snapshot, _: Option<u64>) -> MachineDelta {
        self.deltas.pop_front().unwrap_or_default()
    }

    fn scale(&self) -> Scale {
        Scale { cpus: 2, others_step_ns: 0 }
    }
}

/// All visits of a plan, without twins, that nothing was measured of.
#[must_use]
pub fn visits(plan: &Plan) -> Vec<Visit> {
    schedule(plan, 0, &Twins::default(), &Before::default())
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
            tasks: TaskCount::Exactly(2),
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
            needs: Vec::new(),
            axes: Vec::new(),
            schedule: Schedule { order, warmups, runs, timeout: Duration::from_secs(1) },
            cells: names.iter().map(cell).collect(),
            comparisons: Vec::new(),
        }],
        runtimes: Vec::new(),
        cores: 2,
    }
}

/// As [`plan_of`], in which every cell puts a closed loop on our own server; sequential, one run each.
#[must_use]
pub fn http_plan(names: &[&str]) -> Plan {
    let mut plan = plan_of(Order::Sequential, 0, 1, names);
    for cell in &mut plan.scenarios[0].cells {
        cell.work = Work::Http(Box::new(http_work()));
    }
    plan
}

/// Our own server with one loop, and twenty requests over two connections.
#[must_use]
pub fn http_work() -> HttpWork {
    HttpWork {
        server: ServerSpec::Own(OwnServer {
            model: HttpModel::Loops,
            workers: 1,
            lock: Lock::None,
            switch_interval: None,
            listen: Listen::HandOff,
            io: Duration::from_millis(1),
            cpu: CpuWork::Iterations(10),
        }),
        load: LoadSpec {
            connections: 2,
            threads: 1,
            pace: PaceSpec::Closed { requests: 20 },
            requests: vec![HttpRequest { method: "GET".to_owned(), path: "/".to_owned(), headers: vec![], body: None }],
            timeout: Duration::from_secs(1),
            drain: Duration::from_secs(1),
            status: None,
            expect_body: None,
            worker_header: None,
        },
    }
}

/// A load of so many requests that all got the right answer, in a millisecond.
#[must_use]
pub fn load_sample(completed: u64) -> LoadSample {
    LoadSample {
        elapsed_ns: 1_000_000,
        setup_ns: 0,
        sent: completed,
        completed,
        unsent: 0,
        sent_late: 0,
        max_in_flight: 1,
        latency: Histogram::default(),
        service: Histogram::default(),
        send_lag: Histogram::default(),
        by_status: BTreeMap::new(),
        errors: BTreeMap::new(),
        stragglers: 0,
        oldest_straggler_ns: None,
        by_worker: BTreeMap::new(),
        usage: None,
    }
}
