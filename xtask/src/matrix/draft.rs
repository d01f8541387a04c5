//! One combination of values → what its cell does, and which axes apply to it.

use std::time::Duration;

use protocol::{Lock, Model};

use super::axis::Axes;
use super::plan::{BatchWork, Cell, RUST_RUNTIME, TaskSpec, Work};
use super::setting::Setting;
use super::written::{Batch, Dimension};

/// The settings of a cell while they are collected, with what is not stated at its default.
pub struct Draft<'b> {
    model: Model,
    workers: u32,
    lock: Lock,
    switch_interval: Option<Duration>,
    tasks: u64,
    steps: u32,
    task: Option<&'b TaskSpec>,
    runtime: &'b str,
}

impl<'b> Draft<'b> {
    /// The settings of this combination; `value_of` has the index of the value of each dimension.
    #[must_use]
    pub fn new(batch: &'b Batch, value_of: &[usize], cores: u32) -> Self {
        let mut draft = Self {
            model: Model::Sequential,
            workers: cores,
            lock: Lock::None,
            switch_interval: None,
            tasks: 1,
            steps: 1,
            task: None,
            runtime: RUST_RUNTIME,
        };
        for (dimension, value) in batch.dimensions.iter().zip(value_of) {
            match &dimension.values[*value].setting {
                Setting::Task(task) => draft.task = Some(task),
                Setting::Tasks(tasks) => draft.tasks = *tasks,
                Setting::Steps(steps) => draft.steps = *steps,
                Setting::Model(model) => draft.model = *model,
                Setting::Workers(workers) => draft.workers = *workers,
                Setting::Lock(lock) => draft.lock = *lock,
                Setting::SwitchInterval(interval) => draft.switch_interval = Some(*interval),
                Setting::Runtime(runtime) => draft.runtime = runtime,
            }
        }
        draft
    }

    /// Whether the cell depends on what this key says. Where it does not, the axis collapses.
    #[must_use]
    pub fn applies(&self, dimension: &Dimension) -> bool {
        let interpreter = self.runtime != RUST_RUNTIME;
        match dimension.values[0].setting {
            Setting::Workers(_) => self.model.uses_workers(),
            Setting::Lock(_) => !interpreter,
            Setting::SwitchInterval(_) => !interpreter && self.lock != Lock::None,
            Setting::Task(_) | Setting::Tasks(_) | Setting::Steps(_) | Setting::Model(_) | Setting::Runtime(_) => true,
        }
    }

    /// The cell, still without its coordinates. What it ignores is set to one value, so that cells with one id do the
    /// same. `None` without a task, which the reader has noted.
    #[must_use]
    pub fn cell(&self) -> Option<Cell> {
        let interpreter = self.runtime != RUST_RUNTIME;
        let lock = if interpreter { Lock::None } else { self.lock };
        Some(Cell {
            id: String::new(),
            axes: Axes::new(),
            runtime: self.runtime.to_owned(),
            work: Work::Batch(BatchWork {
                model: self.model,
                workers: if self.model.uses_workers() { self.workers } else { 1 },
                lock,
                switch_interval: self.switch_interval.filter(|_| lock != Lock::None),
                tasks: self.tasks,
                steps: self.steps,
                task: self.task?.clone(),
            }),
        })
    }
}
