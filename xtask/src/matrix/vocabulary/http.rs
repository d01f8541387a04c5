//! The tables of an HTTP scenario and their keys.

use std::time::Duration;

use super::tables::{
    BASELINE, COMPARE, COUNT, EXCLUDE, LOCK, NAME, ORDER, QUESTION, QUICK, RUNS_OF, RUNTIME_OF, SWITCH_INTERVAL, TIME,
    TIMEOUT_OF, WARMUPS_OF, ZIP,
};
use super::{Key, Kind, Table, Words};

const LABEL: Key = Key::new("label", Kind::Label, "What tables and ids call it, where there are several.");

const LOADS: Kind = Kind::Labelled { table: &LOAD, example: "{ connections = 64, requests = 1000 }" };
const SERVERS: Kind =
    Kind::Labelled { table: &SERVER, example: "{ command = [\"my-server\", \"--port\", \"{port}\"] }" };

/// `[[http]]`.
pub static HTTP: Table = Table {
    header: "[[http]]",
    about: "One question about a server under load: our own server (`model`), one that the matrix starts (`server`), or \
            one that runs already (`target`). Axes and cells are made as for `[[batch]]`; the arrays inside a single \
            `load` table and inside `vars` are axes as well.",
    keys: &[
        NAME,
        QUESTION,
        Key::new("load", LOADS, "What is asked of the server, and how often.").required().axis(),
        Key::new("model", Kind::Word(Words::HttpModel), "How our own server makes requests run at the same time.")
            .axis(),
        Key::new(
            "workers",
            Kind::Workers { max: 256 },
            "How many threads, processes or event loops our own server uses. `\"cores\"` is the number of usable CPUs.",
        )
        .axis()
        .default("\"cores\""),
        LOCK,
        SWITCH_INTERVAL,
        RUNTIME_OF,
        Key::new("listen", Kind::Word(Words::Listen), "How connections reach the workers of our own server.")
            .axis()
            .default("\"per-port\""),
        Key::new("io", TIME, "How long every request waits in our own server.").axis().default("\"0us\""),
        Key::new(
            "cpu",
            TIME,
            "How long every request then computes: as many steps as this time takes on one core without a lock, by \
             calibration.",
        )
        .axis()
        .default("\"0us\""),
        Key::new("iterations", COUNT, "The same as a count of steps of the generator, instead of `cpu`.").axis(),
        Key::new("server", SERVERS, "A server of your own: how it is started and ended.").axis(),
        Key::new(
            "vars",
            Kind::Vars,
            "What the placeholders of `server` stand for. Every array is an axis of that name.",
        )
        .quick(),
        Key::new(
            "target",
            Kind::Address { scheme: "http", example: "http://127.0.0.1:8080", with_path: false },
            "A server that runs already. Addresses beyond this machine need --allow-remote.",
        ),
        COMPARE,
        BASELINE,
        ZIP,
        EXCLUDE,
        ORDER,
        WARMUPS_OF,
        RUNS_OF,
        TIMEOUT_OF,
        QUICK,
    ],
    one_of: &["model", "server", "target"],
};

/// `load`.
pub static LOAD: Table = Table {
    header: "`load`",
    about: "What is asked of the server, and how often. With `requests` it is a *closed loop*: every connection sends its \
            next request when it has the answer to the last, so a slow server is asked less. With `rate` it is an *open \
            loop*: requests are sent by the clock, whatever the server does, and latency counts from the time at which a \
            request should have been sent. A key marked *axis* takes an array, which is an axis of the scenario with the \
            key's name. `load` itself may be an array of tables; then each has one value a key, and a `label`.",
    keys: &[
        LABEL.default("`closed` or `open`"),
        Key::new("connections", Kind::Count { min: 1, max: 65_536 }, "Connections that are kept open.").required().axis(),
        Key::new("requests", Kind::Count { min: 1, max: 1_000_000_000 }, "Closed loop: requests in all.").axis(),
        Key::new(
            "rate",
            Kind::Rate,
            "Open loop: requests a second in all. A share such as `\"80%\"` is of what the same server does in a closed \
             loop with as many connections, which is measured once per run of the matrix.",
        )
        .axis(),
        Key::new(
            "duration",
            Kind::Time { min: Duration::from_millis(10), max: Duration::from_secs(3600) },
            "Open loop: for how long requests are sent. Goes with `rate`.",
        ),
        Key::new("arrivals", Kind::Word(Words::Arrivals), "Open loop: how the requests are spread over time.")
            .axis()
            .default("\"poisson\""),
        Key::new("threads", Kind::Count { min: 1, max: 256 }, "Threads of the client, at most one a connection.")
            .default("1"),
        Key::new(
            "timeout",
            Kind::Time { min: Duration::from_millis(1), max: Duration::from_secs(3600) },
            "How long a request may take before it is an error and its connection is closed.",
        )
        .default("\"10s\""),
        Key::new(
            "drain",
            Kind::Time { min: Duration::ZERO, max: Duration::from_secs(3600) },
            "How long answers are awaited after the last request was sent, or after the end of an open loop's schedule.",
        )
        .default("\"2s\""),
        Key::new("path", Kind::Paths, "What is asked for. Several paths are used in turn.").default("\"/\""),
        Key::new("method", Kind::Method, "The method of the requests.").default("`GET`, with a `body` `POST`"),
        Key::new("headers", Kind::Headers, "Header fields of the requests besides `Host` and `Content-Length`."),
        Key::new("body", Kind::Text, "The body of the requests."),
        Key::new(
            "status",
            Kind::Count { min: 100, max: 599 },
            "The status that an answer must have. Not for our own server, whose every answer is checked whole.",
        )
        .default("any from 200 to 399"),
        Key::new("expect_body", Kind::Text, "The body that an answer must have. Not for our own server.")
            .default("any"),
        Key::new(
            "worker_header",
            Kind::HeaderName,
            "The header of an answer that names the worker which gave it, for the count of requests by worker. Not for \
             our own server.",
        )
        .default("no count"),
    ],
    one_of: &["requests", "rate"],
};

/// `server`.
pub static SERVER: Table = Table {
    header: "`server`",
    about: "A server of your own. It is started anew for every process of a cell, and ended with all its children. In \
            `command` and in the values of `env`, `{name}` stands for the value of that name in `vars`, `{port}` for a \
            free port and `{ports}` for all of its ports, separated by commas. `${name}` is left to a shell, and braces \
            around anything but one name are left alone. `server` itself may be an array of tables, each with a `label`: \
            an axis; a var that a server does not use is no axis of its cells.",
    keys: &[
        LABEL.default("the program's name"),
        Key::new(
            "command",
            Kind::Command,
            "The program and its arguments; no shell is involved. Where it is not installed, or ends with status 127 as a \
             shell does that finds no program, the cells are skipped.",
        )
        .required(),
        Key::new("env", Kind::Environment, "Environment variables that it is started with."),
        Key::new("cwd", Kind::Text, "Its working folder, seen from the matrix file.").default("the folder of the matrix file"),
        Key::new("ports", Kind::Count { min: 1, max: 256 }, "How many ports it listens on. The client deals its connections out over them.")
            .default("1"),
        Key::new(
            "ready",
            Kind::Ready,
            "When it can be asked: when it answers a `GET` of this path with a status below 500, or with `\"tcp\"` when it \
             accepts connections.",
        )
        .default("\"tcp\""),
        Key::new(
            "ready_timeout",
            Kind::Time { min: Duration::from_millis(1), max: Duration::from_secs(3600) },
            "How long that may take before the cell has failed.",
        )
        .default("\"10s\""),
        Key::new("stop", Kind::Word(Words::Stop), "The signal that asks it to end.").default("\"TERM\""),
    ],
    one_of: &[],
};

/// One of the `vars`: their names are the user's, so they are in no table.
pub static VAR: Key = Key::new("vars", Kind::Text, "What a placeholder stands for.");

/// Keys of `[[http]]` that are about our own server, and so exclude `server` and `target`.
pub static OWN_SERVER: &[&str] =
    &["model", "workers", "lock", "switch_interval", "runtime", "listen", "io", "cpu", "iterations"];
