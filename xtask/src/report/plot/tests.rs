//! How pictures look as a whole. The result below `tests/fixtures/result` is made up: it has batches and servers in closed
//! and open loops, failed and skipped cells, and labels with markup, in several scripts and of 80 signs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use roxmltree::{Document, Node};

use super::lettering::{SMALL, width};
use super::{Kind, Latencies, Plot, Plots, frame, plots_of};
use crate::report::fixtures::{axis, comparison, failed, measured, scenario, summary};
use crate::results::read;
use crate::results::record::Record;
use crate::stats::fixtures::{http_summary, sample};
use crate::stats::summary::{
    NoiseFloor, Ratio, ScalingFit, ScalingPoint, ScalingSummary, ScenarioSummary, Spread, Status, Summary,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/result")
}

fn fixture() -> (Summary, Vec<Record>) {
    let summary = read::summary(&folder().join("summary.json")).unwrap();
    (summary, read::samples(&folder().join("samples.jsonl")).unwrap().records)
}

fn pictures() -> Vec<Plot> {
    let (summary, records) = fixture();
    let plots = Plots::of(&summary, &records);
    plots.iter().cloned().collect()
}

fn without_records(scenario: &ScenarioSummary) -> Vec<Plot> {
    plots_of(scenario, &Latencies::default(), "")
}

/// Everything that has to hold of any picture.
fn check(plot: &Plot) {
    let name = &plot.name;
    let document = Document::parse(&plot.svg).unwrap_or_else(|error| panic!("{name}: {error}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"), "{name}");
    let number = |node: Node<'_, '_>, key: &str| node.attribute(key).map(|value| value.parse::<f64>().unwrap());
    let (wide, high) = (number(root, "width").unwrap(), number(root, "height").unwrap());
    let ids: Vec<&str> = root.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}");
    for id in root.attribute("aria-labelledby").unwrap().split(' ') {
        assert!(ids.contains(&id), "{name}: {id}");
    }
    let (mut texts, mut slanted) = (Vec::new(), Vec::new());
    for node in root.descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            let value = attribute.value();
            let is_number = |word: &str| !["NaN", "inf", "-inf", "undefined"].contains(&word);
            assert!(value.split([' ', ',']).all(is_number), "{name}: {}={value}", attribute.name());
        }
        let tag = node.tag_name().name();
        if matches!(tag, "path" | "rect" | "line")
            && node.attribute("class").is_some_and(|class| class.contains(['m', 'l']))
        {
            let points = [("x", wide), ("x1", wide), ("x2", wide), ("y", high), ("y1", high), ("y2", high)];
            for (key, most) in points {
                let inside = number(node, key).is_none_or(|value| (0.0..=most).contains(&value));
                assert!(inside, "{name}: {key} of {node:?}");
            }
        }
        if tag == "text" {
            let content: String = node.children().filter(Node::is_text).filter_map(|text| text.text()).collect();
            let class = node.attribute("class").unwrap_or_default();
            let size = if class.contains("head") {
                14.0
            } else if class.contains("small") {
                SMALL
            } else {
                12.0
            };
            let (x, y, room) = (number(node, "x").unwrap(), number(node, "y").unwrap(), width(&content, size));
            let left = match node.attribute("text-anchor") {
                None => x,
                Some("middle") => x - room / 2.0,
                Some("end") => x - room,
                Some(other) => panic!("{name}: {other}"),
            };
            assert!((10.0..=high).contains(&y), "{name}: `{content}` at {y}");
            if let Some(turn) = node.attribute("transform") {
                assert_eq!(turn, format!("rotate(-45 {x} {y})"), "{name}");
                let reach = room * std::f64::consts::FRAC_1_SQRT_2;
                assert!(x + reach <= wide && y - reach >= 10.0, "{name}: `{content}` from {x}, {y} up by {reach}");
                slanted.push(([x, y - reach, x + reach, y], content));
                continue;
            }
            assert!(left >= 0.0 && left + room <= wide + 0.1, "{name}: `{content}` from {left} to {}", left + room);
            texts.push(([left, y - 0.7 * size, left + room, y], content));
        }
    }
    for (index, (one, content)) in texts.iter().enumerate() {
        for (other, beside) in &texts[index + 1..] {
            let apart = one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
            assert!(apart, "{name}: `{content}` and `{beside}` overlap: {one:?} {other:?}");
        }
    }
    for (index, (one, content)) in slanted.iter().enumerate() {
        // They are parallel, so those in one line must not be too near to each other.
        for (other, beside) in &slanted[index + 1..] {
            let apart = ((other[0] - other[3]) - (one[0] - one[3])).abs().min((other[0] - one[0]).abs());
            assert!(apart >= 1.5 * SMALL, "{name}: `{content}` and `{beside}` are {apart} apart");
        }
        for (other, beside) in &texts {
            let apart = one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
            assert!(apart, "{name}: `{content}` and `{beside}` overlap: {one:?} {other:?}");
        }
    }
    assert!(plot.svg.len() < 60_000, "{name}: {} bytes", plot.svg.len());
    assert!(!plot.alt.is_empty() && plot.svg.ends_with("</svg>\n"), "{name}");
}

#[test]
fn the_pictures_of_a_result_are_as_they_were_looked_at() {
    let plots = pictures();
    for plot in &plots {
        expect_file![folder().join(&plot.name)].assert_eq(&plot.svg);
    }
    let made: BTreeSet<String> = plots.iter().map(|plot| plot.name.clone()).collect();
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.filter(|file| file.ends_with(".svg")).collect::<BTreeSet<_>>(), made);
}

#[test]
fn the_tables_of_a_result_link_to_its_pictures() {
    let (summary, records) = fixture();
    let environment = read::environment(&folder().join("environment.json")).unwrap();
    let text = crate::report::document_with(&summary, &environment, &Plots::of(&summary, &records));
    expect_file![folder().join("tables.md")].assert_eq(&text);
    let section = text.split("\n## ").find(|section| section.starts_with("http-open")).unwrap();
    let links: Vec<&str> = section.lines().filter(|line| line.starts_with("![")).collect();
    assert_eq!(links.len(), 3, "{section}");
    assert!(links[0].starts_with("![") && links[0].ends_with("](http-open.load.svg)"), "{}", links[0]);
}

#[test]
fn every_picture_is_whole_and_no_text_leaves_it() {
    let plots = pictures();
    assert!(plots.len() > 10);
    plots.iter().for_each(check);
}

#[test]
fn each_scenario_gets_what_its_data_can_show() {
    let (summary, records) = fixture();
    let plots = Plots::of(&summary, &records);
    let kinds: Vec<(&str, Vec<&str>)> = summary
        .scenarios
        .iter()
        .zip(&plots.scenarios)
        .map(|(scenario, plots)| (scenario.name.as_str(), plots.iter().map(|plot| plot.kind.name()).collect()))
        .collect();
    let expected = [
        ("cpu-bound", vec!["runs", "by-worker"]),
        ("odd-names", vec!["runs", "heat"]),
        ("http-loops", vec!["runs", "scaling", "latency", "by-worker"]),
        ("http-open", vec!["load", "latency", "by-worker"]),
        ("all-failed", vec![]),
        ("alone", vec!["runs"]),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(plots.overview.iter().map(|plot| plot.name.as_str()).collect::<Vec<_>>(), ["overview.models.svg"]);
}

#[test]
fn without_records_there_is_all_but_latency() {
    let (summary, records) = fixture();
    let kinds = |records: &[Record]| -> Vec<Kind> {
        Plots::of(&summary, records).iter().map(|plot| plot.kind).filter(|kind| *kind != Kind::Latency).collect()
    };
    assert_eq!(kinds(&[]), kinds(&records));
    assert!(Plots::of(&summary, &[]).iter().all(|plot| plot.kind != Kind::Latency));
}

#[test]
fn the_same_result_gives_the_same_pictures() {
    assert_eq!(pictures(), pictures());
}

#[test]
fn several_pictures_on_one_page_share_no_id() {
    let (summary, records) = fixture();
    let latencies = Latencies::of(&records);
    let all = |page: &str| -> Vec<String> {
        let plots = summary.scenarios.iter().flat_map(|scenario| plots_of(scenario, &latencies, page));
        plots.map(|plot| plot.svg).chain(super::overview_of(&summary, page).map(|plot| plot.svg)).collect()
    };
    let mut ids = BTreeSet::new();
    for svg in all("").iter().chain(&all("other-")) {
        let document = Document::parse(svg).unwrap();
        for id in document.descendants().filter_map(|node| node.attribute("id")) {
            assert!(ids.insert(id.to_owned()), "{id}");
        }
    }
}

#[test]
fn every_run_is_drawn_once_and_tells_its_figure() {
    let cells = vec![
        measured("s/model=sequential", &[("model", "sequential")], &[1_500, 1_510, 1_520]),
        measured("s/model=threads", &[("model", "threads")], &[700, 710, 720]),
    ];
    let mut scenario = scenario("s", "model", vec![axis("model", &["sequential", "threads"])], cells);
    scenario.comparisons = vec![comparison(&[], &[("s/model=sequential", 1.0), ("s/model=threads", 2.127)])];
    let plots = without_records(&scenario);
    let svg = &plots[0].svg;
    for said in
        ["sequential: run 2 of 3: 1.510 ms", "threads: run 3 of 3: 720.0 µs", "threads: median of 3 runs 710.0 µs"]
    {
        assert_eq!(svg.matches(&format!("<title>{said}</title>")).count(), 1, "{said} in {svg}");
    }
    assert_eq!(svg.matches("class=\"run ").count(), 6);
    assert!(svg.contains("threads: ratio 2.13"));
    check(&plots[0]);
}

#[test]
fn a_noise_floor_is_a_band_and_an_interval_a_whisker() {
    let mut scenario = crate::report::fixtures::long();
    let before = without_records(&scenario)[0].svg.clone();
    assert!(!before.contains("class=\"band\""));
    scenario.comparisons[0].floor = Some(NoiseFloor {
        share: 0.05,
        source: crate::stats::summary::FloorSource::Measured,
        measured: "2026-11-30T17:15:22Z".to_owned(),
        ratio: None,
        low: None,
        high: None,
        pairs: 1,
    });
    let ratio = Ratio { value: 2.9, low: Some(2.8), high: Some(3.0), confidence: Some(0.968), bound: None };
    scenario.comparisons[0].rows[2].ratio = Some(ratio);
    let plots = without_records(&scenario);
    assert_eq!(plots[0].svg.matches("class=\"band\"").count(), 1);
    assert!(plots[0].svg.contains("processes: ratio 2.90, 96.8 % interval 2.80 to 3.00"));
    check(&plots[0]);
}

#[test]
fn nothing_measured_is_no_picture() {
    let cell = |id: &str| failed(id, &[("model", id)], Status::Failed, "it died.");
    let mut scenario = scenario("s", "model", vec![axis("model", &["a", "b"])], vec![cell("a"), cell("b")]);
    scenario.comparisons = vec![comparison(&[], &[("a", 0.0), ("b", 0.0)])];
    assert_eq!(without_records(&scenario), []);
    scenario.cells.clear();
    assert_eq!(without_records(&scenario), []);
    scenario.comparisons.clear();
    assert_eq!(without_records(&scenario), []);
    assert_eq!(Plots::of(&summary(vec![scenario]), &[]).iter().count(), 0);
    assert_eq!(Plots::of(&summary(Vec::new()), &[]).iter().count(), 0);
}

#[test]
fn figures_that_are_no_numbers_break_nothing() {
    let mut one = http_summary("s/workers=1");
    let mut four = http_summary("s/workers=4");
    (one.axes, four.axes) =
        (crate::stats::fixtures::axes(&[("workers", "1")]), crate::stats::fixtures::axes(&[("workers", "4")]));
    one.throughput_per_s = Spread::of(vec![0.0, 0.0, 0.0]);
    four.throughput_per_s =
        Some(Spread { median: f64::NAN, min: 0.0, max: f64::INFINITY, values: vec![f64::INFINITY] });
    four.by_worker = Some(vec![0, 0]);
    let mut scenario = scenario("s", "workers", vec![axis("workers", &["1", "4"])], vec![one, four]);
    scenario.kind = "http".to_owned();
    scenario.comparisons = vec![comparison(&[], &[("s/workers=1", 1.0), ("s/workers=4", f64::INFINITY)])];
    let point = |cell: &str, workers, throughput_per_s| ScalingPoint {
        cell: cell.to_owned(),
        workers,
        throughput_per_s,
        values: vec![throughput_per_s, f64::NAN],
    };
    let fit = ScalingFit {
        single_per_s: f64::NAN,
        contention: f64::INFINITY,
        crosstalk: 0.0,
        peak_workers: Some(f64::INFINITY),
        peak_per_s: None,
        knee_workers: None,
        r_squared: f64::NAN,
        poor: false,
    };
    scenario.scaling = vec![ScalingSummary {
        fixed: Default::default(),
        points: vec![point("s/workers=1", 1, 10.0), point("s/workers=4", 4, 35.0)],
        fit: Some(fit),
        note: None,
    }];
    let plots = without_records(&scenario);
    assert_eq!(plots.iter().map(|plot| plot.kind).collect::<Vec<_>>(), [Kind::Runs, Kind::Scaling]);
    plots.iter().for_each(check);
}

#[test]
fn one_run_of_one_request_is_drawn() {
    let records = [Record::Sample(crate::stats::fixtures::http_sample("s", 1, 5)), sample("other", 1, 7)];
    let mut cell = http_summary("s");
    cell.throughput_per_s = Spread::of(vec![1.0]);
    let mut scenario = scenario("s", "workers", Vec::new(), vec![cell]);
    (scenario.kind, scenario.compare) = ("http".to_owned(), None);
    scenario.comparisons = vec![comparison(&[], &[("s", 0.0)])];
    let plots = plots_of(&scenario, &Latencies::of(&records), "");
    assert_eq!(plots.iter().map(|plot| plot.kind).collect::<Vec<_>>(), [Kind::Runs, Kind::Latency]);
    plots.iter().for_each(check);
}

/// So many comparisons of eight models, of five runs each.
fn large(comparisons: usize) -> ScenarioSummary {
    let models = ["sequential", "threads", "processes", "async", "loops", "work-stealing", "rayon", "offload"];
    let tasks: Vec<String> = (0..comparisons).map(|index| index.to_string()).collect();
    let mut cells = Vec::new();
    let mut all = Vec::new();
    for task in &tasks {
        let id = |model: &str| format!("large/model={model},io={task}");
        for model in models {
            let mut cell =
                measured(&id(model), &[("model", model), ("io", task)], &[1_500, 1_501, 1_502, 1_503, 1_504]);
            cell.by_worker = Some(vec![10, 20, 30, 40]);
            cell.imbalance = Some(1.6);
            cells.push(cell);
        }
        let rows: Vec<(String, f64)> = models.iter().map(|model| (id(model), 1.2)).collect();
        let rows: Vec<(&str, f64)> = rows.iter().map(|(id, ratio)| (id.as_str(), *ratio)).collect();
        all.push(comparison(&[("io", task)], &rows));
    }
    let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
    let mut scenario = scenario("large", "model", vec![axis("model", &models), axis("io", &tasks)], cells);
    scenario.comparisons = all;
    scenario
}

#[test]
fn ten_thousand_cells_give_small_pictures_that_say_what_they_leave_out() {
    let summary = summary(vec![large(1_250)]);
    assert_eq!(summary.cells().count(), 10_000);
    let plots = Plots::of(&summary, &[]);
    let kinds: Vec<Kind> = plots.iter().map(|plot| plot.kind).collect();
    assert_eq!(kinds, [Kind::Models, Kind::Runs, Kind::Heat, Kind::ByWorker]);
    plots.iter().for_each(check);
    for (plot, note) in plots.iter().zip([
        "1,220 of 1,250 rows are not drawn",
        "9,960 of 10,000 rows",
        "1,220 of 1,250",
        "24 most uneven of 10,000",
    ]) {
        assert!(plot.svg.contains(note), "{}: {note}", plot.name);
    }
}

/// Three scenarios of two comparisons, each of all models.
fn many_models() -> Summary {
    let mut scenarios: Vec<ScenarioSummary> = ["first", "second", "third"].map(|_| large(2)).into();
    for (index, scenario) in scenarios.iter_mut().enumerate() {
        scenario.name = format!("scenario-{index}");
    }
    scenarios[2].comparisons.truncate(1);
    scenarios[2].comparisons[0].fixed.clear();
    summary(scenarios)
}

#[test]
fn a_map_of_several_scenarios_names_each_once() {
    let plot = super::overview_of(&many_models(), "").unwrap();
    check(&plot);
    let svg = &plot.svg;
    for name in ["scenario-0", "scenario-1", "scenario-2"] {
        assert_eq!(svg.matches(&format!("<title>{name}</title>")).count(), 1, "{name}");
    }
    assert!(svg.contains("<title>scenario-0: io = 1: threads"), "{svg}");
    assert!(svg.contains("<title>scenario-2: threads"), "{svg}");
    assert!(!svg.contains("are not drawn"));
}

#[test]
fn all_pictures_are_as_wide_as_each_other() {
    let widths: BTreeSet<String> = pictures()
        .iter()
        .map(|plot| Document::parse(&plot.svg).unwrap().root_element().attribute("width").unwrap().to_owned())
        .collect();
    assert_eq!(widths, BTreeSet::from([frame::WIDTH.to_string()]));
}
