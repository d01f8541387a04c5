//! What a matrix means: which cells it has, and which of them are compared with each other.

use std::path::Path;
use std::time::Duration;

use expect_test::{Expect, expect};
use protocol::{Lock, Model};
use xtask::matrix::plan::{BatchWork, CpuWork, Order, Plan, Scenario, TaskSpec, Work};
use xtask::matrix::{LoadOptions, parse};

const FULL: LoadOptions = LoadOptions { quick: false, cores: 2, allow_remote: false };
const QUICK: LoadOptions = LoadOptions { quick: true, cores: 2, allow_remote: false };

fn load(text: &str, options: LoadOptions) -> Result<Plan, String> {
    parse(Path::new("test.toml"), text.to_owned(), &options).map_err(|report| report.to_string())
}

/// A plan with one scenario, which has these keys beside a name, a task and a number of tasks.
fn scenario_with(keys: &str, options: LoadOptions) -> Scenario {
    let text = format!("schema = 1\n[[batch]]\nname = \"s\"\n{keys}\n");
    let text = if keys.contains("task ") { text } else { format!("{text}task = {{ op = \"wait\", io = \"1ms\" }}\n") };
    let text = if keys.contains("tasks ") { text } else { format!("{text}tasks = 8\n") };
    let mut plan = load(&text, options).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(plan.scenarios.len(), 1);
    plan.scenarios.remove(0)
}

fn scenario(keys: &str) -> Scenario {
    scenario_with(keys, FULL)
}

fn ids(scenario: &Scenario) -> Vec<&str> {
    scenario.cells.iter().map(|cell| cell.id.as_str()).collect()
}

fn batch(scenario: &Scenario, cell: usize) -> &BatchWork {
    let Work::Batch(batch) = &scenario.cells[cell].work else { unreachable!() };
    batch
}

/// A line for each comparison: what is fixed, and its cells, the baseline with a star.
fn check_comparisons(scenario: &Scenario, expected: Expect) {
    let mut text = String::new();
    for comparison in &scenario.comparisons {
        let fixed: Vec<_> = comparison.fixed.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        let cells: Vec<_> = comparison
            .cells
            .iter()
            .map(|cell| {
                let star = if comparison.baseline == Some(*cell) { "*" } else { "" };
                format!("{star}{}", scenario.cells[*cell].id)
            })
            .collect();
        text += &format!("[{}] {}\n", fixed.join(","), cells.join("  "));
    }
    expected.assert_eq(&text);
}

#[test]
fn axes_are_combined_in_the_order_of_the_file_and_the_last_one_turns_fastest() {
    let scenario = scenario("lock = [\"none\", \"gil\"]\nmodel = [\"threads\", \"loops\"]");
    assert_eq!(
        ids(&scenario),
        ["s/lock=none,model=threads", "s/lock=none,model=loops", "s/lock=gil,model=threads", "s/lock=gil,model=loops"]
    );
}

#[test]
fn a_scenario_without_an_axis_has_one_cell_with_its_name() {
    let scenario = scenario("model = \"threads\"");
    assert_eq!(ids(&scenario), ["s"]);
    check_comparisons(&scenario, expect!["[] s\n"]);
}

#[test]
fn an_array_with_one_value_is_an_axis() {
    assert_eq!(ids(&scenario("model = [\"threads\"]")), ["s/model=threads"]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = scenario("model = \"threads\"");
    assert_eq!(
        *batch(&scenario, 0),
        BatchWork {
            model: Model::Threads,
            workers: 2,
            lock: Lock::None,
            switch_interval: None,
            tasks: 8.into(),
            steps: 1,
            task: TaskSpec::Wait { io: Duration::from_millis(1) },
        }
    );
    let schedule = scenario.schedule;
    assert_eq!((schedule.warmups, schedule.runs, schedule.timeout), (1, 5, Duration::from_secs(60)));
    assert_eq!(schedule.order, Order::Interleaved);
    assert!(!scenario.include_setup);
}

#[test]
fn a_scenario_overrides_the_defaults_of_the_file() {
    let text = "schema = 1\n[defaults]\nruns = 7\nwarmups = 2\ntimeout = \"1.5s\"\norder = \"sequential\"\n\
        [[batch]]\nname = \"a\"\nmodel = \"async\"\ntasks = 1\ntask = { op = \"burn\", cpu = \"2400us\" }\n\
        [[batch]]\nname = \"b\"\nmodel = \"async\"\ntasks = 1\ntask = { op = \"burn\", iterations = 20_000 }\nruns = 3\n";
    let plan = load(text, FULL).unwrap();
    let schedules: Vec<_> = plan.scenarios.iter().map(|s| (s.schedule.warmups, s.schedule.runs)).collect();
    assert_eq!(schedules, [(2, 7), (2, 3)]);
    assert_eq!(plan.scenarios[1].schedule.timeout, Duration::from_millis(1500));
    assert_eq!(plan.repetitions(), 9 + 5);
    assert_eq!(batch(&plan.scenarios[0], 0).task.cpu(), Some(CpuWork::Time(Duration::from_micros(2400))));
    assert_eq!(batch(&plan.scenarios[1], 0).task.cpu(), Some(CpuWork::Iterations(20_000)));
}

#[test]
fn every_parameter_reaches_its_operation() {
    let scenario = scenario(
        "model = \"rayon\"\ntask = [{ op = \"sum-of-squares\", n = 3 }, { op = \"primes\", limit = 4 }, \
         { op = \"wait-and-burn\", label = \"io+cpu\", io = \"5us\", iterations = 6 }]",
    );
    assert_eq!(ids(&scenario), ["s/task=sum-of-squares", "s/task=primes", "s/task=io+cpu"]);
    assert_eq!(batch(&scenario, 0).task, TaskSpec::SumOfSquares { n: 3 });
    assert_eq!(batch(&scenario, 1).task, TaskSpec::Primes { limit: 4 });
    let io = Duration::from_micros(5);
    assert_eq!(batch(&scenario, 2).task, TaskSpec::WaitAndBurn { io, cpu: CpuWork::Iterations(6) });
}

#[test]
fn cores_is_a_number_in_ids() {
    let keys = "model = \"loops\"\nworkers = [1, \"cores\"]";
    assert_eq!(ids(&scenario(keys)), ["s/workers=1", "s/workers=2"]);
    let many = scenario_with(keys, LoadOptions { cores: 64, ..FULL });
    assert_eq!(ids(&many), ["s/workers=1", "s/workers=64"]);
    assert_eq!(batch(&many, 1).workers, 64);
}

#[test]
fn cores_and_the_number_that_it_is_here_are_one_id_and_so_a_mistake() {
    let text = "schema = 1\n[[batch]]\nname = \"s\"\nmodel = \"loops\"\ntasks = 8\n\
        task = { op = \"wait\", io = \"1ms\" }\nworkers = [\"cores\", 2]\n";
    expect![[r#"
        error: the axis `workers` has the value `2` twice
         --> test.toml:7:21
          |
        7 | workers = ["cores", 2]
          |            -------  ^ the second one
          |            |
          |            the first one
          |
          = help: "cores" is 2 on this machine"#]]
    .assert_eq(&load(text, FULL).unwrap_err());
    assert!(load(text, LoadOptions { cores: 4, ..FULL }).is_ok());
}

#[test]
fn models_that_ignore_workers_have_one_cell() {
    let scenario = scenario("model = [\"sequential\", \"loops\", \"async\"]\nworkers = [1, 4]");
    assert_eq!(
        ids(&scenario),
        ["s/model=sequential", "s/model=loops,workers=1", "s/model=loops,workers=4", "s/model=async"]
    );
    assert_eq!([0, 1, 2, 3].map(|cell| batch(&scenario, cell).workers), [1, 1, 4, 1]);
}

#[test]
fn a_collapsed_cell_is_in_every_comparison_that_it_matches() {
    let scenario = scenario("model = [\"sequential\", \"loops\"]\nworkers = [1, 4]\ncompare = \"model\"");
    check_comparisons(
        &scenario,
        expect![[r#"
            [workers=1] *s/model=sequential  s/model=loops,workers=1
            [workers=4] *s/model=sequential  s/model=loops,workers=4
        "#]],
    );
}

#[test]
fn an_axis_that_collapses_on_a_whole_comparison_is_not_part_of_it() {
    let keys = "model = [\"threads\", \"loops\"]\nlock = [\"none\", \"gil\"]\nswitch_interval = [\"1ms\", \"5ms\"]\n\
        compare = \"model\"";
    check_comparisons(
        &scenario(keys),
        expect![[r#"
            [lock=none] *s/model=threads,lock=none  s/model=loops,lock=none
            [lock=gil,switch_interval=1ms] *s/model=threads,lock=gil,switch_interval=1ms  s/model=loops,lock=gil,switch_interval=1ms
            [lock=gil,switch_interval=5ms] *s/model=threads,lock=gil,switch_interval=5ms  s/model=loops,lock=gil,switch_interval=5ms
        "#]],
    );
}

#[test]
fn a_cell_on_which_the_compared_axis_collapsed_stands_alone() {
    let scenario = scenario("model = [\"sequential\", \"loops\"]\nworkers = [1, 4]\ncompare = \"workers\"");
    check_comparisons(
        &scenario,
        expect![[r#"
            [model=sequential] *s/model=sequential
            [model=loops] *s/model=loops,workers=1  s/model=loops,workers=4
        "#]],
    );
}

#[test]
fn an_interpreter_brings_its_own_lock() {
    let text = "schema = 1\n[[batch]]\nname = \"s\"\ntasks = 8\ntask = { op = \"wait\", io = \"1ms\" }\nmodel = \"threads\"\n\
        runtime = [\"rust\", \"python\"]\nlock = [\"none\", \"gil\"]\nswitch_interval = \"2ms\"\n\
        [[runtime]]\nname = \"python\"\ncommand = [\"python3\", \"worker.py\"]\ninstall = \"apt install python3\"\n\
        env = { B = \"2\", A = \"1\" }\n[[runtime]]\nname = \"unused\"\ncommand = [\"x\"]\n";
    let plan = load(text, FULL).unwrap();
    let scenario = &plan.scenarios[0];
    assert_eq!(ids(scenario), ["s/runtime=rust,lock=none", "s/runtime=rust,lock=gil", "s/runtime=python"]);
    assert_eq!(scenario.cells[2].runtime, "python");
    let intervals = [0, 1, 2].map(|cell| batch(scenario, cell).switch_interval);
    assert_eq!(intervals, [None, Some(Duration::from_millis(2)), None]);
    assert_eq!(plan.runtimes.len(), 1, "a runtime that no cell names is not in the plan");
    assert_eq!(plan.runtimes[0].env, [("B".to_owned(), "2".to_owned()), ("A".to_owned(), "1".to_owned())]);
}

#[test]
fn zipped_axes_are_walked_together() {
    let keys =
        "model = [\"threads\", \"loops\"]\nworkers = [1, 2, 4]\ntasks = [8, 16, 32]\nzip = [\"tasks\", \"workers\"]";
    assert_eq!(
        ids(&scenario(keys)),
        [
            "s/model=threads,workers=1,tasks=8",
            "s/model=threads,workers=2,tasks=16",
            "s/model=threads,workers=4,tasks=32",
            "s/model=loops,workers=1,tasks=8",
            "s/model=loops,workers=2,tasks=16",
            "s/model=loops,workers=4,tasks=32",
        ]
    );
}

#[test]
fn an_axis_that_is_zipped_with_the_compared_one_moves_with_it() {
    let keys = "model = \"loops\"\nlock = [\"none\", \"gil\"]\nworkers = [1, 4]\ntasks = [8, 32]\n\
        zip = [[\"workers\", \"tasks\"]]\ncompare = \"workers\"";
    check_comparisons(
        &scenario(keys),
        expect![[r#"
            [lock=none] *s/lock=none,workers=1,tasks=8  s/lock=none,workers=4,tasks=32
            [lock=gil] *s/lock=gil,workers=1,tasks=8  s/lock=gil,workers=4,tasks=32
        "#]],
    );
}

#[test]
fn a_zipped_axis_may_repeat_a_value() {
    let keys = "model = [\"threads\", \"threads\"]\nworkers = [1, 4]\nzip = [\"model\", \"workers\"]";
    let scenario = scenario(keys);
    assert_eq!(ids(&scenario), ["s/model=threads,workers=1", "s/model=threads,workers=4"]);
    assert_eq!(scenario.axes[0].values.len(), 1);
}

#[test]
fn exclude_drops_every_combination_with_all_its_values() {
    let keys = "model = [\"threads\", \"loops\"]\nworkers = [1, \"cores\"]\nlock = [\"none\", \"gil\"]\n\
        exclude = [{ workers = 1, lock = \"gil\" }, { model = \"loops\", workers = \"cores\" }]";
    assert_eq!(
        ids(&scenario(keys)),
        [
            "s/model=threads,workers=1,lock=none",
            "s/model=threads,workers=2,lock=none",
            "s/model=threads,workers=2,lock=gil",
            "s/model=loops,workers=1,lock=none"
        ]
    );
}

#[test]
fn exclude_names_a_task_by_its_label_and_a_duration_in_any_unit() {
    let keys = "model = \"threads\"\nlock = \"gil\"\nswitch_interval = [\"5ms\", \"10ms\"]\n\
        task = [{ label = \"io\", op = \"wait\", io = \"1ms\" }, { op = \"burn\", cpu = \"1ms\" }]\n\
        exclude = [{ task = \"io\", switch_interval = \"5000us\" }]";
    assert_eq!(
        ids(&scenario(keys)),
        ["s/switch_interval=5ms,task=burn", "s/switch_interval=10ms,task=io", "s/switch_interval=10ms,task=burn"]
    );
}

#[test]
fn an_exclude_that_another_one_covers_is_no_mistake() {
    let keys = "model = [\"threads\", \"loops\"]\nexclude = [{ model = \"loops\" }, { model = \"loops\" }]";
    assert_eq!(ids(&scenario(keys)), ["s/model=threads"]);
}

#[test]
fn ratios_are_taken_against_the_baseline() {
    let keys = "model = [\"threads\", \"loops\"]\nlock = [\"none\", \"gil\"]\ncompare = \"model\"\nbaseline = \"loops\"\n\
        exclude = [{ model = \"loops\", lock = \"gil\" }]";
    check_comparisons(
        &scenario(keys),
        expect![[r#"
            [lock=none] s/model=threads,lock=none  *s/model=loops,lock=none
            [lock=gil] s/model=threads,lock=gil
        "#]],
    );
}

#[test]
fn without_compare_all_cells_of_a_scenario_run_together() {
    let scenario = scenario("model = [\"threads\", \"loops\"]");
    check_comparisons(&scenario, expect!["[] s/model=threads  s/model=loops\n"]);
    assert_eq!(scenario.compare, None);
}

#[test]
fn an_axis_that_no_cell_depends_on_is_none() {
    let scenario = scenario("model = [\"sequential\", \"async\"]\nworkers = [1, 4]\nlock = \"gil\"");
    let axes: Vec<_> = scenario.axes.iter().map(|axis| axis.name.as_str()).collect();
    assert_eq!(axes, ["model"], "no cell depends on `workers`");
}

#[test]
fn quick_runs_three_times_at_most_and_takes_the_values_of_the_quick_table() {
    let keys = "model = [\"threads\", \"loops\"]\nworkers = [1, 2]\nruns = 9\nwarmups = 4\n\
        exclude = [{ model = \"loops\", workers = 2 }]\nquick = { model = [\"loops\"], steps = [1, 2] }";
    let full = scenario(keys);
    assert_eq!(ids(&full).len(), 3);
    assert_eq!((full.schedule.warmups, full.schedule.runs), (4, 9));
    let quick = scenario_with(keys, QUICK);
    assert_eq!(ids(&quick), ["s/model=loops,workers=1,steps=1", "s/model=loops,workers=1,steps=2"]);
    assert_eq!((quick.schedule.warmups, quick.schedule.runs), (1, 3));
}

#[test]
fn quick_asks_for_no_more_than_the_scenario_does_unless_the_quick_table_says_so() {
    let schedule = |keys: &str| scenario_with(&format!("model = \"async\"\n{keys}"), QUICK).schedule;
    let few = schedule("runs = 2\nwarmups = 0");
    assert_eq!((few.warmups, few.runs), (0, 2));
    let told = schedule("runs = 20\nquick = { runs = 10, warmups = 2 }");
    assert_eq!((told.warmups, told.runs), (2, 10));
}

#[test]
fn an_exclude_of_the_full_axes_may_match_nothing_under_quick() {
    let keys = "model = \"loops\"\nworkers = [1, 2, 4]\nexclude = [{ workers = 4 }]\nquick = { workers = [1, 2] }";
    assert_eq!(ids(&scenario_with(keys, QUICK)), ["s/workers=1", "s/workers=2"]);
}

#[test]
fn the_command_line_overrides_runs_and_warmups() {
    let text =
        "schema = 1\n[[batch]]\nname = \"s\"\nmodel = \"async\"\ntasks = 1\ntask = { op = \"wait\", io = \"1ms\" }\n";
    let mut plan = load(text, FULL).unwrap();
    plan.override_schedule(Some(11), None);
    assert_eq!((plan.scenarios[0].schedule.runs, plan.scenarios[0].schedule.warmups), (11, 1));
    plan.override_schedule(None, Some(0));
    assert_eq!((plan.scenarios[0].schedule.runs, plan.scenarios[0].schedule.warmups), (11, 0));
}

mod patterns {
    use super::*;

    fn plan() -> Plan {
        let text = "schema = 1\n\
            [[batch]]\nname = \"cpu-bound\"\nmodel = [\"sequential\", \"threads\", \"loops\"]\nlock = [\"none\", \"gil\"]\n\
            compare = \"model\"\ntasks = 1\ntask = { op = \"burn\", cpu = \"1ms\" }\n\
            [[batch]]\nname = \"io-bound\"\nmodel = [\"threads\", \"loops\"]\ntasks = 1\ntask = { op = \"wait\", io = \"1ms\" }\n";
        load(text, FULL).unwrap()
    }

    fn selected(patterns: &[&str]) -> Result<Vec<String>, String> {
        let mut plan = plan();
        plan.select(patterns).map_err(|error| error.to_string())?;
        Ok(plan.scenarios.iter().flat_map(|s| &s.cells).map(|cell| cell.id.clone()).collect())
    }

    #[test]
    fn no_pattern_selects_everything() {
        assert_eq!(selected(&[]).unwrap().len(), 8);
    }

    #[test]
    fn a_scenario_s_name_selects_the_scenario() {
        assert_eq!(selected(&["io-bound"]).unwrap(), ["io-bound/model=threads", "io-bound/model=loops"]);
        assert_eq!(selected(&["*-bound"]).unwrap().len(), 8);
    }

    #[test]
    fn a_glob_selects_cells_by_id() {
        assert_eq!(selected(&["cpu-bound/*lock=gil"]).unwrap().len(), 3);
        assert_eq!(selected(&["*model=threads*"]).unwrap().len(), 3);
        assert_eq!(selected(&["cpu-bound/model=loops,lock=none", "io-bound/model=loops"]).unwrap().len(), 2);
    }

    #[test]
    fn comparisons_follow_the_selection() {
        let mut selected = plan();
        selected.select(&["cpu-bound/model=[tl]*,lock=gil"]).unwrap();
        check_comparisons(
            &selected.scenarios[0],
            expect![[r#"
                [lock=gil] cpu-bound/model=threads,lock=gil  cpu-bound/model=loops,lock=gil
            "#]],
        );
        let axes: Vec<_> = selected.scenarios[0].axes.iter().map(|axis| axis.values.len()).collect();
        assert_eq!(axes, [2, 1]);
        assert_eq!(selected.scenarios.len(), 1);
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_a_mistake() {
        for (patterns, message) in [
            (["io-bound", "cpu-bond"], "the pattern `cpu-bond` matches no cell; did you mean `cpu-bound`?"),
            (
                ["io-bound", "threads"],
                "the pattern `threads` matches no cell; the scenarios are `cpu-bound` and `io-bound`",
            ),
            (
                ["io-bound", "cpu-bound/threads"],
                "the pattern `cpu-bound/threads` matches no cell; `cpu-bound` has 6 cells, such as \
                 `cpu-bound/model=sequential,lock=none`; its axes are `model` and `lock`",
            ),
            (["io-bound", "[a"], "`[a` is not a pattern: invalid range pattern at character 1"),
        ] {
            assert_eq!(selected(&patterns).unwrap_err(), message);
        }
    }
}
