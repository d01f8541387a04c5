//! Which of two cells is simpler to build and to run: what to try first where both are as fast.

use crate::matrix::axis::AxisValue;

/// The models of batch and http, the simplest first, with what makes them harder than those above.
///
/// After the second article's table of which method to consider first: one event loop where most time is waiting; single
/// functions on threads; loops on threads; processes. What is not in that table stands beside its like.
pub const MODELS: [(&str, &str); 9] = [
    ("sequential", "nothing runs at the same time"),
    ("async", "one event loop on one thread: no two pieces of code at the same time, and none may block"),
    ("threads", "plain blocking code on a pool of threads: what they share needs care"),
    ("rayon", "the same with work that is split and stolen by a library"),
    ("offload", "one event loop, and a pool for what computes: two worlds with a border"),
    ("offload-rayon", "the same with rayon's pool, which needs a way back to the loop"),
    ("loops", "a loop for each thread: connections and tasks must be dealt out, and stay where they are"),
    ("work-stealing", "tasks wander between threads: all that they hold must be fit to"),
    ("processes", "nothing is shared: memory several times over, and data must be sent"),
];

/// The rank of a value on a compared axis, the simplest has the least; `None` where the axis has no ranks.
#[must_use]
pub fn rank(axis: &str, value: &AxisValue) -> Option<u64> {
    match (axis, value) {
        ("model", AxisValue::Text(model)) => {
            MODELS.iter().position(|(name, _)| name == model).and_then(|rank| u64::try_from(rank).ok())
        }
        // Fewer workers are simpler.
        ("workers", AxisValue::Number(workers)) => Some(*workers),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use protocol::{HttpModel, Model};

    use super::*;

    #[test]
    fn every_model_has_a_rank() {
        let names = Model::ALL.iter().map(|model| model.name()).chain(HttpModel::ALL.iter().map(|model| model.name()));
        for name in names {
            assert!(rank("model", &name.into()).is_some(), "{name}");
        }
    }

    #[test]
    fn loops_are_simpler_than_work_stealing_and_few_workers_than_many() {
        assert!(rank("model", &"loops".into()) < rank("model", &"work-stealing".into()));
        assert!(rank("workers", &2.into()) < rank("workers", &4.into()));
        assert_eq!(rank("lock", &"gil".into()), None);
    }

    #[test]
    fn the_documentation_has_the_same_ranks() {
        let docs = include_str!("../../../docs/statistics.md");
        for (place, (name, why)) in MODELS.iter().enumerate() {
            let row = format!("| {} | `{name}` | {why} |", place + 1);
            assert!(docs.contains(&row), "docs/statistics.md lacks {row}");
        }
    }
}
