//! What holds a cell back, from what was measured: the interpreter lock, the CPUs, the disk, or whoever it waits for.
//!
//! | limit | when |
//! | --- | --- |
//! | `lock` | the threads spent a quarter or more of their time waiting for the lock |
//! | `cpu` | it used 85 % or more of the CPUs that its model can use here |
//! | `disk` | it moved 64 KiB or more to or from storage, used less than 60 % of those CPUs, and somebody waited for I/O for a fifth of the time or more; where the system does not tell that, its task is one of files |
//! | `peer` | it moved less than that, its task asks or waits for somebody, and it used less than half of those CPUs |
//!
//! They are tried in this order. Where none fits, nothing is said: half-busy CPUs have many reasons. The thresholds are
//! ours: a cell that is held back by one thing alone is far on the other side of each. Waiting for I/O is the whole
//! machine's, so that others who use the disk count as well, as they do for the cell.

use protocol::{Lock, Model};

use super::spread::median;
use super::summary::{CellSummary, Limit, LimitedBy};
use crate::matrix::plan::{BatchWork, Cell, RUST_RUNTIME, TaskSpec, Tool, Work};
use crate::results::record::SampleRecord;

/// Share of its time for which the threads of a cell wait for the lock, from which on the lock holds it back.
const LOCK_SHARE: f64 = 0.25;
/// Share of the CPUs that it can use, from which on they hold it back.
const CPU_SHARE: f64 = 0.85;
/// Share of them up to which the disk may be what it waits for.
const DISK_CPU_SHARE: f64 = 0.6;
/// Share of the time for which somebody waits for I/O, from which on the disk holds a cell back.
const IO_SHARE: f64 = 0.2;
/// Bytes to and from storage that count: the start of a process may write a few pages.
const MOVED_BYTES: u64 = 64 << 10;
/// Share of the CPUs up to which the peer may be what it waits for.
const PEER_CPU_SHARE: f64 = 0.5;

/// What holds a batch back whose figures are in `summary`. `None` where they do not tell, and for servers.
#[must_use]
pub fn limited_by(cell: &Cell, cores: u32, runs: &[&SampleRecord], summary: &CellSummary) -> Option<LimitedBy> {
    let Work::Batch(work) = &cell.work else { return None };
    Figures::of(work, usable(cell, work, cores), runs, summary)?.limit()
}

/// The figures that tell.
#[derive(Debug, Clone, Copy)]
struct Figures {
    /// Share of the time that the threads waited for the lock; `None` where there is none, or nobody measured.
    lock_share: Option<f64>,
    /// CPUs that were used, and that the model can use.
    cores_used: f64,
    cores_usable: f64,
    /// Bytes to and from storage; `None` where the worker does not tell.
    disk_bytes: Option<u64>,
    /// Share of the time that somebody on the machine waited for I/O.
    io_share: Option<f64>,
    touches_files: bool,
    waits: bool,
}

impl Figures {
    #[expect(clippy::cast_precision_loss, reason = "53 bits of nanoseconds are 104 days")]
    fn of(work: &BatchWork, cores_usable: f64, runs: &[&SampleRecord], summary: &CellSummary) -> Option<Self> {
        let covered = |run: &&SampleRecord| run.sample.elapsed_ns().saturating_add(run.sample.setup_ns()).max(1) as f64;
        let shares = |part: fn(&SampleRecord) -> Option<u64>| {
            let shares: Option<Vec<f64>> = runs.iter().map(|run| Some(part(run)? as f64 / covered(run))).collect();
            shares.and_then(|shares| median(&shares))
        };
        let lock_wait = shares(|run| run.sample.usage()?.lock_wait_ns);
        Some(Self {
            lock_share: lock_wait.filter(|_| work.lock != Lock::None).map(|share| share / threads(work)),
            cores_used: summary.cores_used?,
            cores_usable,
            disk_bytes: summary
                .usage
                .disk_read_bytes
                .zip(summary.usage.disk_write_bytes)
                .map(|(read, write)| read + write),
            io_share: shares(|run| run.machine.io_pressure_ns),
            touches_files: touches_files(&work.task),
            waits: waits(&work.task),
        })
    }

    fn limit(self) -> Option<LimitedBy> {
        let said = |limit, evidence: String| Some(LimitedBy { limit, evidence });
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let cpu_share = self.cores_used / self.cores_usable;
        let used = format!("used {:.2} of {:.0} usable CPUs", self.cores_used, self.cores_usable);
        if let Some(share) = self.lock_share.filter(|share| *share >= LOCK_SHARE) {
            return said(Limit::Lock, format!("its threads waited for the lock {} of the time", percent(share)));
        }
        if cpu_share >= CPU_SHARE {
            return said(Limit::Cpu, used);
        }
        let moved = self.disk_bytes.is_some_and(|bytes| bytes >= MOVED_BYTES);
        if moved && cpu_share < DISK_CPU_SHARE {
            match self.io_share {
                Some(share) if share >= IO_SHARE => {
                    return said(
                        Limit::Disk,
                        format!("somebody waited for I/O {} of the time; it {used}", percent(share)),
                    );
                }
                None if self.touches_files => {
                    return said(Limit::Disk, format!("it moved bytes to or from storage and {used}"));
                }
                _ => {}
            }
        }
        if self.waits && !moved && cpu_share < PEER_CPU_SHARE {
            return said(Limit::Peer, format!("it waited for its peer and {used}"));
        }
        None
    }
}

/// How many threads may wait for the lock at the same time.
fn threads(work: &BatchWork) -> f64 {
    match work.model {
        Model::Sequential | Model::Async => 1.0,
        Model::Offload => f64::from(work.workers) + 1.0,
        _ => f64::from(work.workers),
    }
}

/// How many CPUs a batch can use: one thread uses one, and so do threads under one lock that is not released. Programs
/// and libraries that release it run beside each other.
fn usable(cell: &Cell, work: &BatchWork, cores: u32) -> f64 {
    let locked = work.lock != Lock::None && work.model != Model::Processes && !releases_lock(&work.task);
    let lanes = match work.model {
        // Commands of an event loop run at the same time, each a process of its own.
        Model::Async if is_command(&work.task) => f64::from(cores),
        // Our loop hands files to a pool of threads; that of an interpreter's worker does them itself.
        Model::Async if touches_files(&work.task) && cell.runtime == RUST_RUNTIME => f64::from(cores),
        Model::Sequential | Model::Async => 1.0,
        _ if locked => 1.0,
        _ => f64::from(work.workers),
    };
    lanes.min(f64::from(cores)).max(1.0)
}

fn is_command(task: &TaskSpec) -> bool {
    matches!(
        task,
        TaskSpec::Command { .. }
            | TaskSpec::ResizeImage { by: Tool::Command, .. }
            | TaskSpec::Zip { by: Tool::Command, .. }
    )
}

/// Whether the lock is free while most of the work of a task is done.
fn releases_lock(task: &TaskSpec) -> bool {
    is_command(task) || waits(task) || matches!(task, TaskSpec::Zip { .. }) || touches_files(task)
}

fn touches_files(task: &TaskSpec) -> bool {
    matches!(task, TaskSpec::FileRead { .. } | TaskSpec::FileWrite { .. })
}

/// Whether a task asks somebody who takes time, or waits for a timer.
fn waits(task: &TaskSpec) -> bool {
    matches!(
        task,
        TaskSpec::Wait { .. }
            | TaskSpec::WaitAndBurn { .. }
            | TaskSpec::Command { .. }
            | TaskSpec::HttpGet { .. }
            | TaskSpec::SmtpSend { .. }
            | TaskSpec::DbSelect { database: protocol::Database::Postgres, .. }
    )
}

#[cfg(test)]
mod tests;
