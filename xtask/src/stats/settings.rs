//! The settings that all cells of a scenario share: what the head of its table says.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{CpuWork, Scenario, TaskSpec, Work};

/// The settings of the matrix and, where every cell does the same task, the sizes of that task: the matrix names a
/// task by its operation or its label only.
#[must_use]
pub fn shared(scenario: &Scenario) -> BTreeMap<String, AxisValue> {
    let mut settings = scenario.settings.clone();
    let mut tasks = scenario.cells.iter().map(|cell| {
        let Work::Batch(batch) = &cell.work;
        &batch.task
    });
    if let Some(first) = tasks.next()
        && tasks.all(|task| task == first)
    {
        settings.extend(sizes(first).into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    settings
}

/// The sizes of a task, by their key in the matrix.
fn sizes(task: &TaskSpec) -> Vec<(&'static str, AxisValue)> {
    let io = |time: &Duration| ("io", duration(*time));
    let burn = |work: &CpuWork| match work {
        CpuWork::Iterations(count) => ("iterations", (*count).into()),
        CpuWork::Time(time) => ("cpu", duration(*time)),
    };
    match task {
        TaskSpec::SumOfSquares { n } => vec![("n", (*n).into())],
        TaskSpec::Burn { cpu } => vec![burn(cpu)],
        TaskSpec::Primes { limit } => vec![("limit", (*limit).into())],
        TaskSpec::Wait { io: time } => vec![io(time)],
        TaskSpec::WaitAndBurn { io: time, cpu } => vec![io(time), burn(cpu)],
    }
}

/// A duration as the matrix may write it: a whole number of the largest unit that allows it.
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
    use crate::matrix::plan::Cell;
    use crate::stats::fixtures::{batch, plan};

    fn shown(cells: &[Cell]) -> Vec<String> {
        let mut plan = plan("s", Some("model"), cells);
        plan.scenarios[0].settings.insert("tasks".to_owned(), AxisValue::Number(8));
        shared(&plan.scenarios[0]).iter().map(|(key, value)| format!("{key}={value}")).collect()
    }

    #[test]
    fn the_sizes_of_a_task_are_shared_where_every_cell_does_it() {
        assert_eq!(shown(&[batch(Model::Sequential), batch(Model::Threads)]), ["n=3000000", "tasks=8"]);
        let mut other = batch(Model::Threads);
        let Work::Batch(work) = &mut other.work;
        work.task = TaskSpec::Primes { limit: 100 };
        assert_eq!(shown(&[batch(Model::Sequential), other]), ["tasks=8"]);
    }

    #[test]
    fn times_are_stated_as_in_the_matrix() {
        let mut waiting = batch(Model::Threads);
        let Work::Batch(work) = &mut waiting.work;
        let cpu = CpuWork::Time(Duration::from_micros(2400));
        work.task = TaskSpec::WaitAndBurn { io: Duration::from_millis(10), cpu };
        assert_eq!(shown(&[waiting]), ["cpu=2400us", "io=10ms", "tasks=8"]);
    }
}
