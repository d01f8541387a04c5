//! Settings of a `[[batch]]` cell.

use super::{Settings, cpu, duration};
use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{BatchWork, TaskSpec};

pub(super) fn settings(work: &BatchWork) -> Settings {
    let mut settings = Settings::new();
    let mut set = |key: &str, value: Option<AxisValue>| drop(settings.insert(key.to_owned(), value));
    set("model", Some(work.model.name().into()));
    set("workers", work.model.uses_workers().then(|| u64::from(work.workers).into()));
    set("lock", Some(work.lock.name().into()));
    set("switch_interval", work.switch_interval.map(duration));
    set("tasks", Some(work.tasks.into()));
    set("steps", Some(u64::from(work.steps).into()));
    if let Some(work) = work.task.cpu() {
        let (key, value) = cpu(work);
        set(key, Some(value));
    }
    let op = match &work.task {
        TaskSpec::SumOfSquares { n } => {
            set("n", Some((*n).into()));
            "sum-of-squares"
        }
        TaskSpec::Burn { .. } => "burn",
        TaskSpec::Primes { limit } => {
            set("limit", Some((*limit).into()));
            "primes"
        }
        TaskSpec::Wait { io } => {
            set("io", Some(duration(*io)));
            "wait"
        }
        TaskSpec::WaitAndBurn { io, .. } => {
            set("io", Some(duration(*io)));
            "wait-and-burn"
        }
    };
    set("op", Some(op.into()));
    settings
}
