//! Cells made by hand, each with another limit.

use std::time::Duration;

use super::*;
use crate::matrix::axis::Axes;
use crate::stats::fixtures::{batch, sample_record, tasks_of, work_of};

const MS: u64 = 1_000_000;

/// A cell of 100 ms with these figures.
struct Made {
    task: TaskSpec,
    model: Model,
    lock: Lock,
    cpu_ms: u64,
    lock_wait_ms: u64,
    disk_bytes: u64,
    io_pressure_ms: Option<u64>,
}

fn waiting() -> TaskSpec {
    TaskSpec::Wait { io: Duration::from_millis(10) }
}

fn writing() -> TaskSpec {
    TaskSpec::FileWrite { size_bytes: 1 << 20, fsync: true, folder: None }
}

fn primes() -> TaskSpec {
    TaskSpec::Primes { limit: 1000 }
}

/// Four workers on two CPUs that compute nothing.
fn idle(task: TaskSpec) -> Made {
    let (model, lock) = (Model::Threads, Lock::Gvl);
    Made { task, model, lock, cpu_ms: 0, lock_wait_ms: 0, disk_bytes: 0, io_pressure_ms: Some(0) }
}

impl Made {
    fn limit(self) -> Option<Limit> {
        self.limit_in(RUST_RUNTIME)
    }

    fn limit_in(self, runtime: &str) -> Option<Limit> {
        let mut cell = batch(self.model);
        cell.runtime = runtime.to_owned();
        let work = work_of(&mut cell);
        (work.task, work.lock, work.workers) = (self.task, self.lock, 4);
        let mut record = sample_record("s/x", 1, false, 100 * MS);
        let usage = tasks_of(&mut record).usage.as_mut().unwrap();
        (usage.user_ns, usage.sys_ns) = (Some(self.cpu_ms * MS), Some(0));
        usage.lock_wait_ns = Some(self.lock_wait_ms * MS);
        (usage.disk_read_bytes, usage.disk_write_bytes) = (Some(0), Some(self.disk_bytes));
        record.machine.io_pressure_ns = self.io_pressure_ms.map(|ms| ms * MS);
        let mut summary = CellSummary::without_figures(String::new(), Axes::new());
        #[expect(clippy::cast_precision_loss, reason = "a made-up time")]
        let cores_used = self.cpu_ms as f64 / 100.0;
        summary.cores_used = Some(cores_used);
        (summary.usage.disk_read_bytes, summary.usage.disk_write_bytes) = (Some(0), Some(self.disk_bytes));
        limited_by(&cell, 2, &[&record], &summary).map(|limited| limited.limit)
    }
}

#[test]
fn threads_that_queue_for_the_lock_are_held_back_by_it_although_a_cpu_is_busy() {
    let made = Made { cpu_ms: 100, lock_wait_ms: 300, ..idle(primes()) };
    assert_eq!(made.limit(), Some(Limit::Lock));
}

#[test]
fn busy_cpus_are_the_limit_of_whoever_can_use_no_more() {
    let without = Made { lock: Lock::None, cpu_ms: 195, ..idle(primes()) };
    assert_eq!(without.limit(), Some(Limit::Cpu));
    let one_thread = Made { model: Model::Sequential, cpu_ms: 99, ..idle(primes()) };
    assert_eq!(one_thread.limit(), Some(Limit::Cpu));
    let one_loop = Made { model: Model::Async, cpu_ms: 99, ..idle(primes()) };
    assert_eq!(one_loop.limit(), Some(Limit::Cpu));
    let processes = Made { model: Model::Processes, cpu_ms: 190, ..idle(primes()) };
    assert_eq!(processes.limit(), Some(Limit::Cpu));
}

#[test]
fn our_event_loop_can_use_all_cpus_for_files_and_that_of_an_interpreter_one() {
    let reads = || Made {
        model: Model::Async,
        cpu_ms: 120,
        ..idle(TaskSpec::FileRead { size_bytes: 1 << 20, cold: false, folder: None })
    };
    assert_eq!(reads().limit(), None, "1.2 of 2");
    assert_eq!(Made { cpu_ms: 190, ..reads() }.limit(), Some(Limit::Cpu));
    assert_eq!(Made { cpu_ms: 99, ..reads() }.limit_in("python3"), Some(Limit::Cpu));
}

#[test]
fn whoever_waits_without_a_disk_waits_for_a_peer() {
    assert_eq!(Made { cpu_ms: 2, ..idle(waiting()) }.limit(), Some(Limit::Peer));
    assert_eq!(Made { disk_bytes: 12_288, ..idle(waiting()) }.limit(), Some(Limit::Peer));
    // Others who use the disk do not change that.
    assert_eq!(Made { cpu_ms: 2, io_pressure_ms: Some(90), ..idle(waiting()) }.limit(), Some(Limit::Peer));
}

#[test]
fn a_write_that_waits_for_storage_is_held_back_by_the_disk() {
    let made = Made { cpu_ms: 10, disk_bytes: 1 << 20, io_pressure_ms: Some(80), ..idle(writing()) };
    assert_eq!(made.limit(), Some(Limit::Disk));
    let unknown = Made { cpu_ms: 10, disk_bytes: 1 << 20, io_pressure_ms: None, ..idle(writing()) };
    assert_eq!(unknown.limit(), Some(Limit::Disk), "where the system does not tell who waits, the task does");
}

#[test]
fn figures_that_do_not_tell_say_nothing() {
    let cached = Made { cpu_ms: 60, lock: Lock::None, ..idle(writing()) };
    assert_eq!(cached.limit(), None, "nothing reached the disk, and no CPU is full");
    let quiet_disk = Made { cpu_ms: 10, disk_bytes: 1 << 20, io_pressure_ms: Some(1), ..idle(writing()) };
    assert_eq!(quiet_disk.limit(), None);
    let half_busy = Made { cpu_ms: 120, lock: Lock::None, ..idle(waiting()) };
    assert_eq!(half_busy.limit(), None);
    assert_eq!(Made { cpu_ms: 60, ..idle(primes()) }.limit(), None, "a disturbed run");
}

#[test]
fn a_cell_whose_cpu_time_is_unknown_says_nothing() {
    let summary = CellSummary::without_figures(String::new(), Axes::new());
    let record = sample_record("s/x", 1, false, MS);
    assert_eq!(limited_by(&batch(Model::Threads), 2, &[&record], &summary), None);
}
