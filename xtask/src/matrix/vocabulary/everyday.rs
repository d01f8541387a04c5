//! The operations of everyday jobs: commands, HTTP, mail, databases, files, pictures and archives. What they need around
//! the worker (a server, a program, a folder) is found or made for the cells; see `plan::Need`.

use std::time::Duration;

use super::tables::{COUNT, TIME};
use super::{Key, Kind, Operation, Words};

const FILE_SIZE: Kind = Kind::Size { min: 0, max: 16 << 30 };
// Smaller pictures cannot be told apart by their look.
const WIDTH: Kind = Kind::Count { min: 64, max: 20_000 };

const FOLDER: Key = Key::new(
    "folder",
    Kind::Text,
    "Where its files are made, seen from the matrix file: an existing folder. Each process gets a new folder in it, which \
     is removed afterwards.",
)
.default("`target` of the workspace");
const BY: Key =
    Key::new("by", Kind::Word(Words::Tool), "Who does it: `library` is the worker itself, `command` a program.")
        .default("\"library\"");

/// The operations of everyday jobs.
pub static EVERYDAY: &[Operation] = &[
    Operation {
        name: "command",
        doc: "Runs a program to its end, without a shell; its output goes nowhere. A status other than 0 is an error.",
        keys: &[Key::new("argv", Kind::Command, "The program and its arguments.").default("`[\"sleep\", \"0.2\"]`")],
        one_of: &[],
        excludes: &[],
    },
    Operation {
        name: "http-get",
        doc: "Asks an HTTP/1.1 server for a page and reads all of it.",
        keys: &[
            Key::new("io", TIME, "How long our own server waits before it answers.").default("\"50ms\""),
            Key::new("cpu", TIME, "How long it then computes, by calibration.").default("\"0us\""),
            Key::new("iterations", COUNT, "The same as a count of steps of the generator."),
            Key::new(
                "url",
                Kind::Address { scheme: "http", example: "http://127.0.0.1:8080/page", with_path: true },
                "A server that runs already, instead of our own. Addresses beyond this machine need --allow-remote.",
            ),
            Key::new(
                "keep_alive",
                Kind::Flag,
                "Whether a worker keeps its connection; else each request has a new one.",
            )
            .default("false"),
        ],
        one_of: &[],
        excludes: &[("url", &["io", "cpu", "iterations"]), ("iterations", &["cpu"])],
    },
    Operation {
        name: "smtp-send",
        doc: "Hands a mail over to a mail server.",
        keys: &[
            Key::new("body", Kind::Size { min: 0, max: 1 << 30 }, "Size of the mail's text.").default("\"1kB\""),
            Key::new("delay", TIME, "How long our own mail server waits before it takes a mail.").default("\"50ms\""),
            Key::new(
                "to",
                Kind::Address { scheme: "smtp", example: "smtp://127.0.0.1:2525", with_path: false },
                "A mail server that runs already, instead of our own. Addresses beyond this machine need --allow-remote.",
            ),
        ],
        one_of: &[],
        excludes: &[("to", &["delay"])],
    },
    Operation {
        name: "db-select",
        doc: "Asks a database for one number, which it waits for or computes.",
        keys: &[
            Key::new("wait", TIME, "How long the database waits. SQLite cannot."),
            Key::new(
                "rows",
                Kind::Count { min: 1, max: 1_000_000_000 },
                "Over how many rows the database computes, which it makes itself.",
            ),
            Key::new("database", Kind::Word(Words::Database), "Which database.").default("\"postgres\""),
            Key::new(
                "connections",
                Kind::Count { min: 1, max: 200 },
                "How many connections an event loop opens. A thread and a process have one each.",
            )
            .default("4"),
        ],
        one_of: &["wait", "rows"],
        excludes: &[],
    },
    Operation {
        name: "file-read",
        doc: "Reads a whole file.",
        keys: &[
            Key::new("size", FILE_SIZE, "Size of each file.").default("\"1MiB\""),
            Key::new(
                "cold",
                Kind::Flag,
                "Whether the file is dropped from the page cache first, so that the disk is asked.",
            )
            .default("false"),
            FOLDER,
        ],
        one_of: &[],
        excludes: &[],
    },
    Operation {
        name: "file-write",
        doc: "Writes a whole file.",
        keys: &[
            Key::new("size", FILE_SIZE, "Size of each file.").default("\"1MiB\""),
            Key::new("fsync", Kind::Flag, "Whether the write lasts until the disk has it.").default("true"),
            FOLDER,
        ],
        one_of: &[],
        excludes: &[],
    },
    Operation {
        name: "resize-image",
        doc: "Reads a picture, makes it smaller, and writes it.",
        keys: &[
            BY,
            Key::new("source_width", WIDTH, "Width of the original in pixels; it is three quarters as high.")
                .default("1600"),
            Key::new("width", WIDTH, "Width of the result in pixels.").default("400"),
            FOLDER,
        ],
        one_of: &[],
        excludes: &[],
    },
    Operation {
        name: "zip",
        doc: "Packs a folder of text files into one archive, and reads it back.",
        keys: &[
            BY,
            Key::new("files", Kind::Count { min: 1, max: 100_000 }, "How many files.").default("20"),
            Key::new("file_size", Kind::Size { min: 0, max: 1 << 30 }, "Size of each.").default("\"50kB\""),
            FOLDER,
        ],
        one_of: &[],
        excludes: &[],
    },
];

/// How long our own servers wait where the task does not say.
pub const DEFAULT_WAIT: Duration = Duration::from_millis(50);
