//! The settings of a `[[batch]]` cell while they are collected.

use std::time::Duration;

use protocol::{Lock, Model};

use super::super::plan::{BatchWork, RUST_RUNTIME, TaskCount, TaskSpec, Work};
use super::super::setting::Setting;

/// The settings, with what is not stated at its default.
pub struct BatchDraft<'q> {
    model: Model,
    workers: u32,
    lock: Lock,
    switch_interval: Option<Duration>,
    tasks: TaskCount,
    steps: u32,
    task: Option<&'q TaskSpec>,
    runtime: &'q str,
}

impl<'q> BatchDraft<'q> {
    /// Nothing stated yet.
    #[must_use]
    pub fn new(cores: u32) -> Self {
        Self {
            model: Model::Sequential,
            workers: cores,
            lock: Lock::None,
            switch_interval: None,
            tasks: TaskCount::Exactly(1),
            steps: 1,
            task: None,
            runtime: RUST_RUNTIME,
        }
    }

    /// Takes a setting over.
    pub fn set(&mut self, setting: &'q Setting) {
        match setting {
            Setting::Task(task) => self.task = Some(task),
            Setting::Tasks(tasks) => self.tasks = *tasks,
            Setting::Steps(steps) => self.steps = *steps,
            Setting::Model(model) => self.model = *model,
            Setting::Workers(workers) => self.workers = *workers,
            Setting::Lock(lock) => self.lock = *lock,
            Setting::SwitchInterval(interval) => self.switch_interval = Some(*interval),
            Setting::Runtime(runtime) => self.runtime = runtime,
            other => unreachable!("{other:?} is no setting of a batch"),
        }
    }

    /// Whether the cell depends on settings of this kind.
    #[must_use]
    pub fn applies(&self, setting: &Setting) -> bool {
        let interpreter = self.runtime != RUST_RUNTIME;
        match setting {
            Setting::Workers(_) => self.model.uses_workers(),
            Setting::Lock(_) => !interpreter,
            Setting::SwitchInterval(_) => !interpreter && self.lock != Lock::None,
            _ => true,
        }
    }

    /// What executes the cell.
    #[must_use]
    pub fn runtime(&self) -> &str {
        self.runtime
    }

    /// What the cell does. What it ignores is set to one value, so that cells with one id do the same. `None` without a
    /// task, which the reader has noted.
    #[must_use]
    pub fn work(&self) -> Option<Work> {
        let lock = if self.runtime == RUST_RUNTIME { self.lock } else { Lock::None };
        Some(Work::Batch(BatchWork {
            model: self.model,
            workers: if self.model.uses_workers() { self.workers } else { 1 },
            lock,
            switch_interval: self.switch_interval.filter(|_| lock != Lock::None),
            tasks: self.tasks,
            steps: self.steps,
            task: self.task?.clone(),
        }))
    }
}
