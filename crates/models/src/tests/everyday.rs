//! Operations that need somebody to talk to, or a folder, under every model.

use super::{
    peers::{http_server, mail_server},
    *,
};

/// The operations that need somebody to talk to, or a folder.
pub fn operations_with(folder: &str) -> Vec<(Task, &'static str)> {
    let folder = || folder.to_owned();
    let mut operations = vec![
        (Task::Command { argv: vec!["true".to_owned()] }, "b92a75cd33f8326f"),
        (http_get(false), "5793bdaf7a5f9687"),
        (http_get(true), "5793bdaf7a5f9687"),
        (Task::FileRead { folder: folder(), size_bytes: 1000, cold: false }, "2d9f909afaf66f78"),
        (Task::FileRead { folder: folder(), size_bytes: 1000, cold: true }, "2d9f909afaf66f78"),
        (Task::FileWrite { folder: folder(), size_bytes: 1000, fsync: false }, "5793bdaf7a5f9687"),
        (Task::FileWrite { folder: folder(), size_bytes: 1000, fsync: true }, "5793bdaf7a5f9687"),
    ];
    if cfg!(feature = "everyday") {
        let by = || protocol::By::Library;
        let sqlite = Task::DbSelect {
            database: protocol::Database::Sqlite,
            connection: ":memory:".to_owned(),
            connections: 2,
            query: protocol::Query::Compute { rows: 1000 },
        };
        operations.extend([
            (Task::SmtpSend { address: mail_server(), body_bytes: 1000 }, "5793bdaf7a5f9687"),
            (sqlite, "dcf19c9a6dd128a9"),
            (Task::ResizeImage { folder: folder(), source_width: 160, width: 80, by: by() }, "e5b7fd64cfcadd0a"),
            (Task::Zip { folder: folder(), files: 3, file_bytes: 1000, by: by() }, "abaf42e356c2eaa0"),
        ]);
    }
    operations
}

fn http_get(keep_alive: bool) -> Task {
    Task::HttpGet { address: http_server(), path: "/".to_owned(), keep_alive }
}

#[test]
fn everyday_operations_come_to_the_same_under_every_model_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (task, expected) in operations_with(folder.path().to_str().unwrap()) {
        for lock in [Lock::None, Lock::Gvl] {
            for model in IN_PROCESS {
                let outcome = run(&job(model, 3, lock, task.clone())).unwrap();
                assert_eq!(checksum(&outcome), expected, "{model} {task:?} {lock}");
                assert_eq!(outcome.by_worker.iter().sum::<u64>(), 7, "{model} {task:?} {lock}");
            }
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn hundreds_of_tasks_at_once_do_not_meet_the_limit_of_open_files() {
    let folder = tempfile::tempdir().unwrap();
    for (task, _) in operations_with(folder.path().to_str().unwrap()) {
        let batch = Batch::new(&job(Model::Async, 1, Lock::None, task.clone())).unwrap();
        if batch.operation.computes() {
            continue;
        }
        for model in [Model::Async, Model::WorkStealing] {
            let outcome = run(&BatchJob { tasks: 300, steps: 1, ..job(model, 2, Lock::Gil, task.clone()) }).unwrap();
            assert_eq!(outcome.by_worker.iter().sum::<u64>(), 300, "{model} {task:?}");
        }
    }
}

#[test]
fn a_peer_that_is_not_there_is_an_error_of_the_run_in_every_model() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for model in IN_PROCESS {
        for lock in [Lock::None, Lock::Gil, Lock::Gvl] {
            let task = Task::HttpGet { address: address.clone(), path: "/".to_owned(), keep_alive: false };
            let error = run(&BatchJob { tasks: 200, ..job(model, 2, lock, task) }).unwrap_err();
            let expected = format!("connection refused by {address}: is the HTTP server running there?");
            assert_eq!(format!("{error:#}"), expected, "{model} {lock}");
        }
    }
}

#[test]
fn a_job_is_prepared_once_for_all_its_runs() {
    let folder = tempfile::tempdir().unwrap();
    let task = Task::FileRead { folder: folder.path().to_str().unwrap().to_owned(), size_bytes: 100, cold: false };
    let batch = Batch::new(&job(Model::Threads, 2, Lock::Gil, task)).unwrap();
    let made = |batch: &Batch| std::fs::metadata(batch.operation.inputs().unwrap()).unwrap().modified().unwrap();
    let before = made(&batch);
    for _ in 0..3 {
        run_batch(&Arc::new(batch.anew())).unwrap();
    }
    assert_eq!(made(&batch), before);
    drop(batch);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
