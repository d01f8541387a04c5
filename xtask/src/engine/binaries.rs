//! Which program executes what: our own workers by operation, other runtimes by the command of the matrix.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use protocol::{Job, Task};

use super::build::workspace;
use super::spawn::WorkerCommand;
use crate::matrix::plan::{Need, Plan, RUST_RUNTIME, Runtime, Scenario, ServerSpec, TaskSpec, Work};

/// The worker, package and program, for CPU-bound operations.
pub const CPU_WORKER: &str = "cpu-worker";
/// The worker, package and program, for operations that wait.
pub const IO_WORKER: &str = "io-worker";
/// The worker for everyday jobs that need a library of some size: mail, databases, pictures, archives. Apart from the
/// others, so that who asks for something else does not wait for its compilation.
pub const EVERYDAY_WORKER: &str = "everyday-worker";
/// The mail server that `smtp-send` talks to.
pub const MAIL_SINK: &str = "mail-sink";
/// The HTTP server under test.
pub const SERVER: &str = "server";
/// The load generator.
pub const CLIENT: &str = "client";

/// Workers that take long to compile and are needed by few: built when the first scenario that needs them is reached.
pub const LATE: [&str; 2] = [EVERYDAY_WORKER, MAIL_SINK];

/// Where our own workers are, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Binaries(BTreeMap<&'static str, PathBuf>);

impl Binaries {
    /// Where this worker is, if it was built.
    #[must_use]
    pub fn path(&self, worker: &str) -> Option<&Path> {
        self.0.get(worker).map(PathBuf::as_path)
    }

    /// The workers and where they are, for the record of their hashes.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.0.iter().map(|(name, path)| (*name, path.as_path()))
    }
}

impl FromIterator<(&'static str, PathBuf)> for Binaries {
    fn from_iter<I: IntoIterator<Item = (&'static str, PathBuf)>>(paths: I) -> Self {
        Self(paths.into_iter().collect())
    }
}

/// Our worker for a job.
#[must_use]
pub fn worker_of(job: &Job) -> &'static str {
    let batch = match job {
        Job::Batch(batch) => batch,
        Job::Serve(_) => return SERVER,
        Job::Load(_) => return CLIENT,
        Job::Mail(_) => return MAIL_SINK,
    };
    match batch.task {
        Task::SumOfSquares { .. } | Task::Burn { .. } | Task::Primes { .. } => CPU_WORKER,
        Task::Wait { .. }
        | Task::WaitAndBurn { .. }
        | Task::Command { .. }
        | Task::HttpGet { .. }
        | Task::FileRead { .. }
        | Task::FileWrite { .. } => IO_WORKER,
        Task::SmtpSend { .. } | Task::DbSelect { .. } | Task::ResizeImage { .. } | Task::Zip { .. } => EVERYDAY_WORKER,
    }
}

/// Our worker for a task.
#[must_use]
pub fn worker_for(task: &TaskSpec) -> &'static str {
    match task {
        TaskSpec::SumOfSquares { .. } | TaskSpec::Burn { .. } | TaskSpec::Primes { .. } => CPU_WORKER,
        TaskSpec::Wait { .. }
        | TaskSpec::WaitAndBurn { .. }
        | TaskSpec::Command { .. }
        | TaskSpec::HttpGet { .. }
        | TaskSpec::FileRead { .. }
        | TaskSpec::FileWrite { .. } => IO_WORKER,
        TaskSpec::SmtpSend { .. } | TaskSpec::DbSelect { .. } | TaskSpec::ResizeImage { .. } | TaskSpec::Zip { .. } => {
            EVERYDAY_WORKER
        }
    }
}

/// Our workers that the cells of a plan need, those in `skip` (by id) left out. Calibration is a `burn`.
#[must_use]
pub fn needed(plan: &Plan, skip: &HashSet<String>) -> BTreeSet<&'static str> {
    plan.scenarios.iter().flat_map(|scenario| needed_by(scenario, skip)).collect()
}

/// The same for one scenario.
#[must_use]
pub fn needed_by(scenario: &Scenario, skip: &HashSet<String>) -> BTreeSet<&'static str> {
    let mut workers = BTreeSet::new();
    for cell in scenario.cells.iter().filter(|cell| !skip.contains(&cell.id)) {
        let is_ours = cell.runtime == RUST_RUNTIME;
        match &cell.work {
            Work::Batch(batch) => {
                if is_ours {
                    workers.insert(worker_for(&batch.task));
                }
                for need in batch.task.needs().iter().chain(&scenario.needs) {
                    match need {
                        Need::Mail { .. } => drop(workers.insert(MAIL_SINK)),
                        Need::Http { .. } => drop(workers.insert(SERVER)),
                        Need::Postgres | Need::ImageMagick | Need::Program(_) | Need::Folder(_) => {}
                    }
                }
            }
            Work::Http(http) => {
                workers.insert(CLIENT);
                if is_ours && matches!(http.server, ServerSpec::Own(_)) {
                    workers.insert(SERVER);
                }
            }
        }
        if cell.work.needs_calibration() && cell.burns_in() == RUST_RUNTIME {
            workers.insert(CPU_WORKER);
        }
    }
    workers
}

/// A runtime's program is not installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFound {
    /// The program as the matrix names it.
    pub program: String,
    /// How to get it.
    pub install: Option<String>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.program.contains('/') {
            write!(f, "{} is not an executable file", self.program)?;
        } else {
            write!(f, "{} is not on the PATH", self.program)?;
        }
        match &self.install {
            Some(install) => write!(f, "; to install it: {install}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NotFound {}

/// The command that starts a runtime's worker, as [`resolve_command`] finds it.
///
/// # Errors
/// There is no such executable file.
pub fn resolve(runtime: &Runtime) -> Result<WorkerCommand, NotFound> {
    resolve_command(runtime, &runtime.command)
}

/// A command of a runtime, with the program's path: a name is looked up on the PATH (the runtime's own, if its `env`
/// sets one), a relative path starts from the runtime's folder, in which the command is started.
///
/// A relative path that is no file there and one of this workspace, is that: so whoever has a matrix of his own
/// names our workers as the default matrix does.
///
/// # Errors
/// There is no such executable file.
pub fn resolve_command(runtime: &Runtime, command: &[String]) -> Result<WorkerCommand, NotFound> {
    let name = command.first().map_or("", String::as_str);
    let folder = env::current_dir().unwrap_or_default().join(&runtime.folder);
    let Some(program) = find_program(name, &runtime.env, &folder) else {
        return Err(NotFound { program: name.to_owned(), install: runtime.install.clone() });
    };
    let workspace = workspace();
    let arguments = command[1..].iter().map(|argument| file_of(argument, &folder, &workspace)).collect();
    Ok(WorkerCommand { program, arguments, environment: runtime.env.clone(), folder: Some(folder) })
}

/// The argument, or the file of the workspace that it means.
fn file_of(argument: &str, folder: &Path, workspace: &Path) -> String {
    let in_workspace = workspace.join(argument);
    if !argument.contains('/') || folder.join(argument).exists() || !in_workspace.is_file() {
        return argument.to_owned();
    }
    in_workspace.into_os_string().into_string().unwrap_or_else(|_| argument.to_owned())
}

/// The file of a program: a name is looked up on the PATH (that of `environment`, if it sets one), a relative path
/// starts from `folder`.
#[must_use]
pub fn find_program(name: &str, environment: &[(String, String)], folder: &Path) -> Option<PathBuf> {
    let own = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.into());
    let path = own.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let executable = |path: &PathBuf| path.is_file() && access(path.as_path(), AccessFlags::X_OK).is_ok();
    let found = if name.contains('/') {
        Some(folder.join(name)).filter(executable)
    } else if name.is_empty() {
        None
    } else {
        env::split_paths(&path).map(|folder| folder.join(name)).find(executable)
    };
    // Not canonical: a virtual environment's interpreter finds its home by the link that it was called by.
    std::path::absolute(found?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::scripted::plan_of;
    use super::*;
    use crate::matrix::plan::{CpuWork, Order};

    fn runtime(command: &str) -> Runtime {
        Runtime {
            name: "r".into(),
            command: vec![command.into(), "x".into()],
            version: None,
            install: Some("ask somebody".into()),
            env: vec![],
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn only_what_the_cells_need_is_built() {
        let mut plan = plan_of(Order::Sequential, 0, 1, &["a", "b", "c"]);
        let task = |plan: &mut Plan, cell: usize, spec| {
            let batch = crate::stats::fixtures::work_of(&mut plan.scenarios[0].cells[cell]);
            batch.task = spec;
        };
        let io = std::time::Duration::from_millis(1);
        task(&mut plan, 1, TaskSpec::WaitAndBurn { io, cpu: CpuWork::Iterations(5) });
        plan.scenarios[0].cells[2].runtime = "python3".into();
        assert_eq!(needed(&plan, &HashSet::new()), BTreeSet::from([CPU_WORKER, IO_WORKER]));

        let skip = HashSet::from(["s/cell=a".to_owned()]);
        assert_eq!(needed(&plan, &skip), BTreeSet::from([IO_WORKER]));
        task(&mut plan, 1, TaskSpec::WaitAndBurn { io, cpu: CpuWork::Time(io) });
        assert_eq!(needed(&plan, &skip), BTreeSet::from([CPU_WORKER, IO_WORKER]), "calibration burns");
    }

    #[test]
    fn a_name_is_looked_up_on_the_path() {
        let command = resolve(&runtime("sh")).unwrap();
        assert!(command.program.is_absolute() && command.program.ends_with("sh"), "{command:?}");
        assert_eq!(command.arguments, ["x"]);
    }

    #[test]
    fn a_program_that_is_not_installed_comes_with_a_hint() {
        let text = resolve(&runtime("no-such-program-1")).unwrap_err().to_string();
        assert_eq!(text, "no-such-program-1 is not on the PATH; to install it: ask somebody");
        let text = resolve(&runtime("./no/such/program")).unwrap_err().to_string();
        assert_eq!(text, "./no/such/program is not an executable file; to install it: ask somebody");
    }

    #[test]
    fn a_file_that_may_not_be_executed_is_no_program() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(resolve(&runtime(file.path().to_str().unwrap())).is_err());
    }
}
