//! The bare loops: each model's primitive, written straight, doing the same empty task.

use std::{
    cell::Cell,
    env,
    hint::black_box,
    io::{BufRead, BufReader, Write, stdin, stdout},
    process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio},
    rc::Rc,
    sync::{
        Arc, Barrier,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use protocol::{Checksum, Model, fold, task_seed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use tokio::{
    runtime::{Builder, LocalOptions, LocalRuntime},
    sync::oneshot,
    task::{spawn_blocking, spawn_local},
};

const CHILD_VARIABLE: &str = "BARE_CHILD";

type Measured = (Duration, Checksum);

pub fn run(model: Model, tasks: u64, workers: usize) -> Measured {
    let iterations = black_box(0);
    match model {
        Model::Sequential => sequential(tasks, iterations),
        Model::Threads => threads(tasks, workers, iterations),
        Model::Processes => processes(tasks, workers),
        Model::Async => one_loop(tasks, iterations),
        Model::Loops => loops(tasks, workers, iterations),
        Model::WorkStealing => work_stealing(tasks, workers, iterations),
        Model::Rayon => rayon(tasks, workers, iterations),
        Model::Offload => offload(tasks, workers, iterations),
        Model::Interpreters | Model::Ractors => unreachable!("{model} is not of Rust"),
    }
}

/// The computation of a step, as in `workloads::Burn`, without blocks.
#[inline]
fn burn(state: u64, iterations: u64) -> u64 {
    let mut value = state as u32;
    for index in 0..iterations {
        value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(index as u32);
    }
    u64::from(value)
}

#[inline]
fn task(index: u64, iterations: u64) -> u64 {
    let state = task_seed(index);
    fold(state, burn(state, iterations))
}

fn sequential(tasks: u64, iterations: u64) -> Measured {
    let started = Instant::now();
    let sum = (0..tasks).map(|index| task(index, iterations)).collect();
    (started.elapsed(), sum)
}

fn threads(tasks: u64, workers: usize, iterations: u64) -> Measured {
    let next = AtomicU64::new(0);
    let barrier = Barrier::new(workers + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let started = Instant::now();
                    let mut sum = Checksum::default();
                    loop {
                        let index = next.fetch_add(1, Relaxed);
                        if index >= tasks {
                            return (started, (Instant::now(), sum));
                        }
                        sum.add(task(index, iterations));
                    }
                })
            })
            .collect();
        barrier.wait();
        join_started(Instant::now(), threads)
    })
}

/// The start is the earliest that anyone saw: a thread may be past the barrier before the one that opens it.
fn join_started(
    opened: Instant,
    threads: Vec<thread::ScopedJoinHandle<'_, (Instant, (Instant, Checksum))>>,
) -> Measured {
    let parts: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let started = parts.iter().map(|&(started, _)| started).min().unwrap().min(opened);
    join(started, parts.into_iter().map(|(_, part)| part))
}

fn join(started: Instant, parts: impl Iterator<Item = (Instant, Checksum)>) -> Measured {
    let mut sum = Checksum::default();
    let mut ended = started;
    for (at, part) in parts {
        ended = ended.max(at);
        sum.add(part.0);
    }
    (ended - started, sum)
}

fn share(tasks: u64, worker: usize, workers: usize) -> std::ops::Range<u64> {
    let at = |worker: usize| tasks * worker as u64 / workers as u64;
    at(worker)..at(worker + 1)
}

fn new_loop(builder: &mut Builder) -> LocalRuntime {
    builder.enable_io().build_local(LocalOptions::default()).unwrap()
}

/// Spawns all tasks and waits for the last: a sum and a count in cells, no handles.
fn run_loop(runtime: &LocalRuntime, indices: std::ops::Range<u64>, iterations: u64) -> (Instant, Checksum) {
    runtime.block_on(async move {
        let (finish, finished) = oneshot::channel();
        let left = indices.end - indices.start;
        let shared = Rc::new((Cell::new(Checksum::default()), Cell::new(left), Cell::new(Some(finish))));
        for index in indices {
            let shared = Rc::clone(&shared);
            spawn_local(async move {
                let (sum, left, finish) = &*shared;
                let mut new = sum.get();
                new.add(task(index, iterations));
                sum.set(new);
                left.set(left.get() - 1);
                if left.get() == 0 {
                    finish.take().unwrap().send((Instant::now(), sum.get())).unwrap();
                }
            });
        }
        finished.await.unwrap()
    })
}

fn one_loop(tasks: u64, iterations: u64) -> Measured {
    let runtime = new_loop(&mut Builder::new_current_thread());
    let started = Instant::now();
    join(started, std::iter::once(run_loop(&runtime, 0..tasks, iterations)))
}

fn loops(tasks: u64, workers: usize, iterations: u64) -> Measured {
    let barrier = Barrier::new(workers + 1);
    thread::scope(|scope| {
        let barrier = &barrier;
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                scope.spawn(move || {
                    let runtime = new_loop(&mut Builder::new_current_thread());
                    barrier.wait();
                    (Instant::now(), run_loop(&runtime, share(tasks, worker, workers), iterations))
                })
            })
            .collect();
        barrier.wait();
        join_started(Instant::now(), threads)
    })
}

/// Its last owner tells when it was done.
struct Finish {
    sum: AtomicU64,
    sender: mpsc::Sender<(Instant, Checksum)>,
}

impl Drop for Finish {
    fn drop(&mut self) {
        let _ = self.sender.send((Instant::now(), Checksum(self.sum.load(Relaxed))));
    }
}

fn work_stealing(tasks: u64, workers: usize, iterations: u64) -> Measured {
    let runtime = Builder::new_multi_thread().worker_threads(workers).enable_io().build().unwrap();
    thread::sleep(Duration::from_millis(1));
    let (sender, finished) = mpsc::channel();
    let finish = Arc::new(Finish { sum: AtomicU64::new(0), sender });
    let started = Instant::now();
    runtime.spawn(async move {
        for index in 0..tasks {
            let finish = Arc::clone(&finish);
            tokio::spawn(async move { finish.sum.fetch_add(task(index, iterations), Relaxed) });
        }
    });
    join(started, finished.into_iter().take(1))
}

fn rayon(tasks: u64, workers: usize, iterations: u64) -> Measured {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
    pool.broadcast(|_| ());
    let started = Instant::now();
    let (ended, sum) = pool.install(|| {
        let sum = (0..tasks).into_par_iter().map(|index| task(index, iterations)).reduce(|| 0, u64::wrapping_add);
        (Instant::now(), sum)
    });
    (ended - started, Checksum(sum))
}

fn offload(tasks: u64, workers: usize, iterations: u64) -> Measured {
    let runtime = new_loop(Builder::new_current_thread().max_blocking_threads(workers));
    let barrier = Arc::new(Barrier::new(workers + 1));
    for _ in 0..workers {
        let barrier = Arc::clone(&barrier);
        runtime.spawn_blocking(move || barrier.wait());
    }
    barrier.wait();
    let started = Instant::now();
    let part = runtime.block_on(async move {
        let (finish, finished) = oneshot::channel();
        let shared = Rc::new((Cell::new(Checksum::default()), Cell::new(tasks), Cell::new(Some(finish))));
        for index in 0..tasks {
            let shared = Rc::clone(&shared);
            spawn_local(async move {
                let state = task_seed(index);
                let result = spawn_blocking(move || burn(state, iterations)).await.unwrap();
                let (sum, left, finish) = &*shared;
                let mut new = sum.get();
                new.add(fold(state, result));
                sum.set(new);
                left.set(left.get() - 1);
                if left.get() == 0 {
                    finish.take().unwrap().send((Instant::now(), sum.get())).unwrap();
                }
            });
        }
        finished.await.unwrap()
    });
    join(started, std::iter::once(part))
}

/// The other side of [`processes`]: a line in, the tasks, a line out.
pub fn be_a_child_if_started_as_one() -> Option<ExitCode> {
    let bounds = env::var(CHILD_VARIABLE).ok()?;
    let (start, end) = bounds.split_once(' ').unwrap();
    let (start, end): (u64, u64) = (start.parse().unwrap(), end.parse().unwrap());
    let (mut input, mut output, mut line) = (stdin().lock(), stdout().lock(), String::new());
    writeln!(output, "ready").unwrap();
    input.read_line(&mut line).unwrap();
    let iterations = black_box(0);
    let sum: Checksum = (start..end).map(|index| task(index, iterations)).collect();
    writeln!(output, "{sum}").unwrap();
    Some(ExitCode::SUCCESS)
}

fn processes(tasks: u64, workers: usize) -> Measured {
    let mut children: Vec<(Child, ChildStdin, BufReader<ChildStdout>)> = (0..workers)
        .map(|worker| {
            let indices = share(tasks, worker, workers);
            let mut child = Command::new(env::current_exe().unwrap())
                .env(CHILD_VARIABLE, format!("{} {}", indices.start, indices.end))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
            (child, input, BufReader::new(output))
        })
        .collect();
    let mut line = String::new();
    for (_, _, output) in &mut children {
        output.read_line(&mut line).unwrap();
    }
    let started = Instant::now();
    for (_, input, _) in &mut children {
        input.write_all(b"run\n").unwrap();
    }
    let mut sum = Checksum::default();
    for (_, _, output) in &mut children {
        line.clear();
        output.read_line(&mut line).unwrap();
        sum.add(line.trim_end().parse::<Checksum>().unwrap().0);
    }
    let elapsed = started.elapsed();
    for (mut child, input, _) in children {
        drop(input);
        child.wait().unwrap();
    }
    (elapsed, sum)
}
