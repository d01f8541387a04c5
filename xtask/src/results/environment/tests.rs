//! Repositories and workers made by hand.

use super::*;

fn captured(workspace: &Path, workers: &[PathBuf]) -> Environment {
    let results = workspace.join("results");
    Environment::capture(&Setting { workspace, results: &results, seed: 7, profile: "release", workers })
}

#[test]
fn outside_a_repository_everything_but_git_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let environment = captured(folder.path(), &[]);
    assert!(!environment.command_line[0].contains('/'), "{:?}", environment.command_line);
    assert_eq!((environment.git.clone(), environment.commit()), (None, None));
    assert!(environment.rustc.as_deref().is_some_and(|version| version.starts_with("rustc ")));
    let back: Environment = serde_json::from_str(&environment.to_json()).unwrap();
    assert_eq!(back, environment);
}

#[test]
fn a_worker_is_told_by_its_hash_and_a_missing_one_by_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cpu-worker");
    std::fs::write(&path, "abc").unwrap();
    let workers = captured(folder.path(), &[path, folder.path().join("io-worker")]).workers;
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(workers[0], WorkerBinary { name: "cpu-worker".to_owned(), sha256: Some(abc.to_owned()) });
    assert_eq!(workers[1], WorkerBinary { name: "io-worker".to_owned(), sha256: None });
}

#[test]
fn what_a_runtime_told_beforehand_is_not_lost_when_it_gets_ready() {
    let folder = tempfile::tempdir().unwrap();
    let mut environment = captured(folder.path(), &[]);
    let runtime = Runtime {
        name: "python3".to_owned(),
        command: vec!["sh".to_owned(), "worker.py".to_owned()],
        version: None,
        install: None,
        env: vec![("PYTHON_GIL".to_owned(), "0".to_owned())],
        folder: PathBuf::new(),
    };
    let probe = Probe { ready: None, version: Some("Python 3.14.0".to_owned()) };
    environment.note_runtime(&[runtime], "python3", &probe);
    let ready = Ready {
        protocol: 1,
        worker: "python-worker 1".to_owned(),
        runtime: "cpython 3.14.0".to_owned(),
        facts: [("gil_enabled".to_owned(), false.into())].into(),
        ports: vec![],
    };
    environment.note_ready("python3", &ready);
    environment.note_ready("python3", &Ready { worker: "client".to_owned(), ..ready.clone() });
    let facts = &environment.runtimes["python3"];
    assert_eq!(facts.worker.as_deref(), Some("python-worker 1"), "the first counts");
    assert_eq!(facts.version.as_deref(), Some("cpython 3.14.0"));
    assert_eq!(facts.version_command.as_deref(), Some("Python 3.14.0"));
    assert_eq!(facts.facts, ready.facts);
    let command = facts.command.clone().unwrap();
    assert_eq!((command[0].as_str(), command[2].as_str()), ("PYTHON_GIL=0", "worker.py"));
    assert!(command[1].ends_with("/sh"), "{command:?}");
}

#[test]
fn a_commit_tells_whether_the_tree_was_clean_and_stayed_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut environment = captured(folder.path(), &[]);
    let state = |commit: &str, dirty| Some(GitState { commit: commit.repeat(40), dirty });
    environment.git = state("a", false);
    assert_eq!(environment.commit().unwrap(), "aaaaaaaaaa");
    environment.git_at_end = state("b", false);
    assert_eq!(environment.commit().unwrap(), "aaaaaaaaaa (changed during the run)");
    environment.git = state("a", true);
    assert_eq!(environment.commit().unwrap(), "aaaaaaaaaa (dirty)");
}

#[test]
fn a_program_below_the_home_folder_does_not_tell_whose_that_is() {
    let home = std::env::home_dir().unwrap();
    assert_eq!(without_home(&home.join("bin/python3")), "~/bin/python3");
    assert_eq!(without_home(Path::new("/usr/bin/python3")), "/usr/bin/python3");
}
