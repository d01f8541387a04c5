//! The lists of words that a value may be one of, each word with its explanation.

use protocol::{Arrivals, Database, HttpModel, Listen, Lock, Model};

use crate::matrix::plan::{Order, StopSignal, Tool};

/// A list of words, one of which is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Concurrency models.
    Model,
    /// Interpreter locks.
    Lock,
    /// Orders of runs.
    Order,
    /// Concurrency models of an HTTP server.
    HttpModel,
    /// Ways in which connections reach the workers of a server.
    Listen,
    /// Ways in which the requests of an open loop are spread over time.
    Arrivals,
    /// Signals that ask a server to end.
    Stop,
    /// Databases.
    Database,
    /// Who does a piece of work.
    Tool,
}

impl Words {
    /// What the list contains, with its article.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Model => "a model",
            Self::Lock => "a lock",
            Self::Order => "an order",
            Self::HttpModel => "a model of a server",
            Self::Listen => "a way to listen",
            Self::Arrivals => "a kind of arrivals",
            Self::Stop => "a signal",
            Self::Database => "a database",
            Self::Tool => "a way to do it",
        }
    }

    /// The words with their explanations.
    #[must_use]
    pub fn all(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Model => Model::ALL.iter().map(|model| (model.name(), model_doc(*model))).collect(),
            Self::Lock => Lock::ALL.iter().map(|lock| (lock.name(), lock_doc(*lock))).collect(),
            Self::Order => ORDERS.iter().map(|(name, _, doc)| (*name, *doc)).collect(),
            Self::HttpModel => HttpModel::ALL.iter().map(|model| (model.name(), http_model_doc(*model))).collect(),
            Self::Listen => Listen::ALL.iter().map(|listen| (listen.name(), listen_doc(*listen))).collect(),
            Self::Arrivals => Arrivals::ALL.iter().map(|kind| (kind.name(), arrivals_doc(*kind))).collect(),
            Self::Stop => STOP_SIGNALS.iter().map(|(name, _, doc)| (*name, *doc)).collect(),
            Self::Database => Database::ALL.iter().map(|database| (database.name(), database_doc(*database))).collect(),
            Self::Tool => TOOLS.iter().map(|(name, _, doc)| (*name, *doc)).collect(),
        }
    }
}

/// The orders of runs, with the plan's word for each.
pub static ORDERS: &[(&str, Order, &str)] = &[
    (
        "interleaved",
        Order::Interleaved,
        "Round by round through the cells of a comparison in a random order, a fresh process and its warm-ups each time, \
         so that drift of the machine falls on all cells alike.",
    ),
    ("sequential", Order::Sequential, "Cell by cell: one process, its warm-ups, then all its runs."),
];

/// Who does a piece of work, with the plan's word for each.
pub static TOOLS: &[(&str, Tool, &str)] = &[
    ("library", Tool::Library, "The worker itself, with a library."),
    ("command", Tool::Command, "A program that the worker starts for each step."),
];

/// One sentence on a database.
#[must_use]
pub fn database_doc(database: Database) -> &'static str {
    match database {
        Database::Postgres => "PostgreSQL, a server: that of `DATABASE_URL`, or one that is made for the scenario.",
        Database::Sqlite => "SQLite, a library: the database is in the worker's memory.",
    }
}

/// One sentence on a model.
#[must_use]
pub fn model_doc(model: Model) -> &'static str {
    match model {
        Model::Sequential => "One after another on one thread. Ignores `workers`.",
        Model::Threads => "A fixed pool of OS threads that take tasks from one counter.",
        Model::Processes => {
            "A fixed pool of child processes, each given an even share of the tasks and a lock of its own."
        }
        Model::Async => "One event loop, all tasks at once; CPU work blocks it, on purpose. Ignores `workers`.",
        Model::Loops => "Threads with an event loop each, tasks dealt out evenly.",
        Model::WorkStealing => "One multi-thread runtime whose threads steal tasks from each other.",
        Model::Rayon => "A rayon pool: work stealing for CPU-bound code; a wait holds its thread.",
        Model::Offload => "One event loop; the CPU part of each step goes to a pool of threads.",
        Model::Interpreters => "A fixed pool of threads with an interpreter each: CPython 3.14 and later only.",
        Model::Ractors => "A fixed pool of Ractors: Ruby 3.0 and later only.",
    }
}

/// One sentence on a lock.
#[must_use]
pub fn lock_doc(lock: Lock) -> &'static str {
    match lock {
        Lock::None => "No lock: tasks run in parallel.",
        Lock::Gil => "CPython's global interpreter lock: a waiter asks for it after 5 ms.",
        Lock::Gvl => "Ruby's global VM lock: waiters queue, and the holder gives it up after 100 ms of running.",
    }
}

/// The signals that ask a server to end, with the plan's word for each.
pub static STOP_SIGNALS: &[(&str, StopSignal, &str)] = &[
    ("TERM", StopSignal::Term, "What most servers take as a request to end."),
    ("INT", StopSignal::Int, "What Ctrl-C sends."),
    ("QUIT", StopSignal::Quit, "With which nginx and others answer what is under way before they end."),
];

/// One sentence on a model of a server.
#[must_use]
pub fn http_model_doc(model: HttpModel) -> &'static str {
    match model {
        HttpModel::Loops => "Threads with an event loop each; CPU work blocks its loop, on purpose.",
        HttpModel::WorkStealing => {
            "One multi-thread runtime whose threads steal tasks from each other. One acceptor: ignores `listen`."
        }
        HttpModel::Offload => {
            "One event loop; the CPU part of a request goes to a blocking pool of `workers` threads. One acceptor: \
             ignores `listen`."
        }
        HttpModel::OffloadRayon => {
            "One event loop; the CPU part of a request goes to a rayon pool. One acceptor: ignores `listen`."
        }
        HttpModel::Threads => "A thread a connection. Ignores `workers`, and having one acceptor, `listen`.",
        HttpModel::Processes => "Child processes with one event loop each, and a lock each.",
    }
}

/// One sentence on a way to listen.
#[must_use]
pub fn listen_doc(listen: Listen) -> &'static str {
    match listen {
        Listen::PerPort => "Every worker has its own port, and the client deals its connections out evenly.",
        Listen::ReusePort => {
            "Every worker has its own socket on one port (`SO_REUSEPORT`); the kernel spreads connections by a hash, \
             so some workers get more than others."
        }
        Listen::Shared => "One socket, from which every worker accepts.",
        Listen::HandOff => "One acceptor, which deals the connections out round robin.",
    }
}

/// One sentence on a kind of arrivals.
#[must_use]
pub fn arrivals_doc(arrivals: Arrivals) -> &'static str {
    match arrivals {
        Arrivals::Constant => "Evenly spaced.",
        Arrivals::Poisson => "At random, with exponential gaps, as from many users who know nothing of each other.",
    }
}
