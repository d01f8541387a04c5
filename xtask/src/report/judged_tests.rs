//! Intervals, verdicts, floors, conclusions and scaling in all formats.

use expect_test::expect;

use super::Format;
use super::csv::Csv;
use super::fixtures::{judged, summary, swept};
use super::markdown::Markdown;
use super::terminal::Terminal;
use crate::stats::summary::{ScenarioSummary, Summary, Verdict};

fn at(width: usize, scenario: ScenarioSummary) -> String {
    Terminal { width: Some(width), colour: false, ascii: false }.render(&summary(vec![scenario]))
}

#[test]
fn a_terminal_shows_interval_verdict_floor_and_conclusion() {
    expect![[r#"
        cpu-bound
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  model        median        min–max               ratio    1                  2.93  cores  peak mem  notes
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        gil   sequential  1.151 s    1.15–1.16 s                1.00    ┊                          1.0  12.3 MiB
        gil   threads     1.095 s    1.09–1.10 s  1.05 (0.99–1.08) ?    ┊●┤                        1.0  12.3 MiB
        gil   processes   0.397 s  0.395–0.640 s  2.90 (1.82–2.93) ▲    ┊           ├─────────●    2.0  12.3 MiB  outlier ¹
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        none  sequential  0.834 s  0.830–0.840 s                1.00    ┊                          1.0  12.3 MiB
        none  threads           –              –                   –    ┊                            –         –  failed ²

        lock = gil: processes is the fastest: 2.90 × sequential (1.82–2.93). With 3 runs a side no verdict of 2 at once can pass
          Holm's correction: each is to be read alone.

        ratio: above 1.00 is faster than model = sequential; in brackets its 96.8 % interval; ▲ faster, ? unresolved; noise
        floor: 1.2 % measured
        ¹ cpu-bound/model=processes,lock=gil: round 3 took 1.61 times the median
        ² cpu-bound/model=threads,lock=none: in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.
    "#]].assert_eq(&at(120, judged()));
}

#[test]
fn a_narrow_terminal_keeps_ratio_and_verdict_and_drops_the_interval_last() {
    expect![[r#"
        cpu-bound
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  model        median               ratio  notes
        ────────────────────────────────────────────────────────
        gil   sequential  1.151 s                1.00
        gil   threads     1.095 s  1.05 (0.99–1.08) ?
        gil   processes   0.397 s  2.90 (1.82–2.93) ▲  outlier ¹
        ────────────────────────────────────────────────────────
        none  sequential  0.834 s                1.00
        none  threads           –                   –  failed ²

        lock = gil: processes is the fastest: 2.90 × sequential
          (1.82–2.93). With 3 runs a side no verdict of 2 at once
          can pass Holm's correction: each is to be read alone.

        ratio: above 1.00 is faster than model = sequential; in
        brackets its 96.8 % interval; ▲ faster, ? unresolved; noise
        floor: 1.2 % measured
        left out, as the window is narrow: min–max, cores, peak mem
        ¹ cpu-bound/model=processes,lock=gil: round 3 took 1.61
          times the median
        ² cpu-bound/model=threads,lock=none: in round 2 (1 of 3 runs
          were measured): the worker was killed by SIGSEGV.
    "#]]
    .assert_eq(&at(60, judged()));
}

#[test]
fn markdown_shows_the_same() {
    expect![[r#"
        ## cpu-bound

        Which is fastest?

        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        | lock | model | median | min–max | ratio | cores | peak mem | notes |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |
        | gil | sequential | 1.151 s | 1.15–1.16 s | 1.00 | 1.0 | 12.3 MiB |  |
        | gil | threads | 1.095 s | 1.09–1.10 s | 1.05 (0.99–1.08) ? | 1.0 | 12.3 MiB |  |
        | gil | processes | 0.397 s | 0.395–0.640 s | 2.90 (1.82–2.93) ▲ | 2.0 | 12.3 MiB | outlier ¹ |
        | none | sequential | 0.834 s | 0.830–0.840 s | 1.00 | 1.0 | 12.3 MiB |  |
        | none | threads | – | – | – | – | – | failed ² |

        - **lock = gil**: processes is the fastest: 2.90 × sequential (1.82–2.93). With 3 runs a side no verdict of 2 at once can pass Holm's correction: each is to be read alone.

        ratio: above 1.00 is faster than model = sequential; in brackets its 96.8 % interval; ▲ faster, ? unresolved; noise floor: 1.2 % measured

        - ¹ `cpu-bound/model=processes,lock=gil`: round 3 took 1.61 times the median
        - ² `cpu-bound/model=threads,lock=none`: in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.
    "#]].assert_eq(&Markdown.render(&summary(vec![judged()])));
}

#[test]
fn csv_has_interval_verdict_and_floor_in_columns_of_their_own() {
    let text = Csv.render(&summary(vec![judged()]));
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}"));
    let names = ["ratio", "ratio_low", "ratio_high", "ratio_confidence", "verdict", "floor", "floor_source"];
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap())
        .map(|row| names.map(|name| row[place(name)].to_owned()).into())
        .collect();
    assert_eq!(rows[0], ["1", "", "", "", "baseline", "0.0123", "measured"]);
    assert_eq!(rows[1], ["1.0511", "0.99", "1.08", "0.9682539682539683", "unresolved", "0.0123", "measured"]);
    assert_eq!(rows[2], ["2.8992", "1.82", "2.93", "0.9682539682539683", "faster", "0.0123", "measured"]);
    assert_eq!(rows[3], ["1", "", "", "", "baseline", "0.05", "assumed"]);
    assert_eq!(rows[4], ["", "", "", "", "", "", ""]);
}

#[test]
fn scaling_is_said_below_the_table() {
    expect![[r#"
        sweep
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        workers    median       min–max  ratio  0.91        1        1.10  cores  peak mem
        ──────────────────────────────────────────────────────────────────────────────────
        1        1.510 ms  1.50–1.52 ms   1.00              ┊                1.0  12.3 MiB
        2        1.510 ms  1.50–1.52 ms   1.00              ●                1.0  12.3 MiB
        4        1.510 ms  1.50–1.52 ms   1.00              ●                1.0  12.3 MiB
        8        1.510 ms  1.50–1.52 ms   1.00              ●                1.0  12.3 MiB

        scaling, model = loops: contention 5.0 %, crosstalk 0.20 %, peak 743.4 tasks a second with 22
          workers, knee at 6, R² 0.998. 1 degree of freedom is left.

        ratio: above 1.00 is faster than workers = 1
    "#]]
    .assert_eq(&at(100, swept()));
}

#[test]
fn a_verdict_reads_the_same_without_colour_and_without_signs_beyond_ascii() {
    let summary: Summary = summary(vec![judged(), swept()]);
    let plain = Terminal { width: Some(120), ascii: true, colour: false }.render(&summary);
    assert!(plain.is_ascii(), "{plain}");
    assert!(plain.contains("2.90 (1.82-2.93) ^") && plain.contains("^ faster, ? unresolved"), "{plain}");
    assert!(plain.contains("knee at 6, R2"), "{plain}");
    let coloured = Terminal { width: Some(120), ascii: false, colour: true }.render(&summary);
    assert!(coloured.contains("\u{1b}[36m"), "{coloured}");
}

#[test]
fn one_run_a_side_shows_no_interval_of_nothing() {
    let mut scenario = judged();
    let row = &mut scenario.comparisons[0].rows[2];
    let ratio = row.ratio.as_mut().unwrap();
    (ratio.low, ratio.high, ratio.confidence) = (Some(2.8992), Some(2.8992), Some(0.0));
    row.verdict = Some(Verdict::Unresolved);
    let text = at(120, scenario);
    assert!(text.contains("2.90 ?") && !text.contains("2.90–2.90"), "{text}");
}

#[test]
fn a_sentence_that_is_true_of_all_comparisons_stands_once() {
    let mut scenario = judged();
    let few = "Nothing can be told from 3 runs a cell: 4 are the least, 5 are better.";
    let mut conclusion = scenario.comparisons[0].conclusion.clone().unwrap();
    conclusion.sentence = few.to_owned();
    conclusion.not_after_holm.clear();
    for comparison in &mut scenario.comparisons {
        comparison.conclusion = Some(conclusion.clone());
    }
    let text = at(120, scenario);
    assert_eq!((text.matches(few).count(), text.contains(&format!("\n{few}"))), (1, true), "{text}");
}
