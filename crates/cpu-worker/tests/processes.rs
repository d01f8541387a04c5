//! The `processes` model, whose children are this worker again.
#![cfg(target_os = "linux")]

mod support;

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use protocol::{BatchJob, Lock, Model, Task};
use support::{Worker, job};

/// Long enough for any test to act before it is over.
const LONG: Task = Task::Burn { iterations: 100_000_000_000 };

/// The processes whose parent is `parent`, those that have ended but were not reaped included.
fn children_of(parent: u32) -> Vec<i32> {
    let stats =
        fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    stats
        .filter_map(|stat| {
            // "1234 (name) S 1200 …", where the name may have spaces.
            let (pid, rest) = stat.split_once(" (")?;
            let (_, rest) = rest.rsplit_once(") ")?;
            let (_state, rest) = rest.split_once(' ')?;
            let (its_parent, _) = rest.split_once(' ')?;
            (its_parent.parse() == Ok(parent)).then(|| pid.parse().ok())?
        })
        .collect()
}

fn is_alive(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Waits until `condition` holds.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}: still not true");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A worker in the middle of a long run, and its children.
fn worker_at_work(workers: u32) -> (Worker, Vec<i32>) {
    let mut worker = Worker::start();
    worker.accept(job(Model::Processes, workers, LONG));
    worker.ask_for_run();
    let pid = worker.process.id();
    eventually("all children are there", || children_of(pid).len() == workers as usize);
    // Past the start: every child has been given its run when it has used CPU time.
    thread::sleep(Duration::from_millis(200));
    (worker, children_of(pid))
}

#[test]
fn processes_compute_the_same_as_every_other_model() {
    for (task, checksum) in [
        (Task::SumOfSquares { n: 300 }, "f17f45ed302ed134"),
        (Task::Burn { iterations: 300 }, "3551afa3170a1475"),
        (Task::Primes { limit: 100 }, "2590131bddf0af3d"),
    ] {
        for &lock in Lock::ALL {
            let mut worker = Worker::start();
            worker.accept(BatchJob { lock, ..job(Model::Processes, 3, task.clone()) });
            let sample = worker.run();
            assert_eq!(sample.checksum, checksum, "{task:?} {lock}");
            assert_eq!(sample.workers, [3, 2, 2]);
        }
    }
}

#[test]
fn more_processes_than_tasks_are_no_problem() {
    let mut worker = Worker::start();
    worker.accept(job(Model::Processes, 9, Task::Burn { iterations: 300 }));
    assert_eq!(worker.run().workers, [1, 1, 1, 1, 1, 1, 1, 0, 0]);
}

#[test]
fn the_usage_counts_every_process() {
    let mut worker = Worker::start();
    worker.accept(job(Model::Processes, 2, Task::Burn { iterations: 2_000_000 }));
    let usage = worker.run().usage.unwrap();
    assert_eq!(usage.processes, Some(3));
    assert!(usage.user_ns.unwrap() > 0);
    assert!(usage.peak_rss_bytes.unwrap() > 1_500_000);
}

#[test]
fn no_child_is_left_after_a_run() {
    let mut worker = Worker::start();
    worker.accept(job(Model::Processes, 2, Task::Burn { iterations: 300 }));
    worker.run();
    worker.run();
    assert_eq!(children_of(worker.process.id()), [0; 0]);
    assert_eq!(worker.end().code(), Some(0));
}

#[test]
fn a_child_that_is_killed_fails_the_run_with_its_signal_and_leaves_nothing_behind() {
    for victim in 0..2 {
        let (mut worker, children) = worker_at_work(2);
        kill(Pid::from_raw(children[victim]), Signal::SIGKILL).unwrap();
        let message = worker.error_of_run();
        assert!(message.starts_with("child process "), "{message}");
        assert!(message.ends_with("ended before it had answered, with signal: 9 (SIGKILL)"), "{message}");
        assert_eq!(children_of(worker.process.id()), [0; 0], "neither survivors nor zombies");
        // The worker itself is fine.
        worker.accept(job(Model::Processes, 2, Task::Burn { iterations: 300 }));
        assert_eq!(worker.run().checksum, "3551afa3170a1475");
    }
}

#[test]
fn children_die_with_the_worker() {
    let (mut worker, children) = worker_at_work(2);
    worker.process.kill().unwrap();
    worker.process.wait().unwrap();
    eventually("all children have died", || !children.iter().any(|&child| is_alive(child)));
}

#[test]
fn children_stay_in_the_process_group_of_the_worker() {
    let (worker, children) = worker_at_work(2);
    let group = |pid: i32| nix::unistd::getpgid(Some(Pid::from_raw(pid))).unwrap();
    let own = group(i32::try_from(worker.process.id()).unwrap());
    assert_eq!(children.into_iter().map(group).collect::<Vec<_>>(), [own, own]);
}

#[test]
fn a_child_that_is_refused_its_parent_exits_at_once() {
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_cpu-worker"))
        .env(protocol::PARENT_PID_VARIABLE, "1")
        .stdin(std::process::Stdio::piped())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}
