//! What the engine tells while it runs. The progress display, the log for pipes and the sample file are listeners of
//! this one stream.

use std::time::Duration;

use super::failure::Failure;
use super::schedule::Visit;
use crate::matrix::plan::Plan;
use crate::results::record::{Record, SampleRecord};

/// Something that happened, in the order in which it happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// The plan is about to be run.
    Started {
        /// The plan.
        plan: &'a Plan,
        /// What will be done of it, in order.
        visits: &'a [Visit],
    },
    /// A repetition begins.
    RunStarted {
        /// Which.
        at: RunPosition<'a>,
    },
    /// A repetition was measured.
    Sampled {
        /// What it measured. The record is complete: writing it down is all that is left to do.
        record: &'a SampleRecord,
        /// How many of the matrix's planned repetitions are behind us, warm-ups included.
        done: u64,
    },
    /// A repetition was measured while others took too much of the machine. It is kept, and made again.
    SetAside {
        /// What it measured, and in `disturbed` why it does not count.
        record: &'a SampleRecord,
    },
    /// A cell ended without (all) its figures: failed, skipped or unsupported. Its remaining repetitions are dropped.
    CellFailed {
        /// The cell's id.
        cell: &'a str,
        /// Why. `Record::Failure` of the same content goes to the sample file.
        record: &'a Record,
        /// The same failure, for display.
        failure: &'a Failure,
        /// How many of the matrix's planned repetitions are behind us, the dropped ones included.
        done: u64,
    },
    /// The twin of a baseline could not be measured: there will be no noise floor. No cell fails for it.
    TwinFailed {
        /// `Record::Failure`, for the sample file.
        record: &'a Record,
        /// One sentence; `None` where it says no more than the failure of the baseline will.
        warning: Option<String>,
        /// How many of the matrix's planned repetitions are behind us, the dropped ones included.
        done: u64,
    },
    /// A repetition was cut short by suspension (Ctrl-Z) and will be repeated.
    Voided {
        /// `Record::Voided`, for the sample file.
        record: &'a Record,
    },
    /// Every run of a scenario is over.
    ScenarioFinished {
        /// Index into [`Plan::scenarios`].
        scenario: usize,
    },
    /// Something that a person should know and that changes no figure, such as a process that a worker left behind.
    Warning {
        /// One sentence.
        message: String,
    },
    /// The matrix is over.
    Finished {
        /// Whether every planned repetition was tried.
        complete: bool,
        /// From the first repetition's start to here.
        wall: Duration,
    },
}

/// Where in the matrix a repetition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunPosition<'a> {
    /// Index into [`Plan::scenarios`].
    pub scenario: usize,
    /// The cell's id.
    pub cell: &'a str,
    /// The round, from 1 on: which of the counted runs this belongs to.
    pub round: u32,
    /// Whether it is a warm-up.
    pub warmup: bool,
    /// Repetitions behind us, warm-ups included.
    pub done: u64,
    /// Repetitions planned in all, warm-ups included.
    pub planned: u64,
}

/// Hears what the engine tells. A listener that cannot go on (the disk is full) returns an error; the engine then ends
/// the running worker and stops.
pub trait Listener {
    /// Takes note of an event.
    ///
    /// # Errors
    /// The event could not be taken note of.
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()>;
}
