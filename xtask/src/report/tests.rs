//! How whole tables look, and that all formats say the same.

use expect_test::expect;

use super::fixtures::{axis, comparison, failed, long, measured, pivot, scenario, summary};
use super::{Format, Terminal, csv::Csv, document, json::Json, markdown::Markdown};
use crate::results::Environment;
use crate::stats::summary::{CellSummary, Flag, Status, Summary, Verdict};

fn wide(summary: &Summary) -> String {
    Terminal { width: Some(120), ..Terminal::default() }.render(summary)
}

#[test]
fn a_wide_terminal_shows_all_columns() {
    expect![[r#"
        cpu-bound
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  model        median        min–max  ratio    1                  2.90  cores  peak mem  notes
        ──────────────────────────────────────────────────────────────────────────────────────────────────────
        gil   sequential  1.151 s    1.15–1.16 s   1.00    ┊                          1.0  12.3 MiB
        gil   threads     1.095 s    1.09–1.10 s   1.05    ┊●                         1.0  12.3 MiB
        gil   processes   0.397 s  0.395–0.640 s   2.90    ┊─────────────────────●    2.0  12.3 MiB  outlier ¹
        ──────────────────────────────────────────────────────────────────────────────────────────────────────
        none  sequential  0.834 s  0.830–0.840 s   1.00    ┊                          1.0  12.3 MiB
        none  threads           –              –      –    ┊                            –         –  failed ²

        ratio: above 1.00 is faster than model = sequential
        ¹ cpu-bound/model=processes,lock=gil: round 3 took 1.61 times the median
        ² cpu-bound/model=threads,lock=none: in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.
    "#]]
    .assert_eq(&wide(&summary(vec![long()])));
}

#[test]
fn two_compared_values_stand_side_by_side_with_the_ratio_last() {
    expect![[r#"
        multi-loop
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  task                 workers=1                 workers=4       cores         peak mem  ratio  notes
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        gil   io    0.0558 s (0.0552–0.0569)  0.0586 s (0.0580–0.0598)  1.0 → 0.95  12.3 → 12.3 MiB   0.95
        gil   cpu        1.629 s (1.61–1.66)       1.651 s (1.63–1.68)  1.0 → 0.99  12.3 → 12.3 MiB   0.99
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        none  io    0.0556 s (0.0550–0.0567)                         –     1.0 → –     12.3 MiB → –      –  4: skipped ¹
        none  cpu        1.514 s (1.50–1.54)     0.488 s (0.483–0.498)   1.0 → 3.1  12.3 → 12.3 MiB   3.10

        ratio: above 1.00 is faster than workers = 1
        ¹ multi-loop/task=io,workers=4,lock=none: timerfd is not there.
    "#]]
    .assert_eq(&wide(&summary(vec![pivot()])));
}

#[test]
fn at_sixty_columns_the_figures_that_matter_remain() {
    let narrow = Terminal { width: Some(60), ..Terminal::default() };
    let text = narrow.render(&summary(vec![long(), pivot()]));
    assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 60), "{text}");
    expect![[r#"
        cpu-bound
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  model        median        min–max  ratio  notes
        ──────────────────────────────────────────────────────────
        gil   sequential  1.151 s    1.15–1.16 s   1.00
        gil   threads     1.095 s    1.09–1.10 s   1.05
        gil   processes   0.397 s  0.395–0.640 s   2.90  outlier ¹
        ──────────────────────────────────────────────────────────
        none  sequential  0.834 s  0.830–0.840 s   1.00
        none  threads           –              –      –  failed ²

        ratio: above 1.00 is faster than model = sequential
        left out, as the window is narrow: cores, peak mem
        ¹ cpu-bound/model=processes,lock=gil: round 3 took 1.61
          times the median
        ² cpu-bound/model=threads,lock=none: in round 2 (1 of 3 runs
          were measured): the worker was killed by SIGSEGV.

        multi-loop
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  task  workers=1  workers=4  ratio  notes
        ─────────────────────────────────────────────────────
        gil   io     0.0558 s   0.0586 s   0.95
        gil   cpu     1.629 s    1.651 s   0.99
        ─────────────────────────────────────────────────────
        none  io     0.0556 s          –      –  4: skipped ¹
        none  cpu     1.514 s    0.488 s   3.10

        ratio: above 1.00 is faster than workers = 1
        left out, as the window is narrow: cores, peak mem
        ¹ multi-loop/task=io,workers=4,lock=none: timerfd is not
          there.
    "#]]
    .assert_eq(&text);
}

#[test]
fn markdown_shows_the_same_table() {
    expect![[r#"
        ## cpu-bound

        Which is fastest?

        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        | lock | model | median | min–max | ratio | cores | peak mem | notes |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |
        | gil | sequential | 1.151 s | 1.15–1.16 s | 1.00 | 1.0 | 12.3 MiB |  |
        | gil | threads | 1.095 s | 1.09–1.10 s | 1.05 | 1.0 | 12.3 MiB |  |
        | gil | processes | 0.397 s | 0.395–0.640 s | 2.90 | 2.0 | 12.3 MiB | outlier ¹ |
        | none | sequential | 0.834 s | 0.830–0.840 s | 1.00 | 1.0 | 12.3 MiB |  |
        | none | threads | – | – | – | – | – | failed ² |

        ratio: above 1.00 is faster than model = sequential

        - ¹ `cpu-bound/model=processes,lock=gil`: round 3 took 1.61 times the median
        - ² `cpu-bound/model=threads,lock=none`: in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.
    "#]].assert_eq(&Markdown.render(&summary(vec![long()])));
}

#[test]
fn csv_has_raw_figures_and_empty_fields_for_what_is_unknown() {
    expect![[r#"
        scenario,comparison,cell,axis_model,axis_lock,compare,baseline,status,reason,runs,elapsed_median_ns,elapsed_min_ns,elapsed_max_ns,elapsed_values_ns,setup_median_ns,setup_in_elapsed,throughput_median_per_s,ratio,ratio_low,ratio_high,ratio_confidence,verdict,floor,floor_source,cores_used,user_ns,sys_ns,peak_rss_bytes,processes,voluntary_switches,involuntary_switches,by_worker_tasks,imbalance,checksum,flags,notes,planned_runs,warmups,order,tasks,limited_by,limit_evidence,lock_wait_ns,disk_read_bytes,disk_write_bytes,io_pressure_ns
        cpu-bound,lock=gil,"cpu-bound/model=sequential,lock=gil",sequential,gil,model,"cpu-bound/model=sequential,lock=gil",ok,,3,1151000000,1150000000,1160000000,1151000000 1150000000 1160000000,0,false,8,1,,,,,,,1,,,12897485,,,,,,00000000000000ff,,,3,1,interleaved,,,,,,,
        cpu-bound,lock=gil,"cpu-bound/model=threads,lock=gil",threads,gil,model,"cpu-bound/model=sequential,lock=gil",ok,,3,1095000000,1090000000,1101000000,1095000000 1090000000 1101000000,0,false,8,1.0511,,,,,,,1,,,12897485,,,,,,00000000000000ff,,,3,1,interleaved,,,,,,,
        cpu-bound,lock=gil,"cpu-bound/model=processes,lock=gil",processes,gil,model,"cpu-bound/model=sequential,lock=gil",ok,,3,397000000,395000000,640000000,397000000 395000000 640000000,0,false,8,2.8992,,,,,,,2,,,12897485,,,,,,00000000000000ff,outlier,round 3 took 1.61 times the median,3,1,interleaved,,,,,,,
        cpu-bound,lock=none,"cpu-bound/model=sequential,lock=none",sequential,none,model,"cpu-bound/model=sequential,lock=none",ok,,3,834000000,830000000,840000000,834000000 830000000 840000000,0,false,8,1,,,,,,,1,,,12897485,,,,,,00000000000000ff,,,3,1,interleaved,,,,,,,
        cpu-bound,lock=none,"cpu-bound/model=threads,lock=none",threads,none,model,"cpu-bound/model=sequential,lock=none",failed,in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.,0,,,,,,false,,,,,,,,,,,,,,,,,,,,,3,1,interleaved,,,,,,,
    "#]].assert_eq(&Csv.render(&summary(vec![long()])).replace("\r\n", "\n"));
}

#[test]
fn the_figures_of_one_cell_are_the_same_in_all_formats() {
    let summary = summary(vec![long()]);
    let line_with = |text: String, part: &str| text.lines().find(|line| line.contains(part)).unwrap().to_owned();
    // 397 ms, 395 to 640, 2.8992 times as fast as sequential, two cores, 12,897,485 bytes.
    let shown = ["0.397 s", "0.395–0.640 s", "2.90", "2.0", "12.3 MiB"];
    for text in [wide(&summary), Markdown.render(&summary)] {
        let line = line_with(text, "processes");
        assert!(shown.iter().all(|figure| line.contains(figure)), "{line}");
    }
    let raw = [",397000000,395000000,640000000,", ",2.8992,", ",2,,,12897485,"];
    let line = line_with(Csv.render(&summary), "model=processes");
    assert!(raw.iter().all(|figure| line.contains(figure)), "{line}");
    let json: serde_json::Value = serde_json::from_str(&Json.render(&summary)).unwrap();
    let scenario = &json["scenarios"][0];
    let cell = &scenario["cells"][2];
    assert_eq!(cell["elapsed_ns"]["median"], 397_000_000);
    assert_eq!((&cell["elapsed_ns"]["min"], &cell["elapsed_ns"]["max"]), (&395_000_000.into(), &640_000_000.into()));
    assert_eq!(scenario["comparisons"][0]["rows"][2]["ratio"]["value"], 2.8992);
    assert_eq!((&cell["cores_used"], &cell["usage"]["peak_rss_bytes"]), (&2.0.into(), &12_897_485.into()));
    assert_eq!(cell["verdict"], serde_json::Value::Null);
}

/// Names that mean something to Markdown, CSV, a terminal or an aligned table.
fn odd() -> Summary {
    let names = ["a|b", "<b>`c`", "say \"hi\", ok", "並列\u{1b}[31m"];
    let cells: Vec<_> =
        names.iter().map(|name| measured(&format!("odd/task={name}"), &[("task", name)], &[1_500])).collect();
    let rows: Vec<(&str, f64)> = cells.iter().map(|cell| (cell.id.as_str(), 1.0)).collect();
    let comparison = comparison(&[], &rows);
    let mut scenario = scenario("odd", "task", vec![axis("task", &names)], cells);
    scenario.question = Some("Does *this* hold\nfor 1 < 2?".to_owned());
    scenario.comparisons = vec![comparison];
    summary(vec![scenario])
}

#[test]
fn odd_names_stay_aligned_and_cannot_steer_a_terminal() {
    let text = wide(&odd());
    assert!(!text.contains('\u{1b}'), "{text}");
    expect![[r#"
        odd
        Does *this* hold for 1 < 2?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        task            median  min–max  ratio  0.91        1        1.10  cores  peak mem
        ──────────────────────────────────────────────────────────────────────────────────
        a|b           1.500 ms        –   1.00              ┊                1.0  12.3 MiB
        <b>`c`        1.500 ms        –   1.00              ●                1.0  12.3 MiB
        say "hi", ok  1.500 ms        –   1.00              ●                1.0  12.3 MiB
        並列 [31m     1.500 ms        –   1.00              ●                1.0  12.3 MiB

        ratio: above 1.00 is faster than task = a|b
    "#]]
    .assert_eq(&text);
}

#[test]
fn odd_names_do_not_break_markdown() {
    expect![[r###"
        ## odd

        Does \*this\* hold for 1 &lt; 2?

        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        | task | median | min–max | ratio | cores | peak mem |
        | --- | ---: | ---: | ---: | ---: | ---: |
        | a\|b | 1.500 ms | – | 1.00 | 1.0 | 12.3 MiB |
        | &lt;b&gt;\`c\` | 1.500 ms | – | 1.00 | 1.0 | 12.3 MiB |
        | say "hi", ok | 1.500 ms | – | 1.00 | 1.0 | 12.3 MiB |
        | 並列 \[31m | 1.500 ms | – | 1.00 | 1.0 | 12.3 MiB |

        ratio: above 1.00 is faster than task = a\|b
    "###]]
    .assert_eq(&Markdown.render(&odd()));
}

#[test]
fn odd_names_read_back_from_csv_as_they_are() {
    let text = Csv.render(&odd());
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "axis_task").unwrap();
    let names: Vec<String> = reader.records().map(|row| row.unwrap()[column].to_owned()).collect();
    assert_eq!(names, ["a|b", "<b>`c`", "say \"hi\", ok", "並列\u{1b}[31m"]);
    assert!(text.contains("\r\n"));
}

#[test]
fn one_run_has_no_range_in_any_format() {
    let summary = odd();
    assert!(wide(&summary).contains("1.500 ms        –"), "{}", wide(&summary));
    assert!(Csv.render(&summary).contains(",1500000,,,1500000,"), "{}", Csv.render(&summary));
}

#[test]
fn plain_ascii_is_enough_for_our_own_signs() {
    let plain = Terminal { width: Some(120), ascii: true, colour: false };
    let text = plain.render(&summary(vec![long(), pivot()]));
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("outlier [1]") && text.contains("[1] cpu-bound/model=processes"), "{text}");
}

#[test]
fn colour_marks_headings_and_failures_and_moves_nothing() {
    let coloured = Terminal { width: Some(120), colour: true, ascii: false }.render(&summary(vec![long()]));
    assert!(coloured.contains("\u{1b}[1mcpu-bound\u{1b}[0m"), "{coloured}");
    let without = coloured.replace("\u{1b}[1m", "").replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
    let trimmed: String = without.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    assert_eq!(trimmed, wide(&summary(vec![long()])));
}

#[test]
fn a_scenario_without_a_comparison_has_no_ratio() {
    let mut scenario = scenario("alone", "model", Vec::new(), vec![measured("alone", &[], &[1_500, 1_510, 1_520])]);
    scenario.compare = None;
    scenario.comparisons = vec![comparison(&[], &[("alone", 0.0)])];
    scenario.comparisons[0].baseline = None;
    expect![[r#"
        alone
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

          median       min–max  cores  peak mem
        ───────────────────────────────────────
        1.510 ms  1.50–1.52 ms    1.0  12.3 MiB
    "#]]
    .assert_eq(&wide(&summary(vec![scenario])));
}

#[test]
fn set_up_is_shown_where_it_takes_a_noticeable_share() {
    let shown = |setup_us: u64, include_setup: bool| {
        let mut scenario = long();
        scenario.include_setup = include_setup;
        scenario.cells[1].setup_ns = crate::stats::summary::Spread::of(vec![setup_us * 1_000; 3]);
        wide(&summary(vec![scenario])).contains("  set-up")
    };
    assert!(shown(12_000, false));
    assert!(!shown(1_000, false));
    assert!(!shown(12_000, true), "it is part of the elapsed time already");
}

/// A matrix that was interrupted in the first of three rounds, before it had reached the second lock.
fn interrupted() -> Summary {
    let mut scenario = long();
    for (index, cell) in scenario.cells.iter_mut().enumerate() {
        let before = std::mem::replace(cell, CellSummary::without_figures(String::new(), Default::default()));
        *cell = match index {
            0..3 => CellSummary {
                flags: vec![Flag::Incomplete],
                notes: vec!["interrupted: 1 of 3 runs were measured".to_owned()],
                ..measured(&before.id, &[], &[400_000])
            },
            _ => failed(&before.id, &[], Status::NotRun, "interrupted: none of 3 runs was measured"),
        };
        cell.axes = before.axes;
    }
    for row in &mut scenario.comparisons[1].rows {
        (row.ratio, row.verdict) = (None, None);
    }
    Summary { complete: false, ..summary(vec![scenario]) }
}

#[test]
fn cells_of_which_there_is_the_same_to_say_share_a_footnote() {
    let summary = interrupted();
    expect![[r#"
        cpu-bound
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  model         median  min–max  ratio    1                  2.90  cores  peak mem  notes
        ────────────────────────────────────────────────────────────────────────────────────────────────────
        gil   sequential  400.0 ms        –   1.00    ┊                          1.0  12.3 MiB  incomplete ¹
        gil   threads     400.0 ms        –   1.05    ┊●                         1.0  12.3 MiB  incomplete ¹
        gil   processes   400.0 ms        –   2.90    ┊─────────────────────●    1.0  12.3 MiB  incomplete ¹
        ────────────────────────────────────────────────────────────────────────────────────────────────────
        none  sequential         –        –      –    ┊                            –         –  not run ²
        none  threads            –        –      –    ┊                            –         –  not run ²

        ratio: above 1.00 is faster than model = sequential
        ¹ 3 cells: interrupted: 1 of 3 runs were measured
        ² 2 cells: interrupted: none of 3 runs was measured
    "#]]
    .assert_eq(&wide(&summary));
    let text = super::markdown::table(&super::scenario_table::scenario_table(&summary.scenarios[0]));
    let footnotes: String =
        text.lines().filter(|line| line.starts_with("- ")).map(|line| format!("{line}\n")).collect();
    expect![[r#"
        - ¹ `3 cells`: interrupted: 1 of 3 runs were measured
        - ² `2 cells`: interrupted: none of 3 runs was measured
    "#]]
    .assert_eq(&footnotes);
}

#[test]
fn cells_without_figures_for_the_same_reason_are_listed_together() {
    let text = document(&interrupted(), &environment());
    let section = text.split("\n## ").find(|section| section.starts_with("Cells without figures")).unwrap();
    expect![[r#"
        Cells without figures

        ### 2 cells

        not run: interrupted: none of 3 runs was measured

        - `cpu-bound/model=sequential,lock=none`
        - `cpu-bound/model=threads,lock=none`
    "#]]
    .assert_eq(section);
}

#[test]
fn a_cell_in_several_comparisons_has_one_footnote() {
    let mut broken = failed("s/model=sequential", &[("model", "sequential")], Status::Failed, "it died.");
    broken.stderr_tail = vec!["why".to_owned()];
    let threads = |workers| {
        let id = format!("s/model=threads,workers={workers}");
        measured(&id, &[("model", "threads"), ("workers", workers)], &[1_500, 1_510, 1_520])
    };
    let cells = vec![broken, threads("1"), threads("4")];
    let comparisons = ["1", "4"].map(|workers| {
        let id = format!("s/model=threads,workers={workers}");
        comparison(&[("workers", workers)], &[("s/model=sequential", 0.0), (&id, 0.0)])
    });
    let mut scenario =
        scenario("s", "model", vec![axis("model", &["sequential", "threads"]), axis("workers", &["1", "4"])], cells);
    scenario.comparisons = comparisons.to_vec();
    let text = wide(&summary(vec![scenario]));
    assert_eq!(text.matches("s/model=sequential: it died.").count(), 1, "{text}");
    expect![[r#"
        s
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        workers  model=sequential         model=threads    cores      peak mem  ratio  notes
        ───────────────────────────────────────────────────────────────────────────────────────────────────
        1                       –  1.510 ms (1.50–1.52)  – → 1.0  – → 12.3 MiB      –  sequential: failed ¹
        4                       –  1.510 ms (1.50–1.52)  – → 1.0  – → 12.3 MiB      –  sequential: failed ¹

        ratio: above 1.00 is faster than model = sequential
        ¹ s/model=sequential: it died.
    "#]]
    .assert_eq(&text);
}

pub(super) fn environment() -> Environment {
    serde_json::from_value(serde_json::json!({
        "schema": 1, "parallax": "0.1.0", "command_line": ["xtask", "matrix"], "seed": 7, "profile": "release",
        "machine": {
            "cpu_model": "Xeon @ 2.00GHz", "os": "linux", "arch": "x86_64", "usable_cpus": 2, "host_cpus": 4,
            "memory_bytes": 8_589_934_592_u64, "kernel": "6.18.5", "virtualised": true
        },
        "git": {"commit": "0123456789abcdef0123456789abcdef01234567", "dirty": true}, "git_at_end": null,
        "rustc": "rustc 1.95.0", "workers": [], "runtimes": {}, "calibration": {"rust": {
            "iterations_per_s": 8.123e8, "iterations": 20_000_000, "took_ns": [24_620_000],
            "worker": "cpu-worker 0.1.0", "runtime": "rust 1.95"
        }}
    }))
    .unwrap()
}

#[test]
fn a_document_with_servers_says_how_to_read_their_columns() {
    let mut servers = long();
    servers.kind = "http".to_owned();
    let text = |scenario| document(&summary(vec![scenario]), &environment());
    assert!(text(servers).contains("- **req/s** is right answers a second"));
    assert!(!text(long()).contains("req/s"));
}

#[test]
fn the_document_says_what_with_on_what_and_what_went_wrong() {
    let mut scenario = long();
    scenario.cells[4].stderr_tail = vec!["thread panicked".to_owned(), "```".to_owned()];
    let text = document(&summary(vec![scenario]), &environment());
    expect![[r#"
        # Results

        - machine: Xeon @ 2.00GHz, 2 usable CPUs of 4, 8.00 GiB, linux 6.18.5, virtual machine
        - when: 2026-11-30T17:15:22Z, took 1 min 14 s
        - commit: 0123456789 (dirty)
        - built with: rustc 1.95.0, profile release
        - command: `xtask matrix`
        - seed: 7
        - calibration: rust 812.3 million iterations a second
        - how quiet: 0.2 % of CPU time was stolen, nothing was throttled, other programs used 1.2 % of the CPUs; 2 of 14 runs were disturbed, and 1 made again
        - noise floors: none: nothing was judged
        - own time: 1.000 s a counted run, with the start and the end of its processes

        ## cpu-bound

        Which is fastest?

        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        | lock | model | median | min–max | ratio | cores | peak mem | notes |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |
        | gil | sequential | 1.151 s | 1.15–1.16 s | 1.00 | 1.0 | 12.3 MiB |  |
        | gil | threads | 1.095 s | 1.09–1.10 s | 1.05 | 1.0 | 12.3 MiB |  |
        | gil | processes | 0.397 s | 0.395–0.640 s | 2.90 | 2.0 | 12.3 MiB | outlier ¹ |
        | none | sequential | 0.834 s | 0.830–0.840 s | 1.00 | 1.0 | 12.3 MiB |  |
        | none | threads | – | – | – | – | – | failed ² |

        ratio: above 1.00 is faster than model = sequential

        - ¹ `cpu-bound/model=processes,lock=gil`: round 3 took 1.61 times the median
        - ² `cpu-bound/model=threads,lock=none`: in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.

        ## Cells without figures

        ### cpu-bound/model=threads,lock=none

        failed: in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.

        The last lines of its stderr:

        ````text
        thread panicked
        ```
        ````

        ## How to read this

        - **median** is the middle one of the counted runs; **min–max** are the fastest and the slowest of them. Warm-ups do not count.
        - **ratio** is a speed ratio, the baseline's median over the row's: above 1.00 is faster than the baseline. It is taken from the medians. In brackets stands its interval: intervals that are made like this cover the true ratio as often as is said below the table. **▲** is faster and **▼** slower than the baseline: the interval excludes 1, and the change exceeds the noise floor, which is how far two equal cells seem to differ on this machine. **?** cannot be told; it never means equal.
        - **cores** is CPU time over the time it covers, set-up included: how many cores were really used. **peak mem** adds up all processes of the worker.
        - `–` is not known, or does not apply. It is never 0.
        - A failed cell has no figures, and takes part in no ratio. The words in **notes** are explained in `docs/flags.md`.
        - All of the statistics is explained in `docs/statistics.md`.
        - Locks are emulations, and are called by what they emulate: `gil` is CPython's, `gvl` is Ruby's.
    "#]].assert_eq(&text);
}

/// Ratios with intervals and verdicts.
fn resolved() -> Summary {
    let mut scenario = long();
    let rows = &mut scenario.comparisons[0].rows;
    let mut known = |row: usize, low: f64, high: f64, verdict| {
        let ratio = rows[row].ratio.as_mut().unwrap();
        (ratio.low, ratio.high, ratio.confidence) = (Some(low), Some(high), Some(0.968));
        rows[row].verdict = Some(verdict);
    };
    known(1, 0.82, 1.2, Verdict::Unresolved);
    known(2, 2.4, 3.1, Verdict::Faster);
    summary(vec![scenario])
}

#[test]
fn a_ratio_is_drawn_with_its_interval_where_there_is_room_for_it() {
    let rows = |width: usize, ascii: bool| -> String {
        let text = Terminal { width: Some(width), ascii, colour: false }.render(&resolved());
        text.lines().skip(4).take(5).map(|line| line.to_owned() + "\n").collect()
    };
    expect![[r#"
        lock  model        median        min–max               ratio    1          3.10  cores  peak mem  notes
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────
        gil   sequential  1.151 s    1.15–1.16 s                1.00    ┊                  1.0  12.3 MiB
        gil   threads     1.095 s    1.09–1.10 s  1.05 (0.82–1.20) ?  ├─┊●─┤               1.0  12.3 MiB
        gil   processes   0.397 s  0.395–0.640 s  2.90 (2.40–3.10) ▲    ┊          ├─●┤    2.0  12.3 MiB  outlier ¹
    "#]]
    .assert_eq(&rows(110, false));
    expect![[r#"
        lock  model        median        min-max               ratio  cores  peak mem  notes
        ------------------------------------------------------------------------------------------
        gil   sequential  1.151 s    1.15-1.16 s                1.00    1.0  12.3 MiB
        gil   threads     1.095 s    1.09-1.10 s  1.05 (0.82-1.20) ?    1.0  12.3 MiB
        gil   processes   0.397 s  0.395-0.640 s  2.90 (2.40-3.10) ^    2.0  12.3 MiB  outlier [1]
    "#]]
    .assert_eq(&rows(96, true));
    expect![[r#"
        lock  model        median               ratio  notes
        ────────────────────────────────────────────────────────
        gil   sequential  1.151 s                1.00
        gil   threads     1.095 s  1.05 (0.82–1.20) ?
        gil   processes   0.397 s  2.90 (2.40–3.10) ▲  outlier ¹
    "#]]
    .assert_eq(&rows(60, false));
}

#[test]
fn drawings_are_for_windows_only() {
    for text in [Terminal::default().render(&resolved()), Markdown.render(&resolved()), Csv.render(&resolved())] {
        assert!(!text.contains(['●', '┊', '├']), "{text}");
    }
    let plain = Terminal { width: Some(120), ascii: true, colour: false }.render(&resolved());
    assert!(plain.is_ascii(), "{plain}");
}

#[test]
fn a_drawing_has_the_colour_of_its_verdict() {
    let coloured = Terminal { width: Some(120), colour: true, ascii: false }.render(&resolved());
    let line = |word: &str| coloured.lines().find(|line| line.contains(word)).unwrap();
    assert!(line("processes").contains("\u{1b}[36m"), "{coloured}");
    assert!(line("gil   threads").contains("\u{1b}[2m"), "{coloured}");
    assert!(!line("gil   sequential").contains('\u{1b}'), "{coloured}");
    let plain = Terminal { width: Some(120), ..Terminal::default() }.render(&resolved());
    let mut stripped = coloured.clone();
    for code in ["[1m", "[2m", "[31m", "[33m", "[36m", "[0m"] {
        stripped = stripped.replace(&format!("\u{1b}{code}"), "");
    }
    let stripped: String = stripped.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    assert_eq!(stripped, plain);
}
