//! Every operation with the checksum of three tasks of two steps. The first five are the full examples of
//! `docs/protocol.md`; the others follow from results that it defines.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{Worker, batch, services};

/// A task, and the checksum that every worker must come to.
pub type Case = (Value, &'static str);

/// A short one that needs nothing.
pub fn burn() -> Value {
    json!({"op": "burn", "iterations": 1000})
}

/// Has the worker do each task under each model, twice.
#[track_caller]
pub fn gives_the_same(worker: &mut Worker, models: &[&str], cases: &[Case]) {
    for (task, checksum) in cases {
        for model in models {
            worker.accept(&batch(model, task));
            for _ in 0..2 {
                let sample = worker.run();
                assert_eq!((sample.checksum.as_str(), sample.tasks), (*checksum, 3), "{model} {task}");
                assert_eq!(sample.workers.iter().sum::<u64>(), 3, "{model} {task}");
            }
        }
    }
}

/// What needs nothing.
pub fn computing_and_waiting() -> Vec<Case> {
    vec![
        (json!({"op": "sum-of-squares", "n": 1000}), "392b335512cb73e2"),
        (json!({"op": "burn", "iterations": 1000}), "6e063629c47668d3"),
        (json!({"op": "primes", "limit": 1000}), "a05665f1fc74ecd7"),
        (json!({"op": "wait", "io_ns": 100_000}), "8cad1aa27a347479"),
        (json!({"op": "wait", "io_ns": 0}), "8cad1aa27a347479"),
        (json!({"op": "wait-and-burn", "io_ns": 100_000, "iterations": 1000}), "6e063629c47668d3"),
    ]
}

/// What needs servers, files or programs. Those whose program is not on this machine are left out, with a word on it.
pub fn everyday(folder: &Path) -> Vec<Case> {
    let page = |path, keep_alive| json!({"op": "http-get", "address": services::web(), "path": path, "keep_alive": keep_alive});
    let zip = |by| json!({"op": "zip", "folder": folder, "files": 3, "file_bytes": 1000, "by": by});
    let mut cases = vec![
        (json!({"op": "command", "argv": ["true"]}), "e95503f89f7605cb"),
        (page("/", true), "8c097679f004a6f0"),
        (page("/", false), "8c097679f004a6f0"),
        (page("/chunked", true), "8c097679f004a6f0"),
        (page("/endless", true), "8c097679f004a6f0"),
        (json!({"op": "smtp-send", "address": services::mail(), "body_bytes": 1000}), "1b54f78a46e6f47e"),
        (json!({"op": "file-read", "folder": folder, "size_bytes": 1000, "cold": false}), "7b398c647a18c378"),
        (json!({"op": "file-read", "folder": folder, "size_bytes": 1000, "cold": true}), "7b398c647a18c378"),
        (json!({"op": "file-write", "folder": folder, "size_bytes": 1000, "fsync": false}), "1b54f78a46e6f47e"),
        (json!({"op": "file-write", "folder": folder, "size_bytes": 1000, "fsync": true}), "1b54f78a46e6f47e"),
        (zip(json!("library")), "6b2133efe6f7bf9b"),
    ];
    if has("zip", "-v", "Info-ZIP") {
        cases.push((zip(json!({"program": "zip"})), "6b2133efe6f7bf9b"));
    } else {
        eprintln!("zip by program is not tested: apt-get install zip");
    }
    if let Some(program) = image_magick() {
        let resize = json!({"op": "resize-image", "folder": folder, "source_width": 160, "width": 80, "by": {"program": program}});
        cases.push((resize, "730ef6cc89ed49f8"));
    } else {
        eprintln!("resize-image is not tested: apt-get install imagemagick");
    }
    cases
}

/// SQLite, which is of Python's standard library and a gem of Ruby.
pub fn sqlite() -> Case {
    let query = json!({"compute": {"rows": 1000}});
    let task =
        json!({"op": "db-select", "database": "sqlite", "connection": ":memory:", "connections": 2, "query": query});
    (task, "23b1ee0f89ec2436")
}

/// A task whose program makes pictures of the right size that stand on their heads. `None` without a program that can.
#[allow(dead_code, reason = "not every test that includes this module makes pictures")]
pub fn resize_upside_down(folder: &Path) -> Option<Value> {
    let program = image_magick()?;
    let upside_down = folder.join("upside-down.sh");
    let script = format!(
        "#!/bin/sh\nif [ \"$2\" = -resize ]; then exec {program} \"$1\" -resize \"$3\" -flip \"$4\"; fi\nexec {program} \"$@\"\n"
    );
    fs::write(&upside_down, script).unwrap();
    fs::set_permissions(&upside_down, fs::Permissions::from_mode(0o755)).unwrap();
    let by = json!({"program": upside_down});
    Some(json!({"op": "resize-image", "folder": folder, "source_width": 160, "width": 80, "by": by}))
}

fn image_magick() -> Option<&'static str> {
    ["/usr/bin/convert", "convert", "magick"].into_iter().find(|program| has(program, "-version", "ImageMagick"))
}

fn has(program: &str, argument: &str, words: &str) -> bool {
    let output = Command::new(program).arg(argument).stdin(Stdio::null()).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(words))
}
