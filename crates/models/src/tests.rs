//! What holds for every model. `processes` starts the program again that it runs in, so its tests are with the worker
//! binaries (`crates/cpu-worker/tests`).

use protocol::{Lock, Task};
use workloads::{Faulty, Operation};

use self::everyday::operations_with;

use super::*;

mod everyday;
mod peers;

const IN_PROCESS: [Model; 7] =
    [Model::Sequential, Model::Threads, Model::Async, Model::Loops, Model::WorkStealing, Model::Rayon, Model::Offload];

fn job(model: Model, workers: u32, lock: Lock, task: Task) -> BatchJob {
    BatchJob { model, workers, lock, switch_interval_ns: Some(200_000), tasks: 7, first_task: 0, steps: 2, task }
}

fn checksum(outcome: &Outcome) -> String {
    outcome.checksum.to_string()
}

/// Every operation that needs nothing, with the checksum of seven tasks of two steps (computed by a Python program).
fn operations() -> Vec<(Task, &'static str)> {
    vec![
        (Task::SumOfSquares { n: 300 }, "f17f45ed302ed134"),
        (Task::Burn { iterations: 300 }, "3551afa3170a1475"),
        (Task::Primes { limit: 100 }, "2590131bddf0af3d"),
        (Task::Wait { io_ns: 100_000 }, "af5a5c3583097f60"),
        (Task::WaitAndBurn { io_ns: 100_000, iterations: 300 }, "3551afa3170a1475"),
    ]
}

#[test]
fn every_model_computes_the_same_whatever_the_lock_and_the_workers() {
    for model in IN_PROCESS {
        for (task, expected) in operations() {
            for &lock in Lock::ALL {
                for workers in [1, 3] {
                    let outcome = run(&job(model, workers, lock, task.clone())).unwrap();
                    assert_eq!(checksum(&outcome), expected, "{model} {task:?} {lock} {workers}");
                    assert_eq!(outcome.by_worker.iter().sum::<u64>(), 7, "{model} {task:?} {lock} {workers}");
                }
            }
        }
    }
}

#[test]
fn threads_that_compute_under_a_lock_have_waited_for_it() {
    for lock in [Lock::Gil, Lock::Gvl] {
        let batch = Batch::new(&job(Model::Threads, 2, lock, Task::Burn { iterations: 1_000_000 })).unwrap();
        let batch = Arc::new(batch.anew());
        let outcome = run_batch(&batch).unwrap();
        let waited = batch.lock.waited().unwrap();
        // Of two threads one waits at any time, until the other has no more tasks.
        assert!(waited > outcome.elapsed / 4, "{lock}: {waited:?} of {:?}", outcome.elapsed);
        assert!(waited < outcome.elapsed * 2, "{lock}: {waited:?} of {:?}", outcome.elapsed);
        assert_eq!(batch.anew().lock.waited(), Some(std::time::Duration::ZERO), "each run has a lock of its own");
    }
    let batch = Batch::new(&job(Model::Threads, 2, Lock::None, Task::Burn { iterations: 1 })).unwrap();
    assert_eq!(batch.lock.waited(), None);
}

#[test]
fn the_examples_of_the_protocol_text_hold() {
    let text = include_str!("../../../docs/protocol.md");
    let folder = tempfile::tempdir().unwrap();
    let mut examples = vec![
        ("| `sum-of-squares`, ", Task::SumOfSquares { n: 1000 }),
        ("| `burn`, ", Task::Burn { iterations: 1000 }),
        ("| `primes`, ", Task::Primes { limit: 1000 }),
        ("| `wait`, ", Task::Wait { io_ns: 1000 }),
        ("| `wait-and-burn`, ", Task::WaitAndBurn { io_ns: 1000, iterations: 1000 }),
    ];
    for (task, _) in operations_with(folder.path().to_str().unwrap()) {
        let beginning = match task {
            Task::Command { .. } => "| `command`, any",
            Task::HttpGet { .. } => "| `http-get` of a body of 1000 bytes",
            Task::SmtpSend { .. } => "| `smtp-send`, `body_bytes` 1000",
            Task::DbSelect { .. } => "| `db-select`, `compute` of 1000 `rows`",
            Task::FileRead { .. } => "| `file-read`, `size_bytes` 1000",
            Task::FileWrite { .. } => "| `file-write`, `size_bytes` 1000",
            Task::ResizeImage { .. } => "| `resize-image`, `width` 80",
            Task::Zip { .. } => "| `zip`, `files` 3, `file_bytes` 1000",
            _ => unreachable!("these need nothing: {task:?}"),
        };
        examples.push((beginning, task));
    }
    for (beginning, task) in examples {
        let row = text.lines().find(|line| line.starts_with(beginning)).unwrap();
        let three = run(&BatchJob { tasks: 3, ..job(Model::Sequential, 1, Lock::None, task.clone()) }).unwrap();
        let first = run(&BatchJob { tasks: 1, ..job(Model::Sequential, 1, Lock::None, task) }).unwrap();
        assert!(row.ends_with(&format!("`{}` | `{}` |", checksum(&first), checksum(&three))), "{row}");
    }
}

#[test]
fn burning_for_longer_than_the_switch_interval_under_a_lock_ends_in_every_model() {
    for model in IN_PROCESS {
        for lock in [Lock::Gil, Lock::Gvl] {
            let task = Task::WaitAndBurn { io_ns: 50_000, iterations: 20_000 };
            let outcome = run(&BatchJob { tasks: 40, ..job(model, 3, lock, task) }).unwrap();
            assert_eq!(outcome.by_worker.iter().sum::<u64>(), 40, "{model} {lock}");
        }
    }
}

#[test]
fn a_part_of_the_tasks_gives_its_part_of_the_checksum() {
    for model in IN_PROCESS {
        let whole = job(model, 2, Lock::None, Task::Burn { iterations: 300 });
        let first = run(&BatchJob { tasks: 2, ..whole.clone() }).unwrap();
        let rest = run(&BatchJob { tasks: 5, first_task: 2, ..whole }).unwrap();
        assert_eq!(checksum(&first), "ec20460c4d53de87", "{model}");
        assert_eq!(checksum(&rest), "49316996c9b635ee", "{model}");
    }
}

#[test]
fn no_tasks_are_done_at_once_with_the_checksum_zero() {
    for model in IN_PROCESS {
        let outcome = run(&BatchJob { tasks: 0, ..job(model, 2, Lock::Gil, Task::Burn { iterations: 1 }) }).unwrap();
        assert_eq!((checksum(&outcome).as_str(), outcome.by_worker.iter().sum()), ("0000000000000000", 0), "{model}");
    }
}

#[test]
fn tasks_are_counted_for_each_worker() {
    let by_worker = |model, task| run(&job(model, 3, Lock::None, task)).unwrap().by_worker;
    let burn = Task::Burn { iterations: 1 };
    assert_eq!(by_worker(Model::Sequential, burn.clone()), [7]);
    assert_eq!(by_worker(Model::Async, burn.clone()), [7]);
    assert_eq!(by_worker(Model::Loops, burn.clone()), [3, 2, 2]);
    for model in [Model::Threads, Model::WorkStealing, Model::Rayon, Model::Offload] {
        assert_eq!(by_worker(model, burn.clone()).len(), 3, "{model}");
    }
    assert_eq!(by_worker(Model::Offload, Task::Wait { io_ns: 1 }), [7], "waits stay on the loop");
}

#[test]
fn waits_on_event_loops_overlap_and_waits_of_one_thread_do_not() {
    let task = Task::Wait { io_ns: 2_000_000 };
    // Seven tasks, two steps each: 28 ms one after another, 4 ms at once.
    let sequential = run(&job(Model::Sequential, 1, Lock::None, task.clone())).unwrap();
    assert!(sequential.elapsed.as_millis() >= 28, "{:?}", sequential.elapsed);
    for model in [Model::Async, Model::Loops, Model::WorkStealing, Model::Offload] {
        let outcome = run(&job(model, 1, Lock::Gil, task.clone())).unwrap();
        assert!(outcome.elapsed.as_millis() >= 4, "{model} {:?}", outcome.elapsed);
    }
}

#[test]
fn a_task_that_goes_wrong_is_an_error_of_the_run_and_not_a_hang() {
    let faults = [
        (Faulty::WaitFails, "the wait failed"),
        (Faulty::ComputeFails, "the computation failed"),
        (Faulty::ComputePanics, "panicked: the computation broke"),
    ];
    for model in IN_PROCESS {
        for lock in [Lock::None, Lock::Gil] {
            for (fault, expected) in faults {
                let mut batch = Batch::new(&job(model, 2, lock, Task::Wait { io_ns: 0 })).unwrap();
                batch.operation = Operation::Faulty(fault);
                let error = run_batch(&Arc::new(batch)).unwrap_err();
                assert_eq!(format!("{error:#}"), expected, "{model} {lock} {fault:?}");
            }
        }
    }
}

#[test]
fn a_wait_that_panics_is_an_error_too() {
    for model in IN_PROCESS {
        let mut batch = Batch::new(&job(model, 2, Lock::None, Task::Wait { io_ns: 0 })).unwrap();
        batch.operation = Operation::Faulty(Faulty::WaitPanics);
        let error = format!("{:#}", run_batch(&Arc::new(batch)).unwrap_err());
        assert!(error.contains("panicked"), "{model}: {error}");
    }
}

#[test]
fn an_impossible_job_is_refused_before_anything_starts() {
    let error = run(&job(Model::Threads, 0, Lock::None, Task::Burn { iterations: 1 })).unwrap_err();
    assert_eq!(error.to_string(), "workers is 0: a job needs at least one");
}
