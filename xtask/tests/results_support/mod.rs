//! Folders of results for tests: copies of a committed one, changed as a test wants it.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub const NAME: &str = "2026-11-30T195127Z-e2d56b8";
pub const LATER: &str = "2026-12-01T195127Z-e2d56b8";

/// The committed result of the first schema.
pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/results/schema-1").join(NAME)
}

/// A folder of results.
pub struct Results(pub tempfile::TempDir);

impl Results {
    /// With one result, the committed one.
    pub fn new() -> Self {
        let results = Self(tempfile::tempdir().unwrap());
        results.add(NAME);
        results
    }

    /// Adds a copy of the committed result.
    pub fn add(&self, name: &str) -> PathBuf {
        let folder = self.0.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        for entry in fs::read_dir(fixture()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
        folder
    }

    pub fn file(&self, result: &str, name: &str) -> PathBuf {
        self.0.path().join(result).join(name)
    }

    /// Changes a JSON file.
    pub fn edit(&self, result: &str, name: &str, edit: impl FnOnce(&mut Value)) {
        let path = self.file(result, name);
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        edit(&mut value);
        fs::write(path, serde_json::to_string_pretty(&value).unwrap()).unwrap();
    }
}

/// A cell of a summary.
pub fn cell<'a>(summary: &'a mut Value, id: &str) -> &'a mut Value {
    let scenarios = summary["scenarios"].as_array_mut().unwrap().iter_mut();
    let mut cells = scenarios.flat_map(|scenario| scenario["cells"].as_array_mut().unwrap());
    cells.find(|cell| cell["id"] == id).unwrap()
}

/// Makes all runs of a cell take so many times as long.
pub fn slow_down(summary: &mut Value, id: &str, factor: f64) {
    let elapsed = &mut cell(summary, id)["elapsed_ns"];
    let scaled = |value: &Value| Value::from((value.as_f64().unwrap() * factor) as u64);
    let values: Vec<Value> = elapsed["values"].as_array().unwrap().iter().map(scaled).collect();
    elapsed["values"] = values.into();
    for key in ["median", "min", "max"] {
        elapsed[key] = scaled(&elapsed[key]);
    }
}
