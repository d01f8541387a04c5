//! The vocabulary as a JSON Schema (draft 7, which every editor reads).

use serde_json::{Map, Value, json};

use super::duration;
use super::reader::LABEL_EXCLUDES;
use super::setting::CORES;
use super::size;
use super::vocabulary::http::HTTP;
use super::vocabulary::operations::{self, TASK};
use super::vocabulary::tables::ROOT;
use super::vocabulary::{Key, Kind, Operation, Table};

/// The schema as text, with its last line feed: the content of `docs/bench-matrix.schema.json`.
#[must_use]
pub fn text() -> String {
    let mut text = serde_json::to_string_pretty(&document()).expect("a schema has string keys only");
    text.push('\n');
    text
}

/// The schema.
#[must_use]
pub fn document() -> Value {
    let mut document = table(&ROOT);
    document["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    document["title"] = json!("The matrix file of Parallax");
    document["definitions"] = json!({ "task": task() });
    document
}

fn table(table: &'static Table) -> Value {
    let mut schema = object(table, table.about, table.keys.iter().collect(), true);
    if !table.one_of.is_empty() {
        schema["oneOf"] = table.one_of.iter().map(|name| json!({ "required": [name] })).collect();
    }
    schema
}

/// A table with these keys. `scenario` is the table in which it stands, whose axes it may name.
fn object(scenario: &'static Table, about: &str, keys: Vec<&'static Key>, complete: bool) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), property(scenario, key))).collect();
    let mut object = json!({
        "type": "object",
        "description": about,
        "properties": properties,
        "additionalProperties": false,
    });
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    if complete && !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn property(scenario: &'static Table, key: &'static Key) -> Value {
    let one = value(scenario, key.kind);
    let mut property =
        if key.axis { json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] }) } else { one };
    let default = key.default.map(|default| format!(" Default: {default}.")).unwrap_or_default();
    property["description"] = json!(format!("{}{default}", key.doc));
    property
}

/// The names that an axis of a scenario may have. Those of an HTTP scenario include the user's own.
fn axis_name(scenario: &'static Table) -> Value {
    if std::ptr::eq(scenario, &raw const HTTP) {
        return json!({ "type": "string" });
    }
    let axes: Vec<&str> = scenario.keys.iter().filter(|key| key.axis).map(|key| key.name).collect();
    json!({ "enum": axes })
}

/// A table with a value of some axes.
fn combination(scenario: &'static Table) -> Value {
    // Tables are named by their label.
    let one = |key: &Key| match key.kind {
        Kind::Task | Kind::Labelled { .. } => json!({ "type": "string" }),
        kind => value(scenario, kind),
    };
    let axes = scenario.keys.iter().filter(|key| key.axis);
    let properties: Map<String, Value> = axes.map(|key| (key.name.to_owned(), one(key))).collect();
    let others = match std::ptr::eq(scenario, &raw const HTTP) {
        true => json!({ "type": ["string", "integer", "number"] }),
        false => json!(false),
    };
    json!({ "type": "object", "properties": properties, "additionalProperties": others, "minProperties": 1 })
}

fn value(scenario: &'static Table, kind: Kind) -> Value {
    match kind {
        Kind::Version => json!({ "const": 1 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text | Kind::Runtime | Kind::HeaderName => json!({ "type": "string" }),
        Kind::AxisName => axis_name(scenario),
        Kind::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]+$" }),
        Kind::Label => json!({ "type": "string", "pattern": label_pattern() }),
        Kind::Count { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Workers { max } => json!({
            "anyOf": [{ "type": "integer", "minimum": 1, "maximum": max }, { "const": CORES }]
        }),
        Kind::Time { .. } => json!({ "type": "string", "pattern": duration::PATTERN }),
        Kind::Word(words) => {
            let all = words.all();
            // A constant each, so that an editor shows what every word means.
            json!({ "oneOf": all.iter().map(|(word, doc)| json!({ "const": word, "description": doc })).collect::<Vec<_>>() })
        }
        Kind::Task => json!({ "$ref": "#/definitions/task" }),
        Kind::Zip => {
            let group = json!({ "type": "array", "items": axis_name(scenario), "minItems": 2 });
            json!({ "anyOf": [group, { "type": "array", "items": group, "minItems": 1 }] })
        }
        Kind::Exclude => json!({ "type": "array", "items": combination(scenario) }),
        Kind::Baseline => json!({ "type": ["string", "integer", "number"] }),
        Kind::Command => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Kind::Environment | Kind::Headers => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Labelled { table: inner, .. } => table(inner),
        Kind::Rate => json!({
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 10_000_000 },
                { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$" }
            ]
        }),
        Kind::Vars => {
            let one = json!({ "type": ["string", "integer"] });
            let several = json!({ "type": "array", "items": one, "minItems": 1 });
            json!({ "type": "object", "additionalProperties": { "anyOf": [one, several] } })
        }
        Kind::Paths => {
            let one = json!({ "type": "string", "pattern": "^/" });
            json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
        }
        Kind::Ready => json!({ "type": "string", "pattern": "^(tcp|/.*)$" }),
        Kind::Address { scheme, with_path, .. } => {
            let rest = if with_path { "(/.*)?" } else { "/?" };
            json!({ "type": "string", "pattern": format!("^{scheme}://[^/?#@]+:[0-9]+{rest}$") })
        }
        Kind::Size { .. } => json!({ "type": "string", "pattern": size::PATTERN }),
        Kind::Tasks { max, .. } => json!({
            "anyOf": [
                { "type": "integer", "minimum": 1, "maximum": max },
                { "type": "string", "pattern": duration::PATTERN }
            ]
        }),
        Kind::Needs => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Method => json!({ "type": "string", "pattern": "^[A-Z-]+$" }),
        Kind::Quick => object(scenario, "", scenario.keys.iter().filter(|key| key.quick).collect(), false),
        Kind::Table(inner) => table(inner),
        Kind::Tables(inner) => json!({ "type": "array", "items": table(inner) }),
    }
}

fn label_pattern() -> String {
    let escaped: String = LABEL_EXCLUDES
        .chars()
        .flat_map(|c| [if r"\[]".contains(c) { "\\" } else { "" }.to_owned(), c.to_string()])
        .collect();
    format!(r"^[^\s\x00-\x1f\x7f{escaped}]+$")
}

fn task() -> Value {
    json!({
        "description": TASK.about,
        "oneOf": operations::all().map(operation).collect::<Vec<_>>(),
    })
}

fn operation(operation: &Operation) -> Value {
    let mut schema = object(&TASK, operation.doc, TASK.keys.iter().chain(operation.keys).collect(), true);
    schema["properties"]["op"] = json!({ "const": operation.name, "description": operation.doc });
    if !operation.one_of.is_empty() {
        schema["oneOf"] = operation.one_of.iter().map(|name| json!({ "required": [name] })).collect();
    }
    schema
}
