//! Shared settings of a scenario, read off its cells: what the head of its table says.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{Cell, CpuWork, Scenario, TaskSpec, Work};

/// The settings that all cells of a scenario share and that are no axis, by their key in the matrix.
#[must_use]
pub fn shared(scenario: &Scenario) -> BTreeMap<String, AxisValue> {
    let mut cells = scenario.cells.iter().map(settings);
    let mut shared = cells.next().unwrap_or_default();
    for other in cells {
        shared.retain(|key, value| match (value.as_ref(), other.get(key)) {
            // A cell to which a setting does not apply does not disagree with those to which it does.
            (None, Some(theirs)) => {
                value.clone_from(theirs);
                true
            }
            (Some(ours), Some(Some(theirs))) => ours == theirs,
            (_, Some(None)) => true,
            (_, None) => false,
        });
    }
    let is_axis = |key: &str| scenario.cells.iter().any(|cell| cell.axes.contains_key(key));
    shared.into_iter().filter(|(key, _)| !is_axis(key)).filter_map(|(key, value)| Some((key, value?))).collect()
}

/// The settings of one cell; `None` where a setting does not apply to it.
fn settings(cell: &Cell) -> BTreeMap<String, Option<AxisValue>> {
    let Work::Batch(batch) = &cell.work;
    let mut settings = BTreeMap::new();
    let mut set = |key: &str, value: Option<AxisValue>| drop(settings.insert(key.to_owned(), value));
    set("runtime", Some(cell.runtime.as_str().into()));
    set("model", Some(batch.model.name().into()));
    set("workers", batch.model.uses_workers().then(|| u64::from(batch.workers).into()));
    set("lock", Some(batch.lock.name().into()));
    set("switch_interval", batch.switch_interval.map(duration));
    set("tasks", Some(batch.tasks.into()));
    set("steps", Some(u64::from(batch.steps).into()));
    let mut burn = |work: &CpuWork| match work {
        CpuWork::Iterations(count) => set("iterations", Some((*count).into())),
        CpuWork::Time(time) => set("cpu", Some(duration(*time))),
    };
    let op = match &batch.task {
        TaskSpec::SumOfSquares { n } => {
            set("n", Some((*n).into()));
            "sum-of-squares"
        }
        TaskSpec::Burn { cpu } => {
            burn(cpu);
            "burn"
        }
        TaskSpec::Primes { limit } => {
            set("limit", Some((*limit).into()));
            "primes"
        }
        TaskSpec::Wait { io } => {
            set("io", Some(duration(*io)));
            "wait"
        }
        TaskSpec::WaitAndBurn { io, cpu } => {
            burn(cpu);
            set("io", Some(duration(*io)));
            "wait-and-burn"
        }
    };
    set("op", Some(op.into()));
    settings
}

/// A duration as the matrix states it: a whole number of the largest unit that allows it.
fn duration(duration: Duration) -> AxisValue {
    let ns = duration.as_nanos();
    let (unit, name) = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
        .into_iter()
        .find(|(unit, _)| ns.is_multiple_of(*unit) && ns > 0)
        .unwrap_or((1, "ns"));
    AxisValue::Text(format!("{}{name}", ns / unit))
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::stats::fixtures::{batch, plan};

    #[test]
    fn shared_settings_leave_out_axes_and_what_differs() {
        let mut other = batch(Model::Threads);
        let Work::Batch(work) = &mut other.work;
        work.tasks = 9;
        let plan = plan("s", Some("model"), &[batch(Model::Sequential), other]);
        let shared: Vec<String> =
            shared(&plan.scenarios[0]).iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(shared, ["lock=none", "n=3000000", "op=sum-of-squares", "runtime=rust", "steps=1", "workers=2"]);
    }

    #[test]
    fn times_are_stated_as_in_the_matrix() {
        let mut waiting = batch(Model::Threads);
        let Work::Batch(work) = &mut waiting.work;
        work.task =
            TaskSpec::WaitAndBurn { io: Duration::from_millis(10), cpu: CpuWork::Time(Duration::from_micros(2400)) };
        let plan = plan("s", None, &[waiting]);
        let shared = shared(&plan.scenarios[0]);
        assert_eq!((&shared["io"], &shared["cpu"]), (&"10ms".into(), &"2400us".into()));
    }
}
