//! Pictures, archives and SQLite under every model, as processes too.

mod support;

use protocol::{By, Database, Lock, Model, Query, Reply, Task};
use support::{error, job, run, say, text};

fn sqlite(query: Query) -> Task {
    Task::DbSelect { database: Database::Sqlite, connection: ":memory:".to_owned(), connections: 1, query }
}

#[test]
fn libraries_give_the_same_under_every_model_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = || text(folder.path());
    let tasks = [
        (sqlite(Query::Compute { rows: 1000 }), "dcf19c9a6dd128a9"),
        (Task::ResizeImage { folder: path(), source_width: 160, width: 80, by: By::Library }, "e5b7fd64cfcadd0a"),
        (Task::Zip { folder: path(), files: 3, file_bytes: 1000, by: By::Library }, "abaf42e356c2eaa0"),
    ];
    for (task, checksum) in tasks {
        for &model in Model::ALL.iter().filter(|model| model.language().is_none()) {
            let replies = say(&[job(model, Lock::Gvl, task.clone()), run(), run()]);
            let [Reply::Ready(ready), Reply::Sample(first), Reply::Sample(second)] = &replies[..] else {
                panic!("{model} {task:?}: {replies:?}")
            };
            assert!(ready.worker.starts_with("everyday-worker "));
            assert_eq!([&first.checksum, &second.checksum], [checksum; 2], "{model} {task:?}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{model} {task:?}");
        }
    }
}

#[test]
fn a_job_with_a_database_tells_its_version() {
    let replies = say(&[job(Model::Threads, Lock::None, sqlite(Query::Compute { rows: 1 }))]);
    let [Reply::Ready(ready)] = &replies[..] else { panic!("{replies:?}") };
    assert!(ready.facts["database_version"].as_str().unwrap().starts_with("SQLite 3."), "{:?}", ready.facts);
}

#[test]
fn what_others_do_and_what_nobody_can_is_unsupported() {
    let refusal = |task| match &say(&[job(Model::Threads, Lock::None, task)])[..] {
        [Reply::Unsupported { message }] => message.clone(),
        replies => panic!("{replies:?}"),
    };
    assert_eq!(refusal(Task::Primes { limit: 9 }), "everyday-worker does not do primes: cpu-worker does");
    assert_eq!(
        refusal(Task::Command { argv: vec!["true".to_owned()] }),
        "everyday-worker does not do command: io-worker does"
    );
    assert_eq!(
        refusal(sqlite(Query::Wait { io_ns: 1 })),
        "SQLite is a library and cannot wait: let it compute, or ask postgres"
    );
}

#[test]
fn a_database_that_is_not_there_is_an_error_of_the_job() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = |connection: String| {
        let query = Query::Compute { rows: 1 };
        let task = Task::DbSelect { database: Database::Postgres, connection, connections: 1, query };
        error(&say(&[job(Model::Async, Lock::None, task)]))
    };
    assert_eq!(
        refused(format!("postgresql://parallax:secret@{address}/parallax")),
        format!("connection refused by {address}: is the database running there?")
    );
    assert_eq!(
        refused("host=/no/such/folder user=parallax".to_owned()),
        "there is no socket /no/such/folder/.s.PGSQL.5432: is the database running there?"
    );
    assert!(refused("nonsense".to_owned()).starts_with("\"nonsense\" is no address of PostgreSQL: give postgresql://"));
}
