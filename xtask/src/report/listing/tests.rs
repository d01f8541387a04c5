//! The index of made-up results.

use expect_test::expect;

use super::*;
use crate::results::Environment;
use crate::results::index::Entry;
use crate::results::machine::Machine as Hardware;
use crate::stats::history::{ChangePoint, Point, Series};

fn environment(cpu: &str) -> Environment {
    let mut environment = crate::report::tests::environment();
    environment.machine = Hardware { cpu_model: Some(cpu.to_owned()), usable_cpus: Some(2), ..Hardware::default() };
    environment.git = None;
    environment
}

fn entry(name: &str, statuses: &[Status]) -> Entry {
    let content = Content { complete: true, scenarios: 2, statuses: statuses.to_vec() };
    Entry {
        name: name.to_owned(),
        environment: Some(environment("EPYC <&|> 9")),
        content: Some(content),
        outline: None,
        has_tables: true,
        has_page: true,
    }
}

fn series(cell: &str, baseline: &str, ratios: &[(usize, f64)]) -> Series {
    let point = |(result, ratio): &(usize, f64)| Point {
        result: *result,
        ratio: *ratio,
        low: Some(ratio - 0.1),
        high: Some(ratio + 0.1),
    };
    Series {
        cell: cell.to_owned(),
        baseline: baseline.to_owned(),
        points: ratios.iter().map(point).collect(),
        with_other_settings: 0,
        changes: Vec::new(),
    }
}

fn entries() -> Vec<Entry> {
    let bare = Entry {
        content: None,
        environment: None,
        has_tables: false,
        has_page: false,
        ..entry("2026-11-28T080000Z-3f9c2a1", &[])
    };
    vec![
        entry("2026-11-30T171522Z-3f9c2a1", &[Status::Ok, Status::Ok, Status::Failed, Status::Skipped]),
        entry("2026-11-29T171522Z-3f9c2a1", &[Status::Ok]),
        bare,
    ]
}

fn of_machine() -> MachineHistory {
    let mut threads = series("cpu/model=threads", "cpu/model=sequential", &[(0, 3.5), (1, 1.9)]);
    threads.changes = vec![ChangePoint { at: 1, before: 3.5, after: 1.9 }];
    MachineHistory {
        fingerprint: "3f9c2a1".to_owned(),
        results: vec!["2026-11-29T171522Z-3f9c2a1".to_owned(), "2026-11-30T171522Z-3f9c2a1".to_owned()],
        series: vec![
            threads,
            series("cpu/model=<b>processes", "cpu/model=sequential", &[(0, 1.5), (1, 2.0)]),
            series("io/model=async", "io/model=sequential", &[(0, 8.0)]),
        ],
    }
}

fn machine<'a>(entries: &'a [Entry], history: &'a MachineHistory) -> Machine<'a> {
    Machine {
        fingerprint: "3f9c2a1",
        name: "EPYC <&|> 9, 2 cores".to_owned(),
        results: entries.iter().collect(),
        history: Some(history),
    }
}

#[test]
fn a_code_host_shows_the_results_newest_first_and_the_headlines_of_each_machine() {
    let (entries, history) = (entries(), of_machine());
    expect![[r#"
        # Results

        One folder per run of the matrix, newest first. `cargo xtask matrix` writes this list, and [index.html](index.html), the same for a browser.

        | result | page | machine | CPUs | commit | complete | scenarios | cells |
        | --- | --- | --- | ---: | --- | --- | ---: | --- |
        | [2026-11-30 17:15:22](2026-11-30T171522Z-3f9c2a1/tables.md) | [page](2026-11-30T171522Z-3f9c2a1/report.html) | EPYC &lt;&amp;\|&gt; 9 | 2 | – | yes | 2 | 2 ok, 1 failed, 1 skipped |
        | [2026-11-29 17:15:22](2026-11-29T171522Z-3f9c2a1/tables.md) | [page](2026-11-29T171522Z-3f9c2a1/report.html) | EPYC &lt;&amp;\|&gt; 9 | 2 | – | yes | 2 | 1 ok |
        | [2026-11-28 08:00:00](2026-11-28T080000Z-3f9c2a1/samples.jsonl) | – | – | – | – | no summary | – | – |

        ## Headline ratios

        A headline ratio is the speed of the fastest cell of a comparison over its baseline: which cell that is, the newest result says that has the comparison. Older results of the same machine and the same settings make its history.

        ### EPYC &lt;&amp;\|&gt; 9, 2 cores (3f9c2a1)

        2 results, 2026-11-29 17:15:22 to 2026-11-30 17:15:22 · speed relative to the baseline, the newest on the right

        | cell | ratios | n | newest | min–max | changed |
        | --- | --- | ---: | ---: | ---: | --- |
        | cpu/model=&lt;b&gt;processes | ▁█ | 2 | 2.00 (1.90–2.10) | 1.50–2.00 |  |
        | io/model=async | ▅ | 1 | 8.00 (7.90–8.10) earlier | – |  |

        changed: where the series changed for good, by Pettitt's test at 1 % a cell; it takes ten results
    "#]].assert_eq(&readme(&entries, &[machine(&entries, &history)]));
}

#[test]
fn a_headline_is_the_fastest_cell_of_the_newest_result_that_has_the_comparison() {
    let history = of_machine();
    let cells: Vec<&str> = headline::headlines(&history).iter().map(|series| series.cell.as_str()).collect();
    assert_eq!(cells, ["cpu/model=<b>processes", "io/model=async"], "threads were faster once, and are not now");
}

#[test]
fn the_page_links_to_what_is_there_and_names_stay_text() {
    let (entries, history) = (entries(), of_machine());
    let html = page(&[machine(&entries, &history)]);
    assert!(html.contains(r#"href="2026-11-30T171522Z-3f9c2a1/report.html""#));
    assert!(html.contains(r#"href="2026-11-28T080000Z-3f9c2a1/samples.jsonl""#));
    assert!(!html.contains("2026-11-28T080000Z-3f9c2a1/report.html"), "a link to a page that is not there");
    assert!(html.contains("EPYC &lt;&amp;|&gt; 9, 2 cores") && html.contains("cpu/model=&lt;b&gt;processes"));
    assert!(!html.contains("<b>processes"));
    assert!(html.contains("2 ratios, from 1.50 to 2.00") && html.contains("8.00 (7.90–8.10) earlier"));
}

#[test]
fn no_result_makes_a_page_that_says_so() {
    assert!(page(&[]).contains("There is no result yet."));
    assert!(readme(&[], &[]).ends_with("| --- | --- | --- | ---: | --- | --- | ---: | --- |\n"));
}
