//! How much of two cores each parallel model gets, and that a GIL leaves none of it.
//!
//! `cargo bench -p models --bench speedup [-- ROUNDS]`. What two cores can give is measured too, in the same rounds: two
//! independent single-thread worker processes that run at once. Each model's speed-up over `sequential` is divided by
//! theirs, so a slow neighbour or a core that is half a core does not count against a model.
#![allow(clippy::print_stdout)]

mod support;

use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio},
    time::Duration,
};

use protocol::{Checksum, Job, Lock, Model, PARENT_PID_VARIABLE, Reply, Request, Sample, VERSION};
use support::{burns, median};

const WORKERS: u32 = 2;
const TASKS: u64 = 200;
/// About 0.4 ms here.
const ITERATIONS: u64 = 400_000;
const PARALLEL: [Model; 5] = [Model::Threads, Model::Loops, Model::Rayon, Model::WorkStealing, Model::Processes];

fn main() -> ExitCode {
    if let Some(ended) = support::be_a_worker_if_started_as_one() {
        return ended;
    }
    let rounds = env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(25);
    parallel(rounds);
    locked(rounds);
    ExitCode::SUCCESS
}

fn parallel(rounds: usize) {
    let mut pair = [0, 1].map(|half| Worker::start(half * TASKS / 2, TASKS / 2));
    let (mut sequential, mut independent) = (Vec::new(), Vec::new());
    let mut models: Vec<(Model, Vec<Duration>)> = PARALLEL.map(|model| (model, Vec::new())).into();
    let mut expected = None;
    for round in 0..=rounds {
        let mut same = |checksum: Checksum| assert_eq!(*expected.get_or_insert(checksum), checksum);
        let mut measure = |model| {
            let outcome =
                models::run(&burns(model, WORKERS, Lock::None, TASKS, ITERATIONS)).expect("a burn cannot fail");
            same(outcome.checksum);
            outcome.elapsed
        };
        let one = measure(Model::Sequential);
        // In another order each round.
        models.rotate_left(1);
        let each: Vec<Duration> = models.iter().map(|(model, _)| measure(*model)).collect();
        for worker in &mut pair {
            worker.ask();
        }
        let samples = pair.each_mut().map(Worker::sample);
        same(samples.iter().map(|sample| sample.checksum.parse::<Checksum>().unwrap().0).collect());
        // The first round warms up.
        if round > 0 {
            sequential.push(one);
            independent.push(Duration::from_nanos(samples.iter().map(|sample| sample.elapsed_ns).max().unwrap()));
            for ((_, all), one) in models.iter_mut().zip(each) {
                all.push(one);
            }
        }
    }
    let best = speedup(&sequential, &independent);
    println!("{TASKS} burns of {ITERATIONS}, {WORKERS} workers, no lock; medians of {rounds} rounds\n");
    println!("{:<22} {:>10} {:>9} {:>20}", "", "elapsed", "speed-up", "of what is possible");
    println!("{:<22} {:>7.2} ms", "sequential", milliseconds(&sequential));
    println!("{:<22} {:>7.2} ms {best:>9.3} {:>20.3}", "independent workers", milliseconds(&independent), 1.0);
    models.sort_by_key(|(model, _)| *model);
    for (model, elapsed) in models {
        let speedup = speedup(&sequential, &elapsed);
        println!("{:<22} {:>7.2} ms {speedup:>9.3} {:>20.3}", model.name(), milliseconds(&elapsed), speedup / best);
    }
}

fn locked(rounds: usize) {
    let (mut one, mut four) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let measure =
            |workers| models::run(&burns(Model::Loops, workers, Lock::Gil, TASKS, ITERATIONS)).unwrap().elapsed;
        let (with_one, with_four) = (measure(1), measure(4));
        if round > 0 {
            one.push(with_one);
            four.push(with_four);
        }
    }
    println!("\nthe same under gil; medians of {rounds} rounds\n");
    println!("{:<22} {:>7.2} ms", "1 loop", milliseconds(&one));
    println!("{:<22} {:>7.2} ms {:>9.3}", "4 loops", milliseconds(&four), speedup(&one, &four));
}

fn speedup(base: &[Duration], other: &[Duration]) -> f64 {
    median(base).as_secs_f64() / median(other).as_secs_f64()
}

fn milliseconds(elapsed: &[Duration]) -> f64 {
    median(elapsed).as_secs_f64() * 1e3
}

/// An independent single-thread worker: this program again, as the orchestrator would drive it.
struct Worker {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(first_task: u64, tasks: u64) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .env(PARENT_PID_VARIABLE, std::process::id().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut worker = Self { process, input, output: BufReader::new(output) };
        let mut job = burns(Model::Sequential, 1, Lock::None, tasks, ITERATIONS);
        job.first_task = first_task;
        worker.send(&Request::Job { protocol: VERSION, job: Job::Batch(job) });
        assert!(matches!(worker.reply(), Reply::Ready(_)));
        worker
    }

    fn send(&mut self, request: &Request) {
        self.input.write_all(request.to_line().as_bytes()).unwrap();
    }

    fn reply(&mut self) -> Reply {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        Reply::from_line(&line).unwrap()
    }

    fn ask(&mut self) {
        self.send(&Request::Run { warmup: false });
    }

    fn sample(&mut self) -> Sample {
        match self.reply() {
            Reply::Sample(sample) => sample,
            reply => panic!("no sample: {reply:?}"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
