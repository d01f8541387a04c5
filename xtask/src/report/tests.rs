//! How whole tables look, and that all formats say the same.

use expect_test::expect;

use super::fixtures::{axis, comparison, failed, long, measured, pivot, scenario, summary};
use super::{Format, Terminal, csv::Csv, json::Json, markdown::Markdown};
use crate::stats::summary::{Status, Summary};

fn wide(summary: &Summary) -> String {
    Terminal { width: Some(120), ..Terminal::default() }.render(summary)
}

#[test]
fn a_wide_terminal_shows_all_columns() {
    expect![[r#"
        cpu-bound
        Which is fastest?
        op = burn, tasks = 8 · 3 runs, 1 warm-up, interleaved

        lock  model        median        min–max  ratio  cores  peak mem  notes
        ───────────────────────────────────────────────────────────────────────────
        gil   sequential  1.151 s    1.15–1.16 s   1.00    1.0  12.3 MiB
        gil   threads     1.095 s    1.09–1.10 s   1.05    1.0  12.3 MiB
        gil   processes   0.397 s  0.395–0.640 s   2.90    2.0  12.3 MiB  outlier ¹
        ───────────────────────────────────────────────────────────────────────────
        none  sequential  0.834 s  0.830–0.840 s   1.00    1.0  12.3 MiB
        none  threads           –              –      –      –         –  failed ²

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
        scenario,comparison,cell,axis_model,axis_lock,compare,baseline,status,reason,runs,elapsed_median_ns,elapsed_min_ns,elapsed_max_ns,elapsed_values_ns,setup_median_ns,setup_in_elapsed,throughput_median_per_s,ratio,ratio_low,ratio_high,ratio_confidence,verdict,cores_used,user_ns,sys_ns,peak_rss_bytes,processes,voluntary_switches,involuntary_switches,by_worker_tasks,imbalance,checksum,flags,notes,planned_runs,warmups,order
        cpu-bound,lock=gil,"cpu-bound/model=sequential,lock=gil",sequential,gil,model,"cpu-bound/model=sequential,lock=gil",ok,,3,1151000000,1150000000,1160000000,1151000000 1150000000 1160000000,0,false,8,1,,,,,1,,,12897485,,,,,,00000000000000ff,,,3,1,interleaved
        cpu-bound,lock=gil,"cpu-bound/model=threads,lock=gil",threads,gil,model,"cpu-bound/model=sequential,lock=gil",ok,,3,1095000000,1090000000,1101000000,1095000000 1090000000 1101000000,0,false,8,1.0511,,,,,1,,,12897485,,,,,,00000000000000ff,,,3,1,interleaved
        cpu-bound,lock=gil,"cpu-bound/model=processes,lock=gil",processes,gil,model,"cpu-bound/model=sequential,lock=gil",ok,,3,397000000,395000000,640000000,397000000 395000000 640000000,0,false,8,2.8992,,,,,2,,,12897485,,,,,,00000000000000ff,outlier,round 3 took 1.61 times the median,3,1,interleaved
        cpu-bound,lock=none,"cpu-bound/model=sequential,lock=none",sequential,none,model,"cpu-bound/model=sequential,lock=none",ok,,3,834000000,830000000,840000000,834000000 830000000 840000000,0,false,8,1,,,,,1,,,12897485,,,,,,00000000000000ff,,,3,1,interleaved
        cpu-bound,lock=none,"cpu-bound/model=threads,lock=none",threads,none,model,"cpu-bound/model=sequential,lock=none",failed,in round 2 (1 of 3 runs were measured): the worker was killed by SIGSEGV.,0,,,,,,false,,,,,,,,,,,,,,,,,,,3,1,interleaved
    "#]].assert_eq(&Csv.render(&summary(vec![long()])).replace("\r\n", "\n"));
}
