//! How the tables of servers look, and that all formats say the same.

use expect_test::expect;
use protocol::ErrorKind;

use super::super::fixtures::{axis, comparison, failed as failed_cell, scenario as batch_scenario, summary};
use super::super::{Format, Terminal, csv::Csv, json::Json, markdown::Markdown};
use crate::stats::fixtures::{axes, http_summary};
use crate::stats::summary::{
    Bound, CellSummary, ClientSummary, Flag, Percentiles, ScenarioSummary, Spread, Status, Summary,
};

const MS: f64 = 1_000_000.0;

fn wide(summary: &Summary) -> String {
    Terminal { width: Some(120), ..Terminal::default() }.render(summary)
}

fn narrow(summary: &Summary) -> String {
    let text = Terminal { width: Some(60), ..Terminal::default() }.render(summary);
    assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 60), "{text}");
    text
}

/// Percentiles in milliseconds; one that is 0 is unknown.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
fn percentiles(ms: [f64; 3]) -> Percentiles {
    let [p50, p95, p99] = ms.map(|ms| (ms > 0.0).then_some((ms * MS) as u64));
    Percentiles { p50, p95, p99, p999: None, max: (ms[2] * 2.0 * MS) as u64, count: 5_000 }
}

fn served(id: &str, coordinates: &[(&str, &str)], per_second: f64, ms: [f64; 3], by_worker: &[u64]) -> CellSummary {
    let mut cell = http_summary(id);
    cell.axes = axes(coordinates);
    cell.throughput_per_s = Spread::of(vec![per_second, per_second * 0.98, per_second * 1.01]);
    cell.latency_ns = Some(percentiles(ms));
    cell.by_worker = Some(by_worker.to_vec());
    cell.cores_used = Some(1.0);
    cell
}

fn scenario(name: &str, axes: Vec<crate::matrix::axis::Axis>, cells: Vec<CellSummary>) -> ScenarioSummary {
    let mut scenario = batch_scenario(name, "workers", axes, cells);
    scenario.kind = "http".to_owned();
    scenario.question = Some("Do several loops serve more?".to_owned());
    let settings = [("model", "loops".into()), ("connections", 64.into()), ("requests", 1_000.into())];
    scenario.settings = settings.map(|(key, value)| (key.to_owned(), value)).into();
    scenario
}

/// 1, 4 and 8 loops: the second skewed, the third with errors and held back by the client.
fn long() -> ScenarioSummary {
    let id = |workers: &str| format!("http-loops/workers={workers}");
    let at = |workers| [("workers", workers)];
    let one = served(&id("1"), &at("1"), 415.3, [153.95, 173.37, 177.35], &[5_000]);
    let mut four = served(&id("4"), &at("4"), 625.8, [97.9, 151.1, 154.9], &[0, 0, 0, 5_000]);
    four.flags = vec![Flag::Skewed];
    four.notes = vec!["worker 4 of 4 did 5000 of 5000 requests".to_owned()];
    let mut eight = served(&id("8"), &at("8"), 1_777.5, [36.1, 41.0, 44.2], &[625; 8]);
    eight.client = Some(ClientSummary { threads: 1, cores_used: Some(0.97), cpu_ns_per_request: Some(9_000.0) });
    eight.requests.as_mut().unwrap().errors = [(ErrorKind::Reset, 10), (ErrorKind::Timeout, 2)].into();
    eight.flags = vec![Flag::ClientBound, Flag::Errors];
    eight.notes = vec![
        "the client used 0.97 of the 1 core that it could: the server may be able to do more".to_owned(),
        "12 of 5,000 requests failed: 10 reset, 2 timeout".to_owned(),
    ];
    let mut scenario = scenario("http-loops", vec![axis("workers", &["1", "4", "8"])], vec![one, four, eight]);
    scenario.comparisons = vec![comparison(&[], &[(&id("1"), 1.0), (&id("4"), 1.507), (&id("8"), 4.28)])];
    scenario.comparisons[0].rows[2].ratio.as_mut().unwrap().bound = Some(Bound::AtLeast);
    scenario
}

/// The second article's sweep.
fn sweep() -> ScenarioSummary {
    let figures = [
        ("0us", 22_035.4, 26_962.8, 3.16, 2.49, 1.22),
        ("2400us", 415.3, 1_350.9, 173.37, 51.12, 3.25),
        ("9600us", 104.0, 0.0, 640.0, 0.0, 0.0),
    ];
    let (mut cells, mut comparisons) = (Vec::new(), Vec::new());
    for (cpu, one, four, p95_one, p95_four, ratio) in figures {
        let id = |workers: &str| format!("http-cpu-sweep/workers={workers},cpu={cpu}");
        let first =
            served(&id("1"), &[("workers", "1"), ("cpu", cpu)], one, [p95_one * 0.8, p95_one, p95_one * 1.1], &[5_000]);
        let at = [("workers", "4"), ("cpu", cpu)];
        let second = if four > 0.0 {
            let mut cell = served(&id("4"), &at, four, [p95_four * 0.8, p95_four, p95_four * 1.1], &[1_250; 4]);
            cell.cores_used = Some(3.9);
            cell
        } else {
            failed_cell(&id("4"), &at, Status::Failed, "in round 1 (0 of 3 runs were measured): the server died.")
        };
        comparisons.push(comparison(&[("cpu", cpu)], &[(&id("1"), 1.0), (&id("4"), ratio)]));
        cells.extend([first, second]);
    }
    let axes = vec![axis("workers", &["1", "4"]), axis("cpu", &["0us", "2400us", "9600us"])];
    let mut scenario = scenario("http-cpu-sweep", axes, cells);
    scenario.comparisons = comparisons;
    scenario
}

/// A server that keeps up at 2,500 requests a second and does not at 6,000.
fn open() -> ScenarioSummary {
    let cell = |rate: &str, asked: f64, achieved: f64, latency: [f64; 3], lag_ms: f64| {
        let mut cell = served(&format!("http-open/rate={rate}"), &[("rate", rate)], achieved, latency, &[6_250, 6_250]);
        let requests = cell.requests.as_mut().unwrap();
        (requests.asked_rate_per_s, requests.achieved_rate_per_s) = (Some(asked), Some(achieved));
        cell.service_ns = Some(percentiles([0.9, 1.1, 1.4]));
        cell.send_lag_ns = Some(percentiles([lag_ms / 2.0, lag_ms, lag_ms]));
        cell
    };
    let good = cell("50%", 2_500.0, 2_499.6, [1.21, 1.6, 2.2], 0.081);
    let mut over = cell("120%", 6_000.0, 5_012.3, [412.0, 790.5, 0.0], 0.094);
    over.latency_ns.as_mut().unwrap().count = 500;
    over.flags = vec![Flag::RateNotMet];
    over.notes =
        vec!["4,938 of 30,000 requests were never sent at 6000 a second, because no connection was free".to_owned()];
    let mut scenario = scenario("http-open", vec![axis("rate", &["50%", "120%"])], vec![good, over]);
    scenario.compare = None;
    scenario.settings = [("connections".to_owned(), 64.into()), ("arrivals".to_owned(), "poisson".into())].into();
    scenario.comparisons = vec![comparison(&[], &[("http-open/rate=50%", 0.0), ("http-open/rate=120%", 0.0)])];
    scenario.comparisons[0].baseline = None;
    scenario
}

#[test]
fn a_closed_loop_shows_requests_a_second_latency_balance_errors_and_what_both_sides_took() {
    expect![[r#"
        http-loops
        Do several loops serve more?
        model = loops, connections = 64, requests = 1,000 · 3 runs, 1 warm-up, interleaved

        workers  req/s  ratio       p50       p95       p99   by worker  server  client  errors  notes
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
        1        415.3   1.00  153.9 ms  173.4 ms  177.3 ms        5000     1.0    0.30       0
        4        625.8   1.51  97.90 ms  151.1 ms  154.9 ms  0/0/0/5000     1.0    0.30       0  skewed ¹
        8        1,778  ≥4.28  36.10 ms  41.00 ms  44.20 ms       8×625     1.0    0.97      12  client-bound, errors ²

        ratio: above 1.00 is faster than workers = 1; ≥, ≤: the client held one side back; server: cores it used; client: cores
        it used
        left out, as the window is narrow: min–max
        ¹ http-loops/workers=4: worker 4 of 4 did 5000 of 5000 requests
        ² http-loops/workers=8: the client used 0.97 of the 1 core that it could: the server may be able to do more; 12 of 5,000
          requests failed: 10 reset, 2 timeout
    "#]].assert_eq(&wide(&summary(vec![long()])));
}

#[test]
fn two_compared_values_stand_side_by_side_as_the_article_prints_them() {
    expect![[r#"
        http-cpu-sweep
        Do several loops serve more?
        model = loops, connections = 64, requests = 1,000 · 3 runs, 1 warm-up, interleaved

        cpu     req/s workers=1  req/s workers=4  ratio     p95 1     p95 4               p99     server  notes
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
        0us              22,035           26,963   1.22  3.160 ms  2.490 ms  3.476 → 2.739 ms  1.0 → 3.9
        2400us            415.3            1,351   3.25  173.4 ms  51.12 ms  190.7 → 56.23 ms  1.0 → 3.9
        9600us            104.0                –      –  640.0 ms         –      704.0 ms → –    1.0 → –  4: failed ¹

        ratio: above 1.00 is faster than workers = 1; server: cores it used
        left out, as the window is narrow: p50, by worker, client
        ¹ http-cpu-sweep/workers=4,cpu=9600us: in round 1 (0 of 3 runs were measured): the server died.
    "#]]
    .assert_eq(&wide(&summary(vec![sweep()])));
}

#[test]
fn an_open_loop_shows_what_was_asked_what_was_sent_and_latency_from_the_intended_time() {
    expect![[r#"
        http-open
        Do several loops serve more?
        connections = 64, arrivals = poisson · 3 runs, 1 warm-up, interleaved

        rate  asked → achieved       p50       p95       p99  service p99   lag p99  by worker  server  client  notes
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        50%      2,500 → 2,500  1.210 ms  1.600 ms  2.200 ms     1.400 ms  81.00 µs  6250/6250     1.0    0.30
        120%     6,000 → 5,012  412.0 ms  790.5 ms         –     1.400 ms  94.00 µs  6250/6250     1.0    0.30  rate-not-met ¹

        p50 to p99: from the intended send time; service: from the real one; lag: how late the client sent; server: cores it
        used; client: cores it used
        ¹ http-open/rate=120%: 4,938 of 30,000 requests were never sent at 6000 a second, because no connection was free
    "#]].assert_eq(&wide(&summary(vec![open()])));
}

#[test]
fn at_sixty_columns_requests_ratio_and_one_percentile_remain() {
    expect![[r#"
        http-loops
        Do several loops serve more?
        model = loops, connections = 64, requests = 1,000 · 3 runs,
        1 warm-up, interleaved

        workers  req/s  ratio   1     4.28       p95  errors  notes
        ───────────────────────────────────────────────────────────
        1        415.3   1.00   ┊           173.4 ms       0
        4        625.8   1.51   ┊─●         151.1 ms       0  ¹
        8        1,778  ≥4.28   ┊────────●  41.00 ms      12  ²

        ratio: above 1.00 is faster than workers = 1; ≥, ≤: the
        client held one side back
        left out, as the window is narrow: min–max, p50, p99, by
        worker, server, client
        ¹ http-loops/workers=4: worker 4 of 4 did 5000 of 5000
          requests
        ² http-loops/workers=8: the client used 0.97 of the 1 core
          that it could: the server may be able to do more; 12 of
          5,000 requests failed: 10 reset, 2 timeout

        http-cpu-sweep
        Do several loops serve more?
        model = loops, connections = 64, requests = 1,000 · 3 runs,
        1 warm-up, interleaved

        cpu     req/s workers=1  req/s workers=4  ratio  notes
        ────────────────────────────────────────────────────────────
        0us              22,035           26,963   1.22
        2400us            415.3            1,351   3.25
        9600us            104.0                –      –  4: failed ¹

        ratio: above 1.00 is faster than workers = 1
        left out, as the window is narrow: p95 1, p95 4, p50, p99,
        by worker, server, client
        ¹ http-cpu-sweep/workers=4,cpu=9600us: in round 1 (0 of 3
          runs were measured): the server died.

        http-open
        Do several loops serve more?
        connections = 64, arrivals = poisson · 3 runs, 1 warm-up,
        interleaved

        rate  asked → achieved       p50       p99  notes
        ──────────────────────────────────────────────────────────
        50%      2,500 → 2,500  1.210 ms  2.200 ms
        120%     6,000 → 5,012  412.0 ms         –  rate-not-met ¹

        p50 to p99: from the intended send time
        left out, as the window is narrow: p95, service p99, lag
        p99, by worker, server, client
        ¹ http-open/rate=120%: 4,938 of 30,000 requests were never
          sent at 6000 a second, because no connection was free
    "#]]
    .assert_eq(&narrow(&summary(vec![long(), sweep(), open()])));
}

#[test]
fn markdown_has_the_same_tables() {
    expect![[r#"
        ## http-loops

        Do several loops serve more?

        model = loops, connections = 64, requests = 1,000 · 3 runs, 1 warm-up, interleaved

        | workers | req/s | min–max | ratio | p50 | p95 | p99 | by worker | server | client | errors | notes |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
        | 1 | 415.3 | 407.0–419.5 | 1.00 | 153.9 ms | 173.4 ms | 177.3 ms | 5000 | 1.0 | 0.30 | 0 |  |
        | 4 | 625.8 | 613.3–632.1 | 1.51 | 97.90 ms | 151.1 ms | 154.9 ms | 0/0/0/5000 | 1.0 | 0.30 | 0 | skewed ¹ |
        | 8 | 1,778 | 1,742–1,795 | ≥4.28 | 36.10 ms | 41.00 ms | 44.20 ms | 8×625 | 1.0 | 0.97 | 12 | client-bound, errors ² |

        ratio: above 1.00 is faster than workers = 1; ≥, ≤: the client held one side back; server: cores it used; client: cores it used

        - ¹ `http-loops/workers=4`: worker 4 of 4 did 5000 of 5000 requests
        - ² `http-loops/workers=8`: the client used 0.97 of the 1 core that it could: the server may be able to do more; 12 of 5,000 requests failed: 10 reset, 2 timeout

        ## http-open

        Do several loops serve more?

        connections = 64, arrivals = poisson · 3 runs, 1 warm-up, interleaved

        | rate | asked → achieved | p50 | p95 | p99 | service p99 | lag p99 | by worker | server | client | notes |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
        | 50% | 2,500 → 2,500 | 1.210 ms | 1.600 ms | 2.200 ms | 1.400 ms | 81.00 µs | 6250/6250 | 1.0 | 0.30 |  |
        | 120% | 6,000 → 5,012 | 412.0 ms | 790.5 ms | – | 1.400 ms | 94.00 µs | 6250/6250 | 1.0 | 0.30 | rate-not-met ¹ |

        p50 to p99: from the intended send time; service: from the real one; lag: how late the client sent; server: cores it used; client: cores it used

        - ¹ `http-open/rate=120%`: 4,938 of 30,000 requests were never sent at 6000 a second, because no connection was free
    "#]].assert_eq(&Markdown.render(&summary(vec![long(), open()])));
}

#[test]
fn plain_ascii_is_enough_for_the_signs_of_these_tables() {
    let plain = Terminal { width: Some(120), ascii: true, colour: false };
    let text = plain.render(&summary(vec![long(), sweep(), open()]));
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains(">=4.28") && text.contains("8x625"), "{text}");
}

#[test]
fn a_scenario_in_which_nothing_was_measured_still_has_a_table() {
    let mut scenario = long();
    for cell in &mut scenario.cells {
        *cell = failed_cell(&cell.id.clone(), &[("workers", "1")], Status::Skipped, "puma is not installed.");
    }
    scenario.comparisons.iter_mut().flat_map(|it| &mut it.rows).for_each(|row| row.ratio = None);
    let text = wide(&summary(vec![scenario]));
    assert!(text.contains("skipped ¹") && text.contains("puma is not installed."), "{text}");
}

#[test]
fn the_figures_of_one_server_are_the_same_in_all_formats() {
    let summary = summary(vec![long()]);
    let line_with = |text: String, part: &str| text.lines().find(|line| line.contains(part)).unwrap().to_owned();
    // 1,777.5 requests a second, at least 4.28 times the baseline, 8 × 625 requests, 12 errors, 0.97 cores of the client.
    let shown = ["1,778", "≥4.28", "36.10 ms", "41.00 ms", "44.20 ms", "8×625", "0.97", "12"];
    for text in [wide(&summary), Markdown.render(&summary)] {
        let line = line_with(text, "≥4.28");
        assert!(shown.iter().all(|figure| line.contains(figure)), "{line}");
    }
    let raw = [
        ",1777.5,4.28,",
        ",625 625 625 625 625 625 625 625,",
        ",at least,36100000,41000000,44200000,,88400000,5000,",
        ",5000,5000,0,0,12,reset=10 timeout=2,0,,",
        ",1,0.97,9000,",
    ];
    let line = line_with(Csv.render(&summary), "http-loops/workers=8");
    assert!(raw.iter().all(|figure| line.contains(figure)), "{line}");
    let json: serde_json::Value = serde_json::from_str(&Json.render(&summary)).unwrap();
    let scenario = &json["scenarios"][0];
    let cell = &scenario["cells"][2];
    assert_eq!(cell["throughput_per_s"]["median"], 1_777.5);
    let latency = &cell["latency_ns"];
    assert_eq!([&latency["p50"], &latency["p95"], &latency["p99"]], [36_100_000, 41_000_000, 44_200_000]);
    assert_eq!(scenario["comparisons"][0]["rows"][2]["ratio"]["value"], 4.28);
    assert_eq!(scenario["comparisons"][0]["rows"][2]["ratio"]["bound"], "at_least");
    assert_eq!(cell["requests"]["errors"], serde_json::json!({"reset": 10, "timeout": 2}));
    assert_eq!((&cell["client"]["cores_used"], &cell["by_worker"][7]), (&0.97.into(), &625.into()));
    assert_eq!(cell["flags"], serde_json::json!(["client-bound", "errors"]));
}

#[test]
fn the_figures_of_an_open_loop_are_the_same_in_all_formats() {
    let summary = summary(vec![open()]);
    let line_with = |text: String, part: &str| text.lines().find(|line| line.contains(part)).unwrap().to_owned();
    let shown = ["2,500 → 2,500", "1.210 ms", "2.200 ms", "1.400 ms", "81.00 µs"];
    for text in [wide(&summary), Markdown.render(&summary)] {
        let line = line_with(text, "50%");
        assert!(shown.iter().all(|figure| line.contains(figure)), "{line}");
    }
    let line = line_with(Csv.render(&summary), "http-open/rate=50%");
    let raw = [",1210000,1600000,2200000,,", ",900000,1400000,", ",40500,81000,", ",2500,2499.6,"];
    assert!(raw.iter().all(|figure| line.contains(figure)), "{line}");
    let json: serde_json::Value = serde_json::from_str(&Json.render(&summary)).unwrap();
    let cell = &json["scenarios"][0]["cells"][0];
    assert_eq!((&cell["service_ns"]["p99"], &cell["send_lag_ns"]["p99"]), (&1_400_000.into(), &81_000.into()));
    assert_eq!(cell["requests"]["achieved_rate_per_s"], 2_499.6);
    assert_eq!(json["scenarios"][0]["cells"][1]["latency_ns"]["p99"], serde_json::Value::Null);
}

#[test]
fn columns_of_servers_are_only_in_csv_with_servers() {
    let header = |scenario| Csv.render(&summary(vec![scenario])).lines().next().unwrap().to_owned();
    assert!(header(long()).contains(",io_pressure_ns,ratio_bound,latency_p50_ns,"));
    assert!(header(super::super::fixtures::long()).ends_with(",io_pressure_ns"));
}
