//! The vocabulary as a JSON Schema (draft 7, which every editor reads).

use serde_json::{Map, Value, json};

use super::duration;
use super::reader::LABEL_EXCLUDES;
use super::setting::CORES;
use super::vocabulary::tables::{BATCH, OPERATIONS, ROOT, TASK};
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

fn table(table: &Table) -> Value {
    object(table.about, table.keys.iter().collect(), true)
}

fn object(about: &str, keys: Vec<&'static Key>, complete: bool) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
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

fn property(key: &'static Key) -> Value {
    let one = value(key.kind);
    let mut property =
        if key.axis { json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] }) } else { one };
    let default = key.default.map(|default| format!(" Default: {default}.")).unwrap_or_default();
    property["description"] = json!(format!("{}{default}", key.doc));
    property
}

fn value(kind: Kind) -> Value {
    match kind {
        Kind::Version => json!({ "const": 1 }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text | Kind::Runtime => json!({ "type": "string" }),
        Kind::AxisName => {
            let axes: Vec<&str> = BATCH.keys.iter().filter(|key| key.axis).map(|key| key.name).collect();
            json!({ "enum": axes })
        }
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
            let group = json!({ "type": "array", "items": value(Kind::AxisName), "minItems": 2 });
            json!({ "anyOf": [group, { "type": "array", "items": group, "minItems": 1 }] })
        }
        Kind::Exclude => {
            let axes = BATCH.keys.iter().filter(|key| key.axis);
            // A task is named by its label.
            let one = |key: &Key| match key.kind {
                Kind::Task => json!({ "type": "string" }),
                kind => value(kind),
            };
            let properties: Map<String, Value> = axes.map(|key| (key.name.to_owned(), one(key))).collect();
            let combination = json!({
                "type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1
            });
            json!({ "type": "array", "items": combination })
        }
        Kind::Baseline => json!({ "type": ["string", "integer"] }),
        Kind::Command => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Kind::Environment => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Quick => object("", BATCH.keys.iter().filter(|key| key.quick).collect(), false),
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
        "oneOf": OPERATIONS.iter().map(operation).collect::<Vec<_>>(),
    })
}

fn operation(operation: &Operation) -> Value {
    let mut schema = object(operation.doc, TASK.keys.iter().chain(operation.keys).collect(), true);
    schema["properties"]["op"] = json!({ "const": operation.name, "description": operation.doc });
    if !operation.one_of.is_empty() {
        schema["oneOf"] = operation.one_of.iter().map(|name| json!({ "required": [name] })).collect();
    }
    schema
}
