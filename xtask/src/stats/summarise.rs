//! Plan and records → summary.

use std::collections::HashMap;
use std::time::SystemTime;

use super::cell::summarise_cell;
use super::conclusion::{Compared, conclude};
use super::floor::{self, KnownFloors};
use super::ratio::{self, Speed};
use super::records::{Sorted, sort};
use super::scaling;
use super::settings;
use super::summary::{
    CellSummary, ComparisonRow, ComparisonSummary, NoiseFloor, Ratio, SCHEMA, ScenarioSummary, Summary, Verdict,
};
use super::verdict::verdict;
use super::verify::wrong_checksums;
use crate::engine::failure::Failure;
use crate::matrix::plan::{Cell, Comparison, Order, Plan, Scenario, Work, twin_id};
use crate::results::record::Record;

/// When a matrix ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTimes {
    /// When the first repetition began.
    pub started: SystemTime,
    /// When the last one ended.
    pub ended: SystemTime,
    /// From the one to the other, by a clock that nobody sets, without the gaps of a resumed run.
    pub wall_ns: u64,
    /// How much of that went into making things ready between scenarios, while nothing was measured: building, counting.
    pub prepared_ns: u64,
    /// Whether every planned repetition was tried.
    pub complete: bool,
}

/// Sums up what was recorded of a plan. Records of cells that are neither in the plan nor twins of its baselines are left
/// aside. `known` are the noise floors for comparisons whose A/A pass is not among the records.
#[must_use]
pub fn summarise(plan: &Plan, records: &[Record], times: &RunTimes, known: &KnownFloors) -> Summary {
    let sorted = sort(records);
    let wrong = wrong_checksums(plan, &sorted);
    let ended = humantime::format_rfc3339_seconds(times.ended).to_string();
    let around = Around { cores: plan.cores, sorted: &sorted, wrong: &wrong, known, ended: &ended };
    Summary {
        schema: SCHEMA,
        complete: times.complete,
        started: humantime::format_rfc3339_seconds(times.started).to_string(),
        ended: ended.clone(),
        wall_ns: times.wall_ns,
        prepared_ns: times.prepared_ns,
        measured_ns: sorted.measured_ns,
        warmup_ns: sorted.warmup_ns,
        machine: sorted.machine,
        scenarios: plan.scenarios.iter().map(|scenario| summarise_scenario(scenario, &around)).collect(),
    }
}

/// What all scenarios are summed up with.
struct Around<'a> {
    cores: u32,
    sorted: &'a Sorted<'a>,
    wrong: &'a HashMap<&'a str, Failure>,
    known: &'a KnownFloors,
    /// When the run ended, RFC 3339 in UTC.
    ended: &'a str,
}

impl Around<'_> {
    fn cell(&self, scenario: &Scenario, cell: &Cell) -> CellSummary {
        let id = cell.id.as_str();
        summarise_cell(scenario, cell, self.cores, self.sorted.cells.get(id), self.wrong.get(id))
    }

    /// The noise floor of a comparison: its own A/A pass's, else what is known from earlier.
    fn floor(&self, scenario: &Scenario, comparison: &Comparison, cells: &[CellSummary]) -> Option<NoiseFloor> {
        let measured = || {
            let baseline = comparison.baseline?;
            let twin = Cell { id: twin_id(&cells[baseline].id), ..scenario.cells[baseline].clone() };
            self.sorted.cells.get(twin.id.as_str())?;
            let speed = Speed::of(&twin.work)?;
            floor::measure(&cells[baseline], &self.cell(scenario, &twin), speed, self.ended)
        };
        measured().or_else(|| self.known.of(&scenario.name, &comparison.fixed).cloned())
    }
}

fn summarise_scenario(scenario: &Scenario, around: &Around<'_>) -> ScenarioSummary {
    let mut cells: Vec<CellSummary> = scenario.cells.iter().map(|cell| around.cell(scenario, cell)).collect();
    let comparisons: Vec<ComparisonSummary> = scenario
        .comparisons
        .iter()
        .map(|comparison| compare(scenario, comparison, &cells, around.floor(scenario, comparison, &cells)))
        .collect();
    let ratios = common(&comparisons, |row| row.ratio);
    let verdicts = common(&comparisons, |row| row.verdict);
    for cell in &mut cells {
        cell.ratio = ratios.get(cell.id.as_str()).copied().flatten();
        cell.verdict = verdicts.get(cell.id.as_str()).copied().flatten();
    }
    ScenarioSummary {
        name: scenario.name.clone(),
        kind: match scenario.cells.first().map(|cell| &cell.work) {
            Some(Work::Http(_)) => "http",
            Some(Work::Batch(_)) | None => "batch",
        }
        .to_owned(),
        question: scenario.question.clone(),
        compare: scenario.compare.clone(),
        include_setup: scenario.include_setup,
        warmups: scenario.schedule.warmups,
        runs: scenario.schedule.runs,
        order: match scenario.schedule.order {
            Order::Interleaved => "interleaved",
            Order::Sequential => "sequential",
        }
        .to_owned(),
        axes: scenario.axes.clone(),
        settings: settings::shared(scenario),
        scaling: scaling::scaling(scenario, &cells),
        cells,
        comparisons,
    }
}

fn compare(
    scenario: &Scenario,
    comparison: &Comparison,
    cells: &[CellSummary],
    floor: Option<NoiseFloor>,
) -> ComparisonSummary {
    let baseline = comparison.baseline.map(|index| &cells[index]);
    let compared: Vec<(&CellSummary, Option<Speed>)> =
        comparison.cells.iter().map(|&index| (&cells[index], Speed::of(&scenario.cells[index].work))).collect();
    let mut summary = ComparisonSummary {
        fixed: comparison.fixed.clone(),
        baseline: baseline.map(|cell| cell.id.clone()),
        rows: Vec::new(),
        floor,
        conclusion: None,
    };
    let floor = summary.floor_share();
    let row = |&(cell, speed): &(&CellSummary, Option<Speed>)| {
        let ratio = baseline.and_then(|baseline| ratio::ratio(baseline, cell, speed?));
        let is_baseline = baseline.is_some_and(|baseline| baseline.id == cell.id);
        let said = |ratio: &Ratio| if is_baseline { Verdict::Baseline } else { verdict(ratio, floor) };
        ComparisonRow { cell: cell.id.clone(), ratio, verdict: ratio.as_ref().map(said) }
    };
    summary.rows = compared.iter().map(row).collect();
    summary.conclusion = scenario
        .compare
        .as_deref()
        .and_then(|axis| conclude(&Compared { axis, cells: &compared, rows: &summary.rows, baseline, floor }));
    summary
}

/// By cell id: what stands in its row, where all comparisons that it is in say the same.
fn common<T: Copy + PartialEq>(
    comparisons: &[ComparisonSummary],
    of: impl Fn(&ComparisonRow) -> Option<T>,
) -> HashMap<&str, Option<T>> {
    let mut found: HashMap<&str, Option<T>> = HashMap::new();
    for row in comparisons.iter().flat_map(|comparison| &comparison.rows) {
        let value = of(row);
        let common = found.entry(&row.cell).or_insert(value);
        if *common != value {
            *common = None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::Model;

    use super::*;
    use crate::engine::failure::FailureKind;
    use crate::stats::fixtures::{CHECKSUM, batch, failure, plan, sample, sample_with_checksum, tasks_of, warmup};
    use crate::stats::summary::{Flag, FloorSource, Status};

    const MS: u64 = 1_000_000;

    fn two_models() -> Plan {
        plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Threads)])
    }

    fn times() -> RunTimes {
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_058_922);
        RunTimes {
            started,
            ended: started + Duration::from_secs(74),
            wall_ns: 74_000 * MS,
            prepared_ns: 0,
            complete: true,
        }
    }

    fn one(plan: &Plan, records: &[Record]) -> ScenarioSummary {
        summarise(plan, records, &times(), &KnownFloors::default()).scenarios.remove(0)
    }

    #[test]
    fn a_measured_cell_has_all_its_figures_and_warm_ups_are_in_none() {
        let records = [
            warmup("s/model=sequential", 1, 900 * MS),
            sample("s/model=sequential", 1, 400 * MS),
            sample("s/model=sequential", 2, 402 * MS),
            sample("s/model=threads", 1, 200 * MS),
            sample("s/model=threads", 2, 201 * MS),
        ];
        let summary = summarise(&two_models(), &records, &times(), &KnownFloors::default());
        assert_eq!(
            (summary.started.as_str(), summary.ended.as_str()),
            ("2026-11-30T17:15:22Z", "2026-11-30T17:16:36Z")
        );
        assert_eq!((summary.measured_ns, summary.warmup_ns), (1203 * MS, 900 * MS));
        let cell = &summary.scenarios[0].cells[1];
        assert_eq!((cell.status, cell.runs, cell.reason.as_deref()), (Status::Ok, 2, None));
        assert_eq!(cell.elapsed_ns.as_ref().unwrap().values, [200 * MS, 201 * MS]);
        assert_eq!(cell.elapsed_ns.as_ref().unwrap().median, 200_500_000);
        assert_eq!(cell.throughput_per_s.as_ref().unwrap().max, 40.0);
        assert_eq!(cell.ratio.unwrap().value, 2.0);
        assert_eq!(cell.cores_used, Some(2.0));
        assert_eq!((cell.by_worker.as_deref(), cell.imbalance), (Some(&[8, 8][..]), Some(1.0)));
        assert_eq!((cell.usage.peak_rss_bytes, cell.usage.involuntary_switches), (Some(10 << 20), None));
        assert_eq!(cell.checksum.as_deref(), Some(CHECKSUM));
        assert_eq!(cell.verdict, Some(Verdict::Unresolved), "two runs a side tell nothing");
    }

    #[test]
    fn set_up_counts_where_the_scenario_includes_it() {
        let mut plan = two_models();
        let with_setup = |round| {
            let Record::Sample(mut record) = sample("s/model=threads", round, 100 * MS) else { unreachable!() };
            tasks_of(&mut record).setup_ns = 100 * MS;
            Record::Sample(record)
        };
        let records = [with_setup(1), with_setup(2)];
        let apart = one(&plan, &records).cells.remove(1);
        plan.scenarios[0].include_setup = true;
        let together = one(&plan, &records).cells.remove(1);
        assert_eq!(apart.elapsed_ns.unwrap().median, 100 * MS);
        assert_eq!(together.elapsed_ns.unwrap().median, 200 * MS);
        assert_eq!(together.throughput_per_s.unwrap().median, 40.0);
        assert_eq!(together.setup_ns.unwrap().median, 100 * MS);
        // CPU time covers set-up too, whatever the scenario counts.
        assert_eq!((apart.cores_used, together.cores_used), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn a_failed_cell_has_no_figures_and_says_how_many_runs_it_got() {
        let records = [
            sample("s/model=sequential", 1, 400 * MS),
            sample("s/model=sequential", 2, 400 * MS),
            sample("s/model=threads", 1, 200 * MS),
            failure("s/model=threads", 2, FailureKind::Died, "the worker was killed by SIGSEGV."),
        ];
        let cell = one(&two_models(), &records).cells.remove(1);
        assert_eq!((cell.status, cell.failure, cell.runs), (Status::Failed, Some(FailureKind::Died), 1));
        assert_eq!(
            cell.reason.as_deref(),
            Some("in round 2 (1 of 2 runs were measured): the worker was killed by SIGSEGV.")
        );
        assert_eq!((cell.elapsed_ns, cell.ratio, cell.stderr_tail.len()), (None, None, 1));
    }

    #[test]
    fn a_failed_baseline_leaves_the_others_without_a_ratio() {
        let records = [
            failure("s/model=sequential", 0, FailureKind::NotStarted, "no such file."),
            sample("s/model=threads", 1, 200 * MS),
            sample("s/model=threads", 2, 200 * MS),
        ];
        let scenario = one(&two_models(), &records);
        assert_eq!((scenario.cells[1].status, scenario.cells[1].ratio), (Status::Ok, None));
        assert!(scenario.cells[0].reason.as_deref().unwrap().starts_with("before the first round (0 of 2"));
    }

    #[test]
    fn what_is_missing_is_skipped_and_what_cannot_be_done_is_unsupported() {
        let records = [
            failure("s/model=sequential", 0, FailureKind::Missing, "python3.14t is not installed."),
            failure("s/model=threads", 0, FailureKind::Unsupported, "no threads here."),
        ];
        let cells = one(&two_models(), &records).cells;
        assert_eq!((cells[0].status, cells[1].status), (Status::Skipped, Status::Unsupported));
        assert_eq!(cells[0].reason.as_deref(), Some("python3.14t is not installed."));
    }

    #[test]
    fn a_run_that_was_made_again_is_shown_and_counts_in_no_figure() {
        let disturbed = |round, ms| {
            let Record::Sample(mut record) = sample("s/model=threads", round, ms * MS) else { unreachable!() };
            record.disturbed = Some("other programs used 50 % of the CPUs".to_owned());
            Record::Sample(record)
        };
        let records = [
            sample("s/model=threads", 1, 200 * MS),
            disturbed(2, 100),
            disturbed(2, 900),
            sample("s/model=threads", 2, 202 * MS),
        ];
        let summary = summarise(&two_models(), &records, &times(), &KnownFloors::default());
        let cell = &summary.scenarios[0].cells[1];
        assert_eq!(cell.elapsed_ns.as_ref().unwrap().values, [200 * MS, 202 * MS]);
        assert_eq!((cell.runs, cell.flags.as_slice()), (2, &[][..]));
        let aside: Vec<(u32, u64)> = cell.set_aside.iter().map(|run| (run.round, run.elapsed_ns / MS)).collect();
        assert_eq!(aside, [(2, 100), (2, 900)]);
        assert_eq!(cell.notes, ["2 runs were made again, the first in round 2: other programs used 50 % of the CPUs"]);
        assert_eq!((summary.machine.counted_runs, summary.machine.repeated_runs), (4, 2));
    }

    #[test]
    fn an_interrupted_cell_says_how_far_it_got() {
        let cells = one(&two_models(), &[sample("s/model=sequential", 1, 400 * MS)]).cells;
        assert_eq!(cells[0].elapsed_ns.as_ref().map(|spread| spread.median), Some(400 * MS));
        assert_eq!((cells[0].status, &cells[0].flags[..]), (Status::Ok, &[Flag::Incomplete][..]));
        assert_eq!(cells[0].notes, ["interrupted: 1 of 2 runs were measured"]);
        assert_eq!(cells[1].status, Status::NotRun);
        assert_eq!(cells[1].reason.as_deref(), Some("interrupted: none of 2 runs was measured"));
    }

    #[test]
    fn a_wrong_checksum_fails_the_cell_and_takes_its_ratio() {
        let records = [
            sample_with_checksum("s/model=sequential", 1, "a"),
            sample_with_checksum("s/model=sequential", 2, "a"),
            sample_with_checksum("s/model=threads", 1, "b"),
            sample_with_checksum("s/model=threads", 2, "b"),
        ];
        let cell = one(&two_models(), &records).cells.remove(1);
        assert_eq!((cell.status, cell.failure), (Status::Failed, Some(FailureKind::WrongChecksum)));
        assert_eq!((cell.elapsed_ns, cell.ratio, cell.checksum.as_deref()), (None, None, Some("b")));
    }

    #[test]
    fn a_cell_below_the_clocks_resolution_is_flagged_and_has_no_ratio() {
        let records = [
            sample("s/model=sequential", 1, 400 * MS),
            sample("s/model=sequential", 2, 400 * MS),
            sample("s/model=threads", 1, 0),
            sample("s/model=threads", 2, 0),
        ];
        let cell = one(&two_models(), &records).cells.remove(1);
        assert_eq!((cell.flags.as_slice(), cell.ratio, cell.cores_used), (&[Flag::BelowResolution][..], None, None));
        assert_eq!((cell.throughput_per_s, cell.notes.len()), (None, 1));
    }

    #[test]
    fn a_cell_with_different_ratios_in_its_comparisons_has_none_of_its_own() {
        let mut plan =
            plan("s", Some("model"), &[batch(Model::Sequential), batch(Model::Loops), batch(Model::Threads)]);
        let scenario = &mut plan.scenarios[0];
        let whole = scenario.comparisons.remove(0);
        scenario.comparisons.push(Comparison { cells: vec![0, 2], baseline: Some(0), ..whole.clone() });
        scenario.comparisons.push(Comparison { cells: vec![1, 2], baseline: Some(1), ..whole });
        let records: Vec<Record> = [("sequential", 400), ("loops", 300), ("threads", 200)]
            .iter()
            .flat_map(|(model, ms)| [1, 2].map(|round| sample(&format!("s/model={model}"), round, ms * MS)))
            .collect();
        let scenario = one(&plan, &records);
        assert_eq!(scenario.cells[2].ratio, None);
        assert_eq!(scenario.comparisons[0].rows[1].ratio.unwrap().value, 2.0);
        assert_eq!(scenario.comparisons[1].rows[1].ratio.unwrap().value, 1.5);
        assert_eq!(scenario.cells[0].ratio.unwrap().value, 1.0);
    }

    /// Five runs of a cell that scatter by half a per cent.
    fn five(cell: &str, ms: u64) -> impl Iterator<Item = Record> {
        [1_000, 995, 1_005, 998, 1_002]
            .into_iter()
            .zip(1..)
            .map(move |(permille, round)| sample(cell, round, ms * permille * MS / 1_000))
    }

    #[test]
    fn a_cell_that_is_faster_than_its_baseline_is_called_so_in_its_row_and_by_itself() {
        let records: Vec<Record> = five("s/model=sequential", 400).chain(five("s/model=threads", 200)).collect();
        let scenario = one(&two_models(), &records);
        let comparison = &scenario.comparisons[0];
        let verdicts: Vec<Option<Verdict>> = comparison.rows.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Some(Verdict::Baseline), Some(Verdict::Faster)]);
        assert_eq!(scenario.cells[1].verdict, Some(Verdict::Faster));
        let ratio = scenario.cells[1].ratio.unwrap();
        assert_eq!(
            (ratio.value, ratio.low, ratio.high),
            (2.0, Some(2.0 * 998.0 / 1_005.0), Some(2.0 * 1_005.0 / 998.0))
        );
        let conclusion = comparison.conclusion.as_ref().unwrap();
        assert_eq!(conclusion.sentence, "threads is the fastest: 2.00 × sequential (1.99–2.01).");
        assert_eq!((&comparison.floor, comparison.floor_share()), (&None, 0.05));
    }

    #[test]
    fn the_twin_of_the_baseline_gives_the_floor_and_is_no_cell() {
        // 4 % slower, which the assumed floor of 5 % does not let through.
        let base: Vec<Record> = five("s/model=sequential", 400).chain(five("s/model=threads", 416)).collect();
        assert_eq!(one(&two_models(), &base).cells[1].verdict, Some(Verdict::Unresolved));
        let records: Vec<Record> = base.into_iter().chain(five("s/model=sequential#aa", 402)).collect();
        let scenario = one(&two_models(), &records);
        let floor = scenario.comparisons[0].floor.as_ref().unwrap();
        assert_eq!((floor.source, floor.share, floor.pairs), (FloorSource::Measured, 0.01, 1));
        assert_eq!((floor.measured.as_str(), floor.ratio), ("2026-11-30T17:16:36Z", Some(400.0 / 402.0)));
        assert_eq!(scenario.cells[1].verdict, Some(Verdict::Slower));
        assert_eq!((scenario.cells.len(), scenario.comparisons[0].rows.len()), (2, 2));
    }

    #[test]
    fn a_floor_that_is_known_counts_where_the_twin_did_not_run() {
        let remembered = NoiseFloor {
            share: 0.03,
            source: FloorSource::Measured,
            measured: "2026-11-29T00:00:00Z".to_owned(),
            ratio: None,
            low: None,
            high: None,
            pairs: 4,
        };
        let mut known = KnownFloors::default();
        known.remember_for_machine(remembered);
        let with = |twin: Vec<Record>| {
            let cells = five("s/model=sequential", 400).chain(five("s/model=threads", 416));
            let records: Vec<Record> = cells.chain(twin).collect();
            let summary = summarise(&two_models(), &records, &times(), &known);
            let comparison = summary.scenarios[0].comparisons[0].clone();
            (comparison.floor.unwrap(), comparison.rows[1].verdict)
        };
        let (floor, verdict) = with(Vec::new());
        assert_eq!((floor.share, floor.source, floor.pairs), (0.03, FloorSource::Remembered, 4));
        assert_eq!(verdict, Some(Verdict::Slower));
        let broken = failure("s/model=sequential#aa", 1, FailureKind::Died, "it died.");
        assert_eq!(with(vec![broken]).0.source, FloorSource::Remembered);
        assert_eq!(with(five("s/model=sequential#aa", 400).collect()).0.source, FloorSource::Measured);
    }

    #[test]
    fn a_summary_reads_back_as_it_was_written() {
        let summary =
            summarise(&two_models(), &[sample("s/model=sequential", 1, 400 * MS)], &times(), &KnownFloors::default());
        assert_eq!(serde_json::from_str::<Summary>(&summary.to_json()).unwrap(), summary);
    }
}
