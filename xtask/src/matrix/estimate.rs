//! How long a cell will take, before anything has run.
//!
//! An estimate is for planning a coffee, not a comparison: it knows the asked times, what an iteration costs on a
//! recent machine, and how each model overlaps tasks. The build, the calibration and the measuring of capacities are not in it.

use std::time::Duration;

use protocol::{Lock, Model};

use super::plan::{BatchWork, Cell, CpuWork, Plan, RUST_RUNTIME, Scenario, TaskCount, TaskSpec, Work};

mod everyday;
mod http;

/// One iteration of the burn, in nanoseconds: a multiplication and an addition that depend on the one before.
const BURN_NS: f64 = 1.5;
/// One square of the sum.
const SQUARE_NS: f64 = 1.0;
/// One trial division.
const DIVISION_NS: f64 = 2.0;
/// How many times as long counted work takes in an interpreter.
const INTERPRETER: f64 = 50.0;
/// Starting a worker, its answer and its end, and the orchestrator's own work around it.
const PROCESS: Duration = Duration::from_millis(15);
/// Starting a thread or an event loop of a model.
const THREAD_SETUP: Duration = Duration::from_micros(50);
/// Starting a child of the `processes` model.
const CHILD_SETUP: Duration = Duration::from_millis(2);

impl Plan {
    /// How long all cells take, warm-ups included, one after another.
    #[must_use]
    pub fn estimate(&self) -> Duration {
        self.scenarios.iter().map(|scenario| self.estimate_scenario(scenario)).sum()
    }

    /// How long the cells of one of its scenarios take, warm-ups included.
    #[must_use]
    pub fn estimate_scenario(&self, scenario: &Scenario) -> Duration {
        scenario.cells.iter().map(|cell| self.estimate_cell(scenario, cell)).sum()
    }

    /// How long one cell of a scenario takes, warm-ups included.
    #[must_use]
    pub fn estimate_cell(&self, scenario: &Scenario, cell: &Cell) -> Duration {
        let schedule = scenario.schedule;
        let one = cell.work.estimate(cell.runtime != RUST_RUNTIME, self.cores).min(schedule.timeout);
        let start = match &cell.work {
            Work::Batch(batch) => PROCESS + everyday::start(&batch.task),
            Work::Http(http) => PROCESS + http.server.start(),
        };
        times(one, schedule.repetitions()) + times(start, schedule.processes())
    }
}

fn times(duration: Duration, count: u64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * count as f64).unwrap_or(Duration::MAX)
}

impl Work {
    /// How long one run takes on this many CPUs.
    #[must_use]
    pub fn estimate(&self, interpreter: bool, cores: u32) -> Duration {
        match self {
            Self::Batch(batch) => batch.estimate(interpreter, cores),
            Self::Http(http) => http.estimate(cores),
        }
    }
}

impl BatchWork {
    fn estimate(&self, interpreter: bool, cores: u32) -> Duration {
        let (io, cpu) = self.task.estimate(interpreter);
        let steps = f64::from(self.steps);
        let tasks = self.tasks.estimate(steps * (io + cpu));
        let workers = f64::from(self.workers).min(tasks);
        // How many tasks are under way at once, and how many of them can compute at once.
        let (lanes, computing) = match self.model {
            Model::Sequential => (1.0, 1.0),
            Model::Async => (tasks, 1.0),
            Model::Threads | Model::Processes | Model::Rayon | Model::Interpreters | Model::Ractors => {
                (workers, workers)
            }
            Model::Loops | Model::WorkStealing | Model::Offload => (tasks, workers),
        };
        let locked = self.lock != Lock::None && self.model != Model::Processes;
        let computing = if locked { 1.0 } else { computing.min(f64::from(cores)) };
        // Either the tasks of one lane follow each other, or the CPUs are busy all the time after the first wait.
        let one_lane = (tasks / lanes).ceil() * steps * (io + cpu);
        let all_busy = tasks * steps * cpu / computing + io;
        let setup = match self.model {
            Model::Sequential | Model::Async => 0.0,
            Model::Processes => CHILD_SETUP.as_secs_f64() * f64::from(self.workers),
            _ => THREAD_SETUP.as_secs_f64() * f64::from(self.workers),
        };
        Duration::try_from_secs_f64(one_lane.max(all_busy) + setup).unwrap_or(Duration::MAX)
    }
}

impl TaskCount {
    /// How many tasks there are, if one takes so many seconds.
    fn estimate(self, task_s: f64) -> f64 {
        match self {
            Self::Exactly(count) => count as f64,
            Self::Time { time, multiple_of } => {
                let multiple = f64::from(multiple_of);
                (time.as_secs_f64() / task_s.max(1e-9) / multiple).round().max(1.0) * multiple
            }
        }
    }
}

impl TaskSpec {
    /// Seconds that one step waits, and that it computes on one CPU.
    fn estimate(&self, interpreter: bool) -> (f64, f64) {
        let slower = if interpreter { INTERPRETER } else { 1.0 };
        let counted = |count: f64, ns: f64| count * ns * slower / 1e9;
        let burn = |cpu: &CpuWork| burn(*cpu) * if matches!(cpu, CpuWork::Iterations(_)) { slower } else { 1.0 };
        match self {
            Self::SumOfSquares { n } => (0.0, counted(*n as f64, SQUARE_NS)),
            Self::Burn { cpu } => (0.0, burn(cpu)),
            Self::Primes { limit } => {
                // Nearly all divisions are spent on the primes, limit / ln(limit) of them, each by the odd numbers up
                // to its root.
                let limit = (*limit as f64).max(3.0);
                (0.0, counted(limit / limit.ln() * limit.sqrt() / 3.0, DIVISION_NS))
            }
            Self::Wait { io } => (io.as_secs_f64(), 0.0),
            Self::WaitAndBurn { io, cpu } => (io.as_secs_f64(), burn(cpu)),
            other => everyday::step(other),
        }
    }
}

/// Seconds of CPU work in our own workers.
fn burn(cpu: CpuWork) -> f64 {
    match cpu {
        CpuWork::Iterations(count) => count as f64 * BURN_NS / 1e9,
        CpuWork::Time(time) => time.as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(model: Model, workers: u32, lock: Lock, io: u64, cpu: u64) -> f64 {
        let task =
            TaskSpec::WaitAndBurn { io: Duration::from_millis(io), cpu: CpuWork::Time(Duration::from_millis(cpu)) };
        let work = BatchWork { model, workers, lock, switch_interval: None, tasks: 32.into(), steps: 5, task };
        let estimate = work.estimate(false, 4).as_secs_f64();
        (estimate * 100.0).round() / 100.0
    }

    #[test]
    fn waits_overlap_as_the_model_lets_them() {
        assert_eq!(seconds(Model::Sequential, 4, Lock::None, 10, 0), 1.6);
        assert_eq!(seconds(Model::Threads, 4, Lock::None, 10, 0), 0.4);
        assert_eq!(seconds(Model::Async, 4, Lock::None, 10, 0), 0.05);
        assert_eq!(seconds(Model::Loops, 4, Lock::Gil, 10, 0), 0.05);
    }

    #[test]
    fn work_spreads_over_cores_unless_a_lock_forbids_it() {
        assert_eq!(seconds(Model::Sequential, 4, Lock::None, 0, 10), 1.6);
        assert_eq!(seconds(Model::Threads, 4, Lock::None, 0, 10), 0.4);
        assert_eq!(seconds(Model::Threads, 4, Lock::Gil, 0, 10), 1.6);
        assert_eq!(seconds(Model::Processes, 4, Lock::Gil, 0, 10), 0.41);
        assert_eq!(seconds(Model::Loops, 8, Lock::None, 10, 10), 0.41);
    }
}
