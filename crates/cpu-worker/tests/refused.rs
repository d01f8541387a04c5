//! A system that has no threads left for the worker.
#![cfg(target_os = "linux")]

mod support;

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::Command,
};

use nix::unistd::geteuid;
use protocol::{Job, Lock, Model, Reply, Request, Task, VERSION};
use support::{Worker, job};

/// A user that has hardly any processes. The limit does not hold for root.
const NOBODY: u32 = 65_534;

#[test]
fn a_thread_that_the_system_refuses_is_an_error_and_not_a_hang() {
    // Where nobody else may look into the folder of the build.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("cpu-worker");
    fs::copy(env!("CARGO_BIN_EXE_cpu-worker"), &program).unwrap();
    for model in [Model::Threads, Model::Loops, Model::WorkStealing, Model::Rayon, Model::Offload] {
        for &lock in Lock::ALL {
            let mut command = Command::new("sh");
            // `-u` in bash, `-p` in dash.
            command.args(["-c", "ulimit -u 20 2>/dev/null || ulimit -p 20; exec \"$0\""]).arg(&program);
            if geteuid().is_root() {
                command.uid(NOBODY);
            }
            let mut worker = Worker::start_by(&mut command);
            let many = protocol::BatchJob { lock, ..job(model, 100, Task::Burn { iterations: 1 }) };
            worker.say(Request::Job { protocol: VERSION, job: Job::Batch(many) }.to_line().trim_end());
            let mut reply = worker.hear();
            if matches!(reply, Reply::Ready(_)) {
                worker.ask_for_run();
                reply = worker.hear();
            }
            let Reply::Error { message } = reply else { panic!("{model} {lock}: {reply:?}") };
            assert!(message.starts_with("cannot start the") || message.starts_with("cannot start thread"), "{message}");
            assert_eq!(worker.end().code(), Some(0), "{model} {lock}");
        }
    }
}
