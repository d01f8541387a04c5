//! Shared settings of a scenario, read off its cells: what the head of its table says.

mod batch;
mod http;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::matrix::axis::AxisValue;
use crate::matrix::plan::{Cell, CpuWork, Scenario, ServerSpec, TaskCount, Work};

/// The settings that all cells of a scenario share and that are no axis, by their key in the matrix.
#[must_use]
pub fn shared(scenario: &Scenario) -> BTreeMap<String, AxisValue> {
    let mut cells = scenario.cells.iter().map(of);
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
pub type Settings = BTreeMap<String, Option<AxisValue>>;

/// All settings of one cell by their key in the matrix, axes included.
#[must_use]
pub fn of(cell: &Cell) -> Settings {
    let mut settings = match &cell.work {
        Work::Batch(work) => batch::settings(work),
        Work::Http(work) => http::settings(work),
    };
    // A server that the matrix only finds or brings along has no runtime of ours.
    let is_ours = !matches!(&cell.work, Work::Http(work) if !matches!(work.server, ServerSpec::Own(_)));
    if is_ours {
        settings.insert("runtime".to_owned(), Some(cell.runtime.as_str().into()));
    }
    settings
}

/// CPU work under the key that the matrix states it with.
fn cpu(work: CpuWork) -> (&'static str, AxisValue) {
    match work {
        CpuWork::Iterations(count) => ("iterations", count.into()),
        CpuWork::Time(time) => ("cpu", duration(time)),
    }
}

/// A number of tasks as the matrix states it.
fn tasks(count: TaskCount) -> AxisValue {
    match count {
        TaskCount::Exactly(count) => count.into(),
        TaskCount::Time { time, .. } => duration(time),
    }
}

/// A duration as the matrix states it: a whole number of the largest unit that allows it.
fn duration(duration: Duration) -> AxisValue {
    let ns = duration.as_nanos();
    if ns == 0 {
        return "0".into();
    }
    let (unit, name) = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
        .into_iter()
        .find(|(unit, _)| ns.is_multiple_of(*unit))
        .unwrap_or((1, "ns"));
    AxisValue::Text(format!("{}{name}", ns / unit))
}

#[cfg(test)]
mod tests {
    use protocol::Model;

    use super::*;
    use crate::matrix::plan::TaskSpec;
    use crate::stats::fixtures::{batch, plan, work_of};

    #[test]
    fn shared_settings_leave_out_axes_and_what_differs() {
        let mut other = batch(Model::Threads);
        let work = work_of(&mut other);
        work.tasks = 9.into();
        let plan = plan("s", Some("model"), &[batch(Model::Sequential), other]);
        let shared: Vec<String> =
            shared(&plan.scenarios[0]).iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(shared, ["lock=none", "n=3000000", "op=sum-of-squares", "runtime=rust", "steps=1", "workers=2"]);
    }

    #[test]
    fn times_are_stated_as_in_the_matrix() {
        let mut waiting = batch(Model::Threads);
        let work = work_of(&mut waiting);
        work.task =
            TaskSpec::WaitAndBurn { io: Duration::from_millis(10), cpu: CpuWork::Time(Duration::from_micros(2400)) };
        let plan = plan("s", None, &[waiting]);
        let shared = shared(&plan.scenarios[0]);
        assert_eq!((&shared["io"], &shared["cpu"]), (&"10ms".into(), &"2400us".into()));
    }
}
