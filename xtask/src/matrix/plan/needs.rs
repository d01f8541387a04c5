//! What a cell needs around its worker, and where that is once it was found or started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::CpuWork;

/// Something that a cell needs around its worker.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Need {
    /// A PostgreSQL server: that of `DATABASE_URL`, or a throw-away one.
    Postgres,
    /// Our own mail server.
    Mail {
        /// How long it waits before it takes a mail.
        delay: Duration,
    },
    /// Our own HTTP server.
    Http {
        /// How long it waits before it answers.
        io: Duration,
        /// How far it then computes.
        cpu: CpuWork,
    },
    /// The command of ImageMagick, under whichever name it is installed.
    ImageMagick,
    /// A program on the PATH.
    Program(String),
    /// A folder to write in, made in this one; `None` is the default place.
    Folder(Option<PathBuf>),
}

impl Need {
    /// What a scenario's `needs` calls it.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "postgres" | "postgresql" => Self::Postgres,
            "smtp" => Self::Mail { delay: Duration::ZERO },
            "convert" | "magick" | "imagemagick" => Self::ImageMagick,
            program => Self::Program(program.to_owned()),
        }
    }
}

/// Where the things are that a cell needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// How to connect to PostgreSQL.
    pub postgres: Option<String>,
    /// Host and port of the mail server.
    pub mail: Option<String>,
    /// Host and port of the HTTP server.
    pub http: Option<String>,
    /// A folder of its own.
    pub folder: Option<PathBuf>,
    /// Programs, by what needs them.
    pub programs: BTreeMap<Need, PathBuf>,
}

/// Whoever makes a job of a task provides what the task needs first.
const PROVIDED: &str = "what a task needs is provided before its job is made";

impl Endpoints {
    pub(super) fn postgres(&self) -> &str {
        self.postgres.as_deref().expect(PROVIDED)
    }

    pub(super) fn mail(&self) -> &str {
        self.mail.as_deref().expect(PROVIDED)
    }

    pub(super) fn http(&self) -> &str {
        self.http.as_deref().expect(PROVIDED)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.as_deref().expect(PROVIDED)
    }

    pub(super) fn program(&self, need: &Need) -> String {
        self.programs.get(need).expect(PROVIDED).display().to_string()
    }
}
