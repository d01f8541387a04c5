//! What is measured before the first round, and turns the matrix's words into numbers for the wire: CPU time into
//! iterations, a share of the capacity into requests a second.

use protocol::Pace;

use super::calibrate::Rates;
use super::capacity::{self, Capacities};
use super::counting::{self, Counts};
use super::failure::{Failure, FailureKind};
use super::probe::Probes;
use crate::matrix::plan::{BatchWork, BurnRate, Cell, HttpWork, TaskCount};

/// Everything that was measured beforehand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibrations {
    /// What each runtime is.
    pub probes: Probes,
    /// How fast each runtime burns.
    pub rates: Rates,
    /// What each server does in a closed loop.
    pub capacities: Capacities,
    /// How many tasks the times of scenarios are.
    pub counts: Counts,
}

impl Calibrations {
    /// The burn rate of a cell. One without CPU time has any.
    ///
    /// # Errors
    /// The runtime could not tell what it is, its calibration failed, or there was none.
    pub fn rate(&self, cell: &Cell) -> Result<BurnRate, Failure> {
        if let Some(Err(failure)) = self.probes.get(&cell.runtime) {
            return Err(failure.clone());
        }
        if !cell.work.needs_calibration() {
            return Ok(BurnRate { iterations_per_s: 1.0 });
        }
        match self.rates.get(cell.burns_in()) {
            Some(Ok(calibration)) => Ok(calibration.rate()),
            Some(Err(failure)) => Err(failure.clone()),
            None => {
                let reason = format!("no calibration of {} says how many iterations its CPU time is", cell.burns_in());
                Err(Failure::new(FailureKind::NotStarted, reason))
            }
        }
    }

    /// How many tasks a batch has.
    ///
    /// # Errors
    /// It states a time, and counting failed or there was none.
    pub fn tasks(&self, work: &BatchWork) -> Result<u64, Failure> {
        let key = match (work.tasks, counting::key(work)) {
            (TaskCount::Exactly(count), _) => return Ok(count),
            (TaskCount::Time { .. }, key) => key,
        };
        match self.counts.get(&key) {
            Some(Ok(number)) => Ok(number.tasks),
            Some(Err(failure)) => Err(failure.clone()),
            None => {
                let reason = format!("nobody counted how many tasks its time is: {key}");
                Err(Failure::new(FailureKind::NotStarted, reason))
            }
        }
    }

    /// The pace of a load on a server of this runtime; `seed` draws the schedule of an open loop.
    ///
    /// # Errors
    /// It is a share of a capacity that could not be measured, or was not.
    pub fn pace(&self, runtime: &str, work: &HttpWork, seed: u64) -> Result<Pace, Failure> {
        if !work.load.pace.needs_capacity() {
            return Ok(work.load.pace.resolve(0.0, seed));
        }
        let key = capacity::key(runtime, work);
        match self.capacities.get(&key) {
            Some(Ok(capacity)) => Ok(work.load.pace.resolve(capacity.requests_per_s, seed)),
            Some(Err(failure)) => Err(failure.clone()),
            None => {
                let reason = format!("the capacity that its rate is a share of was not measured: {key}");
                Err(Failure::new(FailureKind::NotStarted, reason))
            }
        }
    }
}
