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

/// What is measured once a round.
#[derive(Clone, Copy, PartialEq)]
enum Arm {
    Model(Model),
    /// Two independent workers with half of the tasks each.
    Independent,
}

fn parallel(rounds: usize) {
    let mut pair = [0, 1].map(|half| Worker::start(half * TASKS / 2, TASKS / 2));
    let mut measure = |arm| match arm {
        Arm::Model(model) => {
            let outcome =
                models::run(&burns(model, WORKERS, Lock::None, TASKS, ITERATIONS)).expect("a burn cannot fail");
            (outcome.elapsed, outcome.checksum)
        }
        Arm::Independent => {
            pair.iter_mut().for_each(Worker::ask);
            let samples = pair.each_mut().map(Worker::sample);
            // By their own clocks: nobody has to tell anybody that the work is done.
            let slower = samples.iter().map(|sample| sample.elapsed_ns).max().unwrap_or_default();
            let checksum = samples.iter().map(|sample| sample.checksum.parse::<Checksum>().expect("a checksum").0);
            (Duration::from_nanos(slower), checksum.collect())
        }
    };
    let mut arms: Vec<(Arm, Vec<Duration>)> = [Arm::Model(Model::Sequential), Arm::Independent]
        .into_iter()
        .chain(PARALLEL.map(Arm::Model))
        .map(|arm| (arm, Vec::new()))
        .collect();
    let mut expected = None;
    for round in 0..=rounds {
        for (arm, all) in &mut arms {
            let (elapsed, checksum) = measure(*arm);
            assert_eq!(*expected.get_or_insert(checksum), checksum, "not the same work");
            // The first round warms up.
            if round > 0 {
                all.push(elapsed);
            }
        }
        // Nobody keeps his place, nor his neighbours for all rounds.
        arms.rotate_left(1 + round % 3);
    }
    report(rounds, &arms);
}

fn report(rounds: usize, arms: &[(Arm, Vec<Duration>)]) {
    let of = |wanted: Arm| &arms.iter().find(|(arm, _)| *arm == wanted).expect("every arm is there").1;
    let (sequential, independent) = (of(Arm::Model(Model::Sequential)), of(Arm::Independent));
    let best = speedup(sequential, independent);
    println!("{TASKS} burns of {ITERATIONS}, {WORKERS} workers, no lock; medians of {rounds} rounds\n");
    println!("{:<20} {:>10} {:>9} {:>20} {:>12}", "", "elapsed", "speed-up", "of what is possible", "round by round");
    println!("{:<20} {:>7.2} ms", "sequential", milliseconds(sequential));
    println!("{:<20} {:>7.2} ms {best:>9.3} {:>20.3}", "independent workers", milliseconds(independent), 1.0);
    for model in PARALLEL {
        let elapsed = of(Arm::Model(model));
        let speedup = speedup(sequential, elapsed);
        let mut each: Vec<f64> =
            independent.iter().zip(elapsed).map(|(best, ours)| best.as_secs_f64() / ours.as_secs_f64()).collect();
        each.sort_by(f64::total_cmp);
        let (possible, paired) = (speedup / best, each[each.len() / 2]);
        let elapsed = milliseconds(elapsed);
        println!("{:<20} {elapsed:>7.2} ms {speedup:>9.3} {possible:>20.3} {paired:>12.3}", model.name());
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
