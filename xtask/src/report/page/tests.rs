//! The page as a whole. The result below `tests/fixtures/result` is made up: it has batches and servers, failed and skipped
//! cells, and names with markup, in several scripts and of 80 signs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use roxmltree::{Document, Node};

use super::answers::{Sureness, answers};
use super::page;
use crate::report::csv::Csv;
use crate::report::fixtures::{axis, comparison, judged, long, measured, scenario, summary};
use crate::report::{Format, Plots, document};
use crate::results::{Environment, read};
use crate::stats::summary::{Summary, Verdict};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/result")
}

fn fixture() -> (Summary, Environment) {
    let environment = read::environment(&folder().join("environment.json")).unwrap();
    (read::summary(&folder().join("summary.json")).unwrap(), environment)
}

fn fixture_page() -> String {
    let (summary, environment) = fixture();
    let records = read::samples(&folder().join("samples.jsonl")).unwrap().records;
    page(&summary, &environment, &Plots::of(&summary, &records))
}

/// The values of an attribute, in order.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    html.split(&format!(" {attribute}=\"")).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The row of a cell, which is well-formed XML, as most of the page is.
fn row<'a>(html: &'a str, id: &str) -> &'a str {
    let start =
        html.find(&format!("<tr id=\"{}\"", super::anchor::cell(id))).unwrap_or_else(|| panic!("no row of {id}"));
    let end = html[start..].find("</tr>").unwrap() + "</tr>".len();
    &html[start..start + end]
}

/// What stands in the columns of a cell's row: text and raw number by header.
fn figures(html: &str, id: &str) -> BTreeMap<String, (String, Option<f64>)> {
    let at = html.find(row(html, id)).unwrap();
    let head = &html[html[..at].rfind("<thead>").unwrap()..at];
    // Headers may have attributes without a value, which XML has not.
    let head = head[..head.find("</thead>").unwrap() + "</thead>".len()].replace(" data-relative", "");
    let text = |node: Node<'_, '_>| -> String {
        let shown = node.descendants().find(|inner| inner.has_tag_name("summary")).unwrap_or(node);
        shown.descendants().filter(|inner| inner.is_text()).filter_map(|inner| inner.text()).collect()
    };
    let cells = |xml: &str| -> Vec<(String, Option<f64>)> {
        let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
        let cells = document.descendants().filter(|node| node.has_tag_name("th") || node.has_tag_name("td"));
        cells.map(|node| (text(node), node.attribute("data-v").map(|raw| raw.parse().unwrap()))).collect()
    };
    cells(&head).into_iter().map(|(header, _)| header).zip(cells(row(html, id))).collect()
}

#[test]
fn the_page_of_a_result_is_as_it_was_looked_at() {
    expect_file![folder().join("report.html")].assert_eq(&fixture_page());
}

#[test]
fn every_link_on_the_page_leads_to_one_place() {
    let html = fixture_page();
    let ids = values(&html, "id");
    let places: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(places.len(), ids.len(), "an id stands twice");
    let links: Vec<&str> = values(&html, "href").into_iter().filter_map(|href| href.strip_prefix('#')).collect();
    assert!(links.len() > 50, "{}", links.len());
    for link in links {
        assert!(places.contains(link), "#{link} leads nowhere");
    }
    for cell in fixture().0.cells() {
        assert!(places.contains(super::anchor::cell(&cell.id).as_str()), "{}", cell.id);
    }
}

#[test]
fn the_page_needs_no_other_file_and_no_network() {
    let html = fixture_page();
    assert_eq!(values(&html, "src"), Vec::<&str>::new());
    for href in values(&html, "href") {
        assert!(href.starts_with('#') || href == "data:,", "{href}");
    }
    for word in ["@import", "url(", "fetch(", "XMLHttpRequest", "<iframe", "<object"] {
        assert!(!html.contains(word), "{word}");
    }
}

#[test]
fn names_are_text_wherever_they_stand() {
    let (mut summary, mut environment) = fixture();
    let evil = "<script>alert('1')</script>&\"|\u{202e}\u{7}";
    environment.command_line = vec![evil.to_owned()];
    environment.machine.cpu_model = Some(evil.to_owned());
    for scenario in &mut summary.scenarios {
        scenario.name = format!("{evil}{}", scenario.name);
        scenario.question = Some(evil.to_owned());
        scenario.settings.insert(evil.to_owned(), evil.into());
        for cell in &mut scenario.cells {
            cell.notes.push(evil.to_owned());
            cell.reason = cell.reason.as_ref().map(|_| evil.to_owned());
            cell.stderr_tail.push(evil.to_owned());
        }
    }
    let html = page(&summary, &environment, &Plots::of(&summary, &[]));
    assert_eq!(html.matches("<script").count(), 1, "our own");
    assert!(html.matches("&lt;script&gt;").count() > 40);
    assert!(!html.contains('\u{7}'));
    assert!(!fixture_page().contains("<b>"), "a label of the result has this in it");
}

#[test]
fn the_figures_of_a_cell_are_the_same_in_json_csv_markdown_and_html() {
    let (summary, environment) = fixture();
    let (html, markdown, csv) = (fixture_page(), document(&summary, &environment), Csv.render(&summary));
    let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let rows: Vec<BTreeMap<&str, String>> =
        reader.records().map(|row| headers.iter().zip(row.unwrap().iter().map(str::to_owned)).collect()).collect();
    let columns = [
        ("median", "elapsed_median_ns"),
        ("req/s", "throughput_median_per_s"),
        ("ratio", "ratio"),
        ("interval", "ratio_low"),
        ("cores", "cores_used"),
        ("server", "cores_used"),
        ("peak mem", "peak_rss_bytes"),
        ("p50", "latency_p50_ns"),
        ("p99", "latency_p99_ns"),
        ("asked req/s", "asked_rate_per_s"),
        ("set-up", "setup_median_ns"),
    ];
    let mut compared = 0;
    for cell in summary.cells() {
        let shown = figures(&html, &cell.id);
        let row = rows.iter().find(|row| row["cell"] == cell.id).unwrap();
        for (header, column) in columns {
            // An interval that covers nothing is not shown, and is in the CSV.
            let Some((text, raw)) = shown.get(header).filter(|(text, _)| header != "interval" || text != "–") else {
                continue;
            };
            assert_eq!(*raw, row[column].parse().ok(), "{header} of {}", cell.id);
            assert_eq!(text == "–", raw.is_none(), "{header} of {}: {text}", cell.id);
            compared += 1;
        }
        // JSON.
        let median = cell.elapsed_ns.as_ref().map(|spread| spread.median.to_string());
        assert_eq!(row["elapsed_median_ns"], median.unwrap_or_default(), "{}", cell.id);
    }
    assert!(compared > 150, "{compared}");
    // Markdown has the same words: in the long form each row has all that the page has.
    let words = |id: &str, headers: &[&str]| {
        headers.iter().map(|header| figures(&html, id)[*header].0.clone()).collect::<Vec<_>>()
    };
    for (id, headers) in [
        ("cpu-bound/model=processes,lock=gil", &["median", "min–max", "cores", "peak mem"][..]),
        ("http-loops/workers=4", &["req/s", "p50", "p95", "p99", "server", "client"]),
    ] {
        let words = words(id, headers);
        let is_there =
            |line: &&str| line.starts_with('|') && words.iter().all(|word| line.contains(&format!("| {word}")));
        assert_eq!(markdown.lines().filter(is_there).count(), 1, "{words:?}");
    }
}

#[test]
fn what_to_use_is_said_at_the_top_with_how_sure_it_is() {
    let html = page(&summary(vec![judged()]), &crate::report::tests::environment(), &Plots::default());
    let top = &html[html.find("id=\"use\"").unwrap()..html.find("id=\"machine\"").unwrap()];
    assert!(top.contains("<strong><bdi>processes</bdi></strong> for "), "{top}");
    assert!(top.contains("(2.90 × <bdi>sequential</bdi>, clear)"), "{top}");
    let contents = &html[html.find("id=\"answers\"").unwrap()..html.find("id=\"tools\"").unwrap()];
    for said in [
        "lock = gil",
        "processes is the fastest: 2.90 × sequential (1.82–2.93).",
        "(1.82–2.93)",
        "noise floor 1.2 % measured",
    ] {
        assert!(contents.contains(said), "{said}: {contents}");
    }
    assert!(contents.contains("flagged: outlier") && contents.contains("Holm"), "{contents}");
}

#[test]
fn an_answer_is_as_sure_as_its_conclusion() {
    let sureness = |change: fn(&mut crate::stats::summary::ScenarioSummary)| {
        let mut scenario = judged();
        change(&mut scenario);
        let summary = summary(vec![scenario]);
        let answers = answers(&summary);
        (answers[0].sureness, answers[0].pick.axes["model"].to_string(), answers[0].others.len())
    };
    assert_eq!(sureness(|_| {}), (Sureness::Clear, "processes".to_owned(), 0));
    let several = sureness(|scenario| {
        let [_, threads, processes] = [0, 1, 2].map(|index| scenario.comparisons[0].rows[index].cell.clone());
        let conclusion = scenario.comparisons[0].conclusion.as_mut().unwrap();
        (conclusion.fastest, conclusion.not_told_apart, conclusion.simplest) =
            (processes, vec![threads.clone()], Some(threads));
    });
    assert_eq!(several, (Sureness::Several, "threads".to_owned(), 1));
    let no_gain = sureness(|scenario| {
        let rows = &mut scenario.comparisons[0].rows;
        rows[2].verdict = Some(Verdict::Unresolved);
        let baseline = rows[0].cell.clone();
        let conclusion = scenario.comparisons[0].conclusion.as_mut().unwrap();
        (conclusion.not_told_apart, conclusion.simplest) = (vec![baseline], None);
    });
    assert_eq!(no_gain, (Sureness::NoGain, "sequential".to_owned(), 1));
    let untold = sureness(|scenario| {
        for row in &mut scenario.comparisons[0].rows {
            if let Some(ratio) = &mut row.ratio {
                (ratio.low, ratio.high, ratio.confidence) = (None, None, None);
            }
        }
    });
    assert_eq!(untold.0, Sureness::Untold);
}

#[test]
fn a_result_without_verdicts_says_so_and_shows_its_figures() {
    let html = page(&summary(vec![long()]), &crate::report::tests::environment(), &Plots::default());
    assert!(html.contains("No comparison of this result was judged"));
    assert!(html.contains("Not judged: too few cells"));
    assert_eq!(figures(&html, "cpu-bound/model=processes,lock=gil")["median"].0, "0.397 s");
}

#[test]
fn an_empty_result_is_a_page_too() {
    let html = page(&summary(Vec::new()), &crate::report::tests::environment(), &Plots::default());
    assert!(html.ends_with("</html>") && html.contains("No comparison of this result was judged"));
}

#[test]
fn ten_thousand_cells_are_folded_and_have_a_place_each() {
    let names: Vec<String> = (0..100).map(|number| format!("{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut cells = Vec::new();
    let mut comparisons = Vec::new();
    for size in &names {
        let ids: Vec<String> = names.iter().map(|model| format!("big/model={model},size={size}")).collect();
        comparisons.push(comparison(&[("size", size)], &ids.iter().map(|id| (id.as_str(), 1.5)).collect::<Vec<_>>()));
        cells.extend(
            ids.iter().zip(&names).map(|(id, model)| measured(id, &[("model", model), ("size", size)], &[9, 8, 7])),
        );
    }
    let mut big = scenario("big", "model", vec![axis("size", &names), axis("model", &names)], cells);
    big.comparisons = comparisons;
    let summary = summary(vec![big]);
    let html = page(&summary, &crate::report::tests::environment(), &Plots::of(&summary, &[]));
    assert_eq!(html.matches("<tr id=\"cell-").count(), 10_000);
    assert!(html.contains("<details class=\"long\"><summary>Rows 9,601 to 10,000 of 10,000</summary>"));
    assert!(html.len() < 16_000_000, "{}", html.len());
}
