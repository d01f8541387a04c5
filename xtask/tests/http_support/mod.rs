//! What the tests of HTTP cells share: plans of one server, and a launcher whose own server and client are fixtures.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::time::{Duration, Instant};

use protocol::Arrivals;
use xtask::engine::binaries::{CLIENT, SERVER};
use xtask::engine::calibrations::Calibrations;
use xtask::engine::failure::Failure;
use xtask::engine::scripted::http_plan;
use xtask::engine::signals::Control;
use xtask::engine::spawn::WorkerCommand;
use xtask::engine::workers::ProcessLauncher;
use xtask::engine::{self, Options, Outcome};
use xtask::matrix::plan::{HttpWork, PaceSpec, Plan, Rate, Readiness, ServerCommand, ServerSpec, StopSignal, Work};
use xtask::results::record::{HttpSample, Measured};

use crate::engine_support::{Heard, MARK, launcher, marked, new_mark};

/// The fixture.
pub const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture-worker");

/// An HTTP cell and what becomes of it.
pub struct Case {
    pub mark: String,
    pub plan: Plan,
    /// Mode of our own server.
    pub server: &'static str,
    /// Mode of the client.
    pub client: &'static str,
    pub calibrations: Calibrations,
}

/// What became of it.
pub struct Seen {
    pub outcome: Outcome,
    pub heard: Heard,
}

impl Case {
    /// Our own server in this mode, one run.
    pub fn own(server: &'static str) -> Self {
        let plan = http_plan(&["a"]);
        Self { mark: new_mark(), plan, server, client: "load-good", calibrations: Calibrations::default() }
    }

    /// A server of somebody else in this mode, with its port as argument, then more arguments.
    pub fn command(mode: &str, more: &[&str]) -> Self {
        let mut case = Self::own("serve-good");
        let arguments = [FIXTURE, mode, "{port}"].into_iter().chain(more.iter().copied()).map(str::to_owned);
        let server = ServerCommand {
            command: arguments.collect(),
            env: vec![(MARK.to_owned(), case.mark.clone())],
            cwd: None,
            ports: 1,
            ready: Readiness::Http("/".to_owned()),
            ready_timeout: Duration::from_secs(1),
            stop: StopSignal::Term,
        };
        case.work().server = ServerSpec::Command(server);
        case
    }

    /// With a client in this mode.
    pub fn with_client(mut self, mode: &'static str) -> Self {
        self.client = mode;
        self
    }

    /// The cell's work.
    pub fn work(&mut self) -> &mut HttpWork {
        let Work::Http(work) = &mut self.plan.scenarios[0].cells[0].work else { unreachable!() };
        work
    }

    /// The server of somebody else.
    pub fn spec(&mut self) -> &mut ServerCommand {
        let ServerSpec::Command(spec) = &mut self.work().server else { unreachable!() };
        spec
    }

    /// With an open loop of a tenth of a second.
    pub fn open(mut self, rate: Rate) -> Self {
        let (duration, arrivals) = (Duration::from_millis(100), Arrivals::Constant);
        self.work().load.pace = PaceSpec::Open { rate, duration, arrivals };
        self
    }

    /// A launcher for it, with short limits.
    pub fn launcher(&self, control: &Control) -> ProcessLauncher {
        let fixture = |mode: &str| WorkerCommand {
            arguments: vec![mode.to_owned()],
            environment: vec![(MARK.to_owned(), self.mark.clone())],
            ..WorkerCommand::of(FIXTURE.into())
        };
        launcher(&self.plan, control)
            .with_worker(SERVER, fixture(self.server))
            .with_worker(CLIENT, fixture(self.client))
    }

    /// Runs it. Nothing of it is left, and nobody was waited for until he was done: what hangs here hangs for half a minute, and
    /// the limits are some seconds in all, which a machine that others use makes several times as many.
    pub fn run(&self) -> Seen {
        const PATIENCE: Duration = Duration::from_secs(25);
        let control = Control::new().unwrap();
        let mut launcher = self.launcher(&control);
        let mut heard = Heard::default();
        let started = Instant::now();
        let listeners: &mut [&mut dyn engine::event::Listener] = &mut [&mut heard];
        let options = Options { seed: 1, ..Options::default() };
        let outcome =
            engine::run(&self.plan, &self.calibrations, &options, &mut launcher, &control, listeners).unwrap();
        assert!(started.elapsed() < PATIENCE, "it took {:?}", started.elapsed());
        assert_eq!(marked(&self.mark), [""; 0], "processes are left");
        Seen { outcome, heard }
    }

    /// Runs it, which is to fail.
    pub fn failure(&self) -> (Failure, Vec<String>) {
        let Seen { heard, .. } = self.run();
        let [(_, failure)] = &heard.failures[..] else { panic!("not one failure: {:?}", heard.samples) };
        (failure.clone(), heard.warnings)
    }

    /// Runs it, which is to go well, once; the warnings too.
    pub fn sample(&self) -> (HttpSample, Vec<String>) {
        let Seen { heard, .. } = self.run();
        assert_eq!(heard.failures, []);
        let Some(Measured::Http(sample)) = heard.samples.first().map(|record| record.sample.clone()) else {
            panic!("no sample of an HTTP cell: {:?}", heard.samples)
        };
        (*sample, heard.warnings)
    }
}
