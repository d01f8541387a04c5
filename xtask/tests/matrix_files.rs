//! The files of the repository that the vocabulary is written down in, and the matrix files that use it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use expect_test::expect_file;
use serde_json::Value;
use xtask::matrix::plan::{Scenario, Work};
use xtask::matrix::{LoadOptions, load, parse, reference, schema};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

const FILES: [&str; 6] = [
    "bench-matrix.toml",
    "examples/articles.toml",
    "examples/nginx.toml",
    "examples/own-server-python.toml",
    "examples/running-server.toml",
    "examples/trust.toml",
];

#[test]
fn the_committed_schema_is_current() {
    expect_file![repository().join("docs/bench-matrix.schema.json")].assert_eq(&schema::text());
}

#[test]
fn the_committed_reference_is_current() {
    expect_file![repository().join("docs/matrix.md")].assert_eq(&reference::markdown());
}

#[test]
fn our_own_matrix_files_are_valid() {
    for file in FILES {
        for quick in [false, true] {
            if let Err(report) = load(&repository().join(file), &LoadOptions { quick, cores: 2, allow_remote: false }) {
                panic!("{report}");
            }
        }
    }
}

/// Scenarios with real interpreters have a time of their own.
fn of_interpreters(scenario: &Scenario) -> bool {
    scenario.name.starts_with("interpreters-")
}

#[test]
fn the_interpreters_of_the_default_matrix_fit_into_their_time() {
    let options = LoadOptions { quick: false, cores: 2, allow_remote: false };
    let plan = load(&repository().join("bench-matrix.toml"), &options).unwrap();
    let scenarios = plan.scenarios.iter().filter(|scenario| of_interpreters(scenario));
    let estimate: Duration = scenarios.map(|scenario| plan.estimate_scenario(scenario)).sum();
    assert!(estimate < Duration::from_secs(90), "{estimate:?}");
}

#[test]
fn the_default_matrix_fits_into_its_time() {
    let estimate = |quick, http| {
        let options = LoadOptions { quick, cores: 2, allow_remote: false };
        let plan = load(&repository().join("bench-matrix.toml"), &options).unwrap();
        let of_kind = |scenario: &&Scenario| matches!(scenario.cells[0].work, Work::Http(_)) == http;
        plan.scenarios
            .iter()
            .filter(|it| !of_interpreters(it))
            .filter(of_kind)
            .map(|scenario| plan.estimate_scenario(scenario))
            .sum::<Duration>()
    };
    for (quick, http, most) in [(false, false, 230), (true, false, 65), (false, true, 140), (true, true, 36)] {
        let estimate = estimate(quick, http);
        assert!(estimate < Duration::from_secs(most), "quick: {quick}, http: {http}: {estimate:?}");
    }
}

#[test]
fn the_schema_accepts_our_own_matrix_files() {
    for file in FILES {
        let text = std::fs::read_to_string(repository().join(file)).unwrap();
        let value = json(&toml::de::DeValue::Table(toml::de::DeTable::parse(&text).unwrap().into_inner()));
        assert_eq!(check(&value), None, "{file}");
    }
}

#[test]
fn the_schema_refuses_what_an_editor_can_know_to_be_wrong() {
    for file in [
        "unknown-key-in-batch",
        "unknown-key-in-task",
        "unknown-model",
        "unknown-operation",
        "missing-keys",
        "missing-parameter",
        "two-amounts-of-work",
        "negative-tasks",
        "zero-workers",
        "empty-axis",
        "exclude-is-a-table",
        "unknown-key-in-quick",
        "schema-missing",
        "http-batch-model",
        "http-unknown-listen",
        "http-without-a-server",
        "http-without-a-load",
        "http-model-and-server",
        "http-server-and-target",
        "http-load-without-loop",
        "http-load-with-both-loops",
        "http-load-key-outside",
        "http-server-unknown-key",
        "http-server-command-is-a-line",
        "http-var-of-a-wrong-type",
        "http-include-setup",
    ] {
        let file = repository().join(format!("xtask/tests/broken/{file}.toml"));
        let text = std::fs::read_to_string(&file).unwrap();
        let value = json(&toml::de::DeValue::Table(toml::de::DeTable::parse(&text).unwrap().into_inner()));
        assert!(check(&value).is_some(), "{}", file.display());
    }
}

#[test]
fn a_file_that_is_cut_off_anywhere_gets_a_report_or_is_valid() {
    // The reader recovers from broken syntax; whatever it makes of it must not bring us down.
    let text = std::fs::read_to_string(repository().join("bench-matrix.toml")).unwrap();
    for end in (0..text.len()).step_by(11) {
        let Some(cut) = text.get(..end).map(str::to_owned) else { continue };
        if let Err(report) =
            parse(Path::new("cut.toml"), cut, &LoadOptions { quick: false, cores: 2, allow_remote: false })
        {
            assert!(report.to_string().contains("cut.toml:"), "no place in {report}");
        }
    }
}

fn json(value: &toml::de::DeValue<'_>) -> Value {
    use toml::de::DeValue;
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).unwrap().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Array(array) => array.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
            Value::Object(entries.collect())
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().unwrap().into(),
        DeValue::Datetime(_) => panic!("no matrix file has one"),
    }
}

fn check(value: &Value) -> Option<String> {
    let document = schema::document();
    violation(&document, &document, value, "file")
}

/// The first way in which a value is not what a schema says. Knows the words that our schema uses, and panics at any
/// other; patterns are left to editors.
fn violation(document: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return violation(
            document,
            document.pointer(name.strip_prefix('#').unwrap()).expect("a definition"),
            value,
            at,
        );
    }
    for (word, rule) in schema.as_object().expect("a schema") {
        let fits = match word.as_str() {
            "$schema" | "title" | "description" | "definitions" | "pattern" => true,
            "type" => match rule {
                Value::Array(types) => types.iter().any(|name| has_type(value, name.as_str().unwrap())),
                name => has_type(value, name.as_str().unwrap()),
            },
            "const" => value == rule,
            "enum" => rule.as_array().unwrap().contains(value),
            // Says nothing about what is no number.
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|array| array.len() as u64 >= rule.as_u64().unwrap()),
            "minProperties" => value.as_object().is_none_or(|object| object.len() as u64 >= rule.as_u64().unwrap()),
            "required" => rule.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "anyOf" => matches(document, rule, value, at) >= 1,
            "oneOf" => matches(document, rule, value, at) == 1,
            "items" => {
                let items = value.as_array().into_iter().flatten();
                if let Some(wrong) = items.into_iter().find_map(|item| violation(document, rule, item, at)) {
                    return Some(wrong);
                }
                true
            }
            "properties" => {
                let properties = rule.as_object().unwrap();
                let wrong = properties.iter().find_map(|(key, rule)| {
                    value.get(key).and_then(|value| violation(document, rule, value, &format!("{at}.{key}")))
                });
                if wrong.is_some() {
                    return wrong;
                }
                true
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                let mut others = others.filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
                match rule {
                    Value::Bool(false) => others.next().is_none(),
                    rule => others.all(|(_, value)| violation(document, rule, value, at).is_none()),
                }
            }
            other => panic!("the schema uses `{other}`, which this test does not know"),
        };
        if !fits {
            return Some(format!("{at}: {value} against {word}: {rule}"));
        }
    }
    None
}

fn matches(document: &Value, rules: &Value, value: &Value, at: &str) -> usize {
    rules.as_array().unwrap().iter().filter(|rule| violation(document, rule, value, at).is_none()).count()
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("the schema uses the type `{other}`, which this test does not know"),
    }
}
