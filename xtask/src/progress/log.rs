//! A line for each finished cell, for pipes, files and CI.

use std::io::Write;

use super::tally::{Tally, one_line};
use crate::engine::event::{Event, Listener};
use crate::results::record::{Record, SampleRecord};

/// Writes a line for each finished cell, failure and warning.
#[derive(Debug)]
pub struct Log<W> {
    out: W,
    tally: Tally,
}

impl<W: Write> Log<W> {
    /// Writes to this, usually stderr.
    #[must_use]
    pub fn new(out: W) -> Self {
        Self { out, tally: Tally::default() }
    }

    /// A log that nobody reads any more must not end the measurement: errors are ignored.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }
}

impl<W: Write> Listener for Log<W> {
    fn on_event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::Started { plan, visits } => self.tally = Tally::new(plan, visits),
            Event::Sampled { record, .. } => {
                if let Some(line) = self.tally.sampled(record) {
                    self.line(&line);
                }
            }
            Event::CellFailed { cell, record, failure, .. } => {
                let line = self.tally.failed(cell, round(record), failure);
                self.line(&line);
            }
            Event::Voided { record: Record::Voided { cell, round, reason } } => {
                self.line(&format!("repeating round {round} of {cell}: {}", one_line(reason)));
            }
            Event::SetAside { record } => self.line(&repeating(record)),
            Event::Warning { message } | Event::TwinFailed { warning: Some(message), .. } => {
                self.line(&format!("warning: {}", one_line(message)))
            }
            Event::Preparing { what } => self.line(what),
            Event::Noted { .. }
            | Event::Voided { .. }
            | Event::TwinFailed { .. }
            | Event::RunStarted { .. }
            | Event::ScenarioFinished { .. } => {}
            Event::Finished { complete, .. } => {
                if !complete {
                    self.line("interrupted: not every run was made");
                }
            }
        }
        Ok(())
    }
}

/// Says that a run is made again.
pub(super) fn repeating(record: &SampleRecord) -> String {
    let why = record.disturbed.as_deref().map(one_line).unwrap_or_default();
    format!("repeating round {} of {}: {why}", record.round, record.cell)
}

/// The cell that a failure's record names.
pub(super) fn cell_of(record: &Record) -> &str {
    match record {
        Record::Failure { cell, .. } | Record::Voided { cell, .. } => cell,
        Record::Sample(sample) => &sample.cell,
        Record::Header { .. } => "",
    }
}

/// The round that a failure's record names.
pub(super) fn round(record: &Record) -> u32 {
    match record {
        Record::Failure { round, .. } => *round,
        Record::Header { .. } | Record::Sample(_) | Record::Voided { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use expect_test::expect;
    use protocol::Model;

    use super::*;
    use crate::engine::failure::FailureKind;
    use crate::engine::scripted::visits;
    use crate::stats::fixtures::{batch, failure, histogram, http, http_sample, load_of, plan, sample_record};

    fn fail(log: &mut Log<Vec<u8>>, record: &Record) {
        let Record::Failure { cell, failure, .. } = record else { unreachable!() };
        log.on_event(&Event::CellFailed { cell, record, failure, done: 8 }).unwrap();
    }

    #[test]
    fn a_pipe_gets_a_line_for_each_finished_cell_failure_and_warning() {
        let plan = plan(
            "s",
            None,
            &[batch(Model::Sequential), batch(Model::Threads), batch(Model::Rayon), batch(Model::Async)],
        );
        let mut log = Log::new(Vec::new());
        log.on_event(&Event::Started { plan: &plan, visits: &visits(&plan) }).unwrap();
        for model in ["sequential", "threads"] {
            for round in [1, 2] {
                for warmup in [true, false] {
                    if model == "threads" && round == 2 {
                        continue;
                    }
                    let record = sample_record(&format!("s/model={model}"), round, warmup, 1_230_000_000);
                    log.on_event(&Event::Sampled { record: &record, done: 1 }).unwrap();
                }
            }
        }
        log.on_event(&Event::Warning { message: "a process was left behind\n(pid 7)".to_owned() }).unwrap();
        fail(&mut log, &failure("s/model=threads", 2, FailureKind::Died, "the worker was killed\nby SIGSEGV."));
        fail(&mut log, &failure("s/model=rayon", 0, FailureKind::NotStarted, "no such file."));
        fail(&mut log, &failure("s/model=async", 0, FailureKind::Missing, "python is not installed."));
        log.on_event(&Event::Finished { complete: true, wall: Duration::from_secs(1) }).unwrap();
        expect![[r#"
            [1/4] s/model=sequential  1.230 s  (2 runs)
            warning: a process was left behind (pid 7)
            [2/4] s/model=threads  FAILED in round 2: the worker was killed by SIGSEGV.
            [3/4] s/model=rayon  FAILED: no such file.
            [4/4] s/model=async  skipped: python is not installed.
        "#]]
        .assert_eq(&String::from_utf8(log.out).unwrap());
    }

    #[test]
    fn a_cell_that_goes_on_counts_the_runs_that_it_still_makes() {
        let plan = plan("s", None, &[batch(Model::Sequential), batch(Model::Threads)]);
        let all = visits(&plan).into_iter();
        let left: Vec<_> = all
            .filter_map(|mut visit| {
                if visit.cell == 0 {
                    visit.rounds = 2..=*visit.rounds.end();
                }
                (!visit.rounds.is_empty()).then_some(visit)
            })
            .collect();
        let mut log = Log::new(Vec::new());
        log.on_event(&Event::Started { plan: &plan, visits: &left }).unwrap();
        for (model, rounds) in [("sequential", 2..=2), ("threads", 1..=2)] {
            for round in rounds {
                let record = sample_record(&format!("s/model={model}"), round, false, 1_230_000_000);
                log.on_event(&Event::Sampled { record: &record, done: 1 }).unwrap();
            }
        }
        expect![[r#"
            [1/2] s/model=sequential  1.230 s  (1 more run)
            [2/2] s/model=threads  1.230 s  (2 runs)
        "#]]
        .assert_eq(&String::from_utf8(log.out).unwrap());
    }

    #[test]
    fn the_line_of_a_server_has_requests_a_second_and_the_highest_percentile_that_is_known() {
        let plan = plan("s", None, &[http(1), http(4)]);
        let mut log = Log::new(Vec::new());
        log.on_event(&Event::Started { plan: &plan, visits: &visits(&plan) }).unwrap();
        for (cell, requests) in [("s/workers=1", 1_000), ("s/workers=4", 100)] {
            for round in [1, 2] {
                let mut record = http_sample(cell, round, 740_000_000);
                load_of(&mut record).load.completed = requests;
                load_of(&mut record).load.latency = histogram(&[(54_860_000, requests)]);
                log.on_event(&Event::Sampled { record: &record, done: 1 }).unwrap();
            }
        }
        expect![[r#"
            [1/2] s/workers=1  1,351 req/s, p99 54.86 ms  (2 runs)
            [2/2] s/workers=4  135.1 req/s, p95 54.86 ms  (2 runs)
        "#]]
        .assert_eq(&String::from_utf8(log.out).unwrap());
    }

    #[test]
    fn a_closed_pipe_does_not_end_the_measurement() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        assert!(Log::new(Closed).on_event(&Event::Warning { message: "w".to_owned() }).is_ok());
    }
}
