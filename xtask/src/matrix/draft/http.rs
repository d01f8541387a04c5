//! The settings of an `[[http]]` cell while they are collected.

use std::time::Duration;

use protocol::{Arrivals, HttpModel, Listen, Lock};

use super::super::http::server::ServerTemplate;
use super::super::plan::{
    CpuWork, HttpWork, LoadSpec, OwnServer, PaceSpec, RUST_RUNTIME, Rate, RunningServer, ServerSpec, Work,
};
use super::super::setting::Setting;

/// The settings, with what is not stated at its default.
pub struct HttpDraft<'q> {
    own: OwnServer,
    runtime: &'q str,
    server: Option<&'q ServerTemplate>,
    target: Option<&'q RunningServer>,
    load: Option<&'q LoadSpec>,
    vars: Vec<(&'q str, &'q str)>,
    // Keys of `load` that are axes; they come after it.
    connections: Option<u32>,
    requests: Option<u64>,
    rate: Option<Rate>,
    arrivals: Option<Arrivals>,
}

/// Whether the model has one acceptor, so that there is nobody to spread connections over.
fn one_acceptor(model: HttpModel) -> bool {
    match model {
        HttpModel::WorkStealing | HttpModel::Offload | HttpModel::OffloadRayon | HttpModel::Threads => true,
        HttpModel::Loops | HttpModel::Processes => false,
    }
}

/// Why no cell depends on this key, for a report.
#[must_use]
pub fn why_ignored(name: &str) -> &'static str {
    match name {
        "workers" => "`threads` has a thread a connection, whatever `workers` says",
        "listen" => "only `loops` and `processes` have workers to which connections could come in different ways",
        "lock" => "an interpreter brings its own lock",
        "switch_interval" => "without a lock there is nothing to switch",
        _ => "no server uses it",
    }
}

impl<'q> HttpDraft<'q> {
    /// Nothing stated yet.
    #[must_use]
    pub fn new(cores: u32) -> Self {
        Self {
            own: OwnServer {
                model: HttpModel::Loops,
                workers: cores,
                lock: Lock::None,
                switch_interval: None,
                listen: Listen::PerPort,
                io: Duration::ZERO,
                cpu: CpuWork::Time(Duration::ZERO),
            },
            runtime: RUST_RUNTIME,
            server: None,
            target: None,
            load: None,
            vars: Vec::new(),
            connections: None,
            requests: None,
            rate: None,
            arrivals: None,
        }
    }

    /// Takes a setting over; `name` is the name of its dimension.
    pub fn set(&mut self, name: &'q str, setting: &'q Setting) {
        match setting {
            Setting::HttpModel(model) => self.own.model = *model,
            Setting::Workers(workers) => self.own.workers = *workers,
            Setting::Lock(lock) => self.own.lock = *lock,
            Setting::SwitchInterval(interval) => self.own.switch_interval = Some(*interval),
            Setting::Runtime(runtime) => self.runtime = runtime,
            Setting::Listen(listen) => self.own.listen = *listen,
            Setting::Io(io) => self.own.io = *io,
            Setting::Cpu(cpu) => self.own.cpu = *cpu,
            Setting::Server(server) => self.server = Some(server),
            Setting::Target(target) => self.target = Some(target),
            Setting::Load(load) => self.load = Some(load),
            Setting::Var(text) => self.vars.push((name, text)),
            Setting::Connections(connections) => self.connections = Some(*connections),
            Setting::Requests(requests) => self.requests = Some(*requests),
            Setting::Rate(rate) => self.rate = Some(*rate),
            Setting::Arrivals(arrivals) => self.arrivals = Some(*arrivals),
            other => unreachable!("{other:?} is no setting of an HTTP scenario"),
        }
    }

    /// Whether the cell depends on settings of this kind.
    #[must_use]
    pub fn applies(&self, name: &str, setting: &Setting) -> bool {
        match setting {
            Setting::Workers(_) => self.own.model != HttpModel::Threads,
            Setting::Listen(_) => !one_acceptor(self.own.model),
            Setting::Lock(_) => self.runtime == RUST_RUNTIME,
            Setting::SwitchInterval(_) => self.lock() != Lock::None,
            Setting::Var(_) => self.server.is_some_and(|server| server.uses(name)),
            _ => true,
        }
    }

    /// What serves.
    #[must_use]
    pub fn runtime(&self) -> &str {
        self.runtime
    }

    /// The emulated lock: a real interpreter has its own.
    fn lock(&self) -> Lock {
        if self.runtime == RUST_RUNTIME { self.own.lock } else { Lock::None }
    }

    /// What the cell does. What it ignores is set to one value, so that cells with one id do the same. `None` without a
    /// load, which the reader has noted.
    #[must_use]
    pub fn work(&self) -> Option<Work> {
        let server = match (self.server, self.target) {
            (Some(server), _) => ServerSpec::Command(server.fill(&self.vars)),
            (None, Some(target)) => ServerSpec::Running(target.clone()),
            (None, None) => ServerSpec::Own(self.own_server()),
        };
        let mut load = self.load?.clone();
        if let Some(connections) = self.connections {
            load.connections = connections;
        }
        match &mut load.pace {
            PaceSpec::Closed { requests } => *requests = self.requests.unwrap_or(*requests),
            PaceSpec::Open { rate, arrivals, .. } => {
                *rate = self.rate.unwrap_or(*rate);
                *arrivals = self.arrivals.unwrap_or(*arrivals);
            }
        }
        Some(Work::Http(Box::new(HttpWork { server, load })))
    }

    fn own_server(&self) -> OwnServer {
        let own = &self.own;
        OwnServer {
            workers: if own.model == HttpModel::Threads { 1 } else { own.workers },
            listen: if one_acceptor(own.model) { Listen::PerPort } else { own.listen },
            lock: self.lock(),
            switch_interval: own.switch_interval.filter(|_| self.lock() != Lock::None),
            ..own.clone()
        }
    }
}
