//! How many requests a second a server answers in a closed loop: what `rate = "80%"` is a share of. Found once per run
//! of the matrix for each server with the same load.
//!
//! It is measured as any HTTP cell is, with a growing number of requests until they take half a second, then some
//! repetitions by the same processes. The median counts: unlike the burn of a calibration, a server under load is
//! disturbed in both directions.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use protocol::Pace;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::calibrations::Calibrations;
use super::failure::{Failure, FailureKind};
use super::launcher::{Assignment, Duty, Halt, HttpDuty, Launcher, with_session};
use super::signals::Control;
use crate::matrix::plan::{BurnRate, Cell, CpuWork, HttpWork, Plan, RUST_RUNTIME, ServerSpec, Work};
use crate::number::hex;
use crate::results::record::Measured;

/// Requests of each connection in the first try.
const FIRST_REQUESTS: u64 = 4;
/// A repetition this long says enough.
const LONG_ENOUGH: Duration = Duration::from_millis(500);
/// What the next number aims at, so that it is not missed by a little.
const AIM: Duration = Duration::from_millis(700);
/// How much more the next number may be: first requests are slow, and short times not to be trusted.
const LARGEST_GROWTH: f64 = 50.0;
/// No server on one machine answers as many in the time.
const MOST_REQUESTS: u64 = 1_000_000_000;
/// Repetitions of the last number.
const REPETITIONS: usize = 3;
/// For one repetition.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What a server does in a closed loop, and how that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// Right answers a second: the median of the repetitions.
    pub requests_per_s: f64,
    /// Requests of each repetition.
    pub requests: u64,
    /// Right answers a second, of each repetition.
    pub values: Vec<f64>,
}

/// By [`key`]: the capacity, or why there is none, which is then the failure of every cell that needs it.
pub type Capacities = BTreeMap<String, Result<Capacity, Failure>>;

/// Measures every server of which a cell wants a share, cells in `skip` (by id) left out. Those that `calibrations`
/// already knows are left as they are: a run that is resumed must ask for the rates that it began with. Burn rates
/// must be known before.
///
/// What a person should know goes to `warn`. When somebody asks to stop, what there is stays.
pub fn measure(
    plan: &Plan,
    skip: &HashSet<String>,
    calibrations: &mut Calibrations,
    launcher: &mut dyn Launcher,
    control: &Control,
    warn: &mut dyn FnMut(String),
) {
    let folder = plan.file.parent().unwrap_or(Path::new(""));
    for (cell, work) in wanting(plan, skip) {
        let key = key(&cell.runtime, work);
        if calibrations.capacities.contains_key(&key) {
            continue;
        }
        let measured = calibrations.rate(cell).map_err(Halt::Failed).and_then(|rate| {
            let mut server =
                Subject { key: &key, cell, work, rate, folder, launcher: &mut *launcher, warn: &mut *warn };
            server.measure(control)
        });
        let capacity = match measured {
            Ok(capacity) => Ok(capacity),
            Err(Halt::Failed(failure)) => Err(failure.during("capacity")),
            Err(Halt::Interrupted | Halt::Suspended) => return,
        };
        calibrations.capacities.insert(key, capacity);
    }
}

/// Whether a cell wants a share of a capacity.
fn wanting<'a>(plan: &'a Plan, skip: &HashSet<String>) -> impl Iterator<Item = (&'a Cell, &'a HttpWork)> {
    let cells = plan.scenarios.iter().flat_map(|scenario| &scenario.cells).filter(|cell| !skip.contains(&cell.id));
    cells.filter_map(|cell| match &cell.work {
        Work::Http(work) if work.load.pace.needs_capacity() => Some((cell, &**work)),
        _ => None,
    })
}

/// A name for a server with a load, whatever the pace: the same for two cells whose capacity is the same.
#[must_use]
pub fn key(runtime: &str, work: &HttpWork) -> String {
    let load = &work.load;
    let mut key = if runtime == RUST_RUNTIME { String::new() } else { format!("{runtime} ") };
    key += &match &work.server {
        ServerSpec::Own(server) => {
            let cpu = match server.cpu {
                CpuWork::Iterations(count) => format!("{count} iterations"),
                CpuWork::Time(time) => format!("{time:?}"),
            };
            let mut key = format!(
                "{} workers={} lock={} listen={} io={:?} cpu={cpu}",
                server.model, server.workers, server.lock, server.listen, server.io
            );
            if let Some(interval) = server.switch_interval {
                let _ = write!(key, " switch_interval={interval:?}");
            }
            key
        }
        ServerSpec::Command(server) => server.command.join(" "),
        ServerSpec::Running(server) => server.target.clone(),
    };
    let _ = write!(key, ", {} connections, {} client threads", load.connections, load.threads);
    for request in load.requests.iter().take(3) {
        let _ = write!(key, ", {} {}", request.method, request.path);
    }
    // What does not read well makes a difference too.
    let plain = load.requests.len() == 1 && load.requests[0].headers.is_empty() && load.requests[0].body.is_none();
    let plain_server = match &work.server {
        ServerSpec::Command(server) => server.env.is_empty() && server.cwd.is_none(),
        ServerSpec::Own(_) | ServerSpec::Running(_) => true,
    };
    if !(plain && plain_server) {
        let digest = Sha256::digest(format!("{:?} {:?}", work.server, load.requests));
        let digits = hex(&digest[..4]);
        let _ = write!(key, ", #{digits}");
    }
    key
}

/// A server whose capacity is being measured.
struct Subject<'a> {
    key: &'a str,
    cell: &'a Cell,
    work: &'a HttpWork,
    rate: BurnRate,
    folder: &'a Path,
    launcher: &'a mut dyn Launcher,
    warn: &'a mut dyn FnMut(String),
}

impl Subject<'_> {
    fn measure(&mut self, control: &Control) -> Result<Capacity, Halt> {
        let mut requests = u64::from(self.work.load.connections.max(1)) * FIRST_REQUESTS;
        loop {
            if control.stopped() {
                return Err(Halt::Interrupted);
            }
            match self.run(requests) {
                Ok(runs) if runs.len() > 1 => {
                    let mut values: Vec<f64> = runs.iter().map(Run::requests_per_s).collect();
                    let kept = values.clone();
                    values.sort_by(f64::total_cmp);
                    return Ok(Capacity { requests_per_s: values[values.len() / 2], requests, values: kept });
                }
                Ok(runs) => {
                    requests = next_number(requests, runs[0].elapsed).ok_or_else(|| {
                        let reason = format!("{requests} requests take no time: they are not made");
                        Halt::failed(FailureKind::BadAnswer, reason)
                    })?;
                }
                // It was short: again.
                Err(Halt::Suspended) => {}
                Err(halt) => return Err(halt),
            }
        }
    }

    /// Makes so many requests once, and if that took long enough, [`REPETITIONS`] times more, which are then what is
    /// returned.
    fn run(&mut self, requests: u64) -> Result<Vec<Run>, Halt> {
        let label = format!("capacity of {}", self.key);
        let duty = HttpDuty { work: self.work, pace: Pace::Closed { requests }, rate: self.rate, folder: self.folder };
        let runtime = &self.cell.runtime;
        let assignment = Assignment { label: &label, runtime, duty: Duty::Http(duty), timeout: TIMEOUT };
        with_session(self.launcher, &assignment, self.warn, |session| {
            session.prepare()?;
            let first = Run::of(&session.run(true)?);
            if first.elapsed < LONG_ENOUGH {
                return Ok(vec![first]);
            }
            (0..REPETITIONS).map(|_| Ok(Run::of(&session.run(false)?))).collect()
        })
    }
}

/// What one repetition was.
struct Run {
    answers: u64,
    elapsed: Duration,
}

impl Run {
    fn of(measured: &Measured) -> Self {
        // A time of zero would be the end of every division.
        Self { answers: measured.done(), elapsed: Duration::from_nanos(measured.elapsed_ns().max(1)) }
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of requests far below 2⁵³")]
    fn requests_per_s(&self) -> f64 {
        self.answers as f64 / self.elapsed.as_secs_f64()
    }
}

/// A number that should take [`AIM`], where this one took less than [`LONG_ENOUGH`]. `None` when no number will.
fn next_number(requests: u64, elapsed: Duration) -> Option<u64> {
    let growth = (AIM.as_secs_f64() / elapsed.as_secs_f64()).clamp(1.25, LARGEST_GROWTH);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a number"
    )]
    let next = (requests as f64 * growth) as u64;
    (next <= MOST_REQUESTS).then_some(next.max(requests + 1))
}

#[cfg(test)]
mod tests;
