//! One value of a key that may be an axis.

use std::path::Path;
use std::time::Duration;

use protocol::{Arrivals, HttpModel, Listen, Lock, Model};
use toml::de::DeValue;

use super::axis::AxisValue;
use super::http::server::{self, ServerTemplate};
use super::http::{load, rate, target, vars};
use super::plan::{CpuWork, LoadSpec, RUST_RUNTIME, Rate, RunningServer, TaskCount, TaskSpec};
use super::problem::{Problem, Problems, quote};
use super::reader::{self, Value};
use super::vocabulary::{Key, Kind, Words};
use super::{nearest, task};

/// The word for as many workers as there are usable CPUs.
pub const CORES: &str = "cores";

/// A value, with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// `task`
    Task(TaskSpec),
    /// `tasks`
    Tasks(TaskCount),
    /// `steps`
    Steps(u32),
    /// `model`
    Model(Model),
    /// `workers`, with `cores` already a number.
    Workers(u32),
    /// `lock`
    Lock(Lock),
    /// `switch_interval`
    SwitchInterval(Duration),
    /// `runtime`
    Runtime(String),
    /// `model` of a server
    HttpModel(HttpModel),
    /// `listen`
    Listen(Listen),
    /// `io`
    Io(Duration),
    /// `cpu` or `iterations`
    Cpu(CpuWork),
    /// `server`
    Server(Box<ServerTemplate>),
    /// `target`
    Target(RunningServer),
    /// `load`, with the first value of every key that is an axis.
    Load(Box<LoadSpec>),
    /// `connections` of a load
    Connections(u32),
    /// `requests` of a load
    Requests(u64),
    /// `rate` of a load
    Rate(Rate),
    /// `arrivals` of a load
    Arrivals(Arrivals),
    /// One of the `vars`
    Var(String),
}

/// What the meaning of a value depends on, beside the value.
#[derive(Debug)]
pub struct Surroundings<'a> {
    /// Usable CPUs.
    pub cores: u32,
    /// Names of the `[[runtime]]` tables.
    pub runtimes: &'a [String],
    /// Names of those that the command line adds to every axis of runtimes.
    pub added: &'a [String],
    /// Where the matrix file is.
    pub folder: &'a Path,
    /// Whether a `target` may be another machine.
    pub allow_remote: bool,
}

/// Reads a value of a key, and how tables and ids show it.
pub fn read(
    key: &'static Key,
    value: &Value<'_>,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Option<(Setting, AxisValue)> {
    let number = |number: u64| AxisValue::Number(number);
    Some(match (key.kind, key.name) {
        (Kind::Task, _) => {
            let (spec, label) = task::read(value, around, problems)?;
            (Setting::Task(spec), AxisValue::Text(label))
        }
        (Kind::Tasks { .. }, _) => tasks(key, value, problems)?,
        (Kind::Count { .. }, "steps") => {
            let count = reader::count(key, value, problems)?;
            (Setting::Steps(narrow(count)), number(count))
        }
        (Kind::Workers { .. }, _) => {
            let count = workers(key, value, around.cores, problems)?;
            (Setting::Workers(count), number(count.into()))
        }
        (Kind::Count { .. }, "iterations") => {
            let count = reader::count(key, value, problems)?;
            (Setting::Cpu(CpuWork::Iterations(count)), number(count))
        }
        (Kind::Count { .. }, "connections") => {
            let count = reader::count(key, value, problems)?;
            (Setting::Connections(narrow(count)), number(count))
        }
        (Kind::Count { .. }, "requests") => {
            let count = reader::count(key, value, problems)?;
            (Setting::Requests(count), number(count))
        }
        (Kind::Word(Words::HttpModel), _) => {
            let model = reader::word(key, value, problems).and_then(HttpModel::from_name)?;
            (Setting::HttpModel(model), model.name().into())
        }
        (Kind::Word(Words::Listen), _) => {
            let listen = reader::word(key, value, problems).and_then(Listen::from_name)?;
            (Setting::Listen(listen), listen.name().into())
        }
        (Kind::Word(Words::Arrivals), _) => {
            let arrivals = reader::word(key, value, problems).and_then(Arrivals::from_name)?;
            (Setting::Arrivals(arrivals), arrivals.name().into())
        }
        (Kind::Labelled { .. }, "load") => {
            let (load, label) = load::read(value, problems)?;
            (Setting::Load(Box::new(load)), AxisValue::Text(label))
        }
        (Kind::Labelled { .. }, "server") => {
            let (server, label) = server::read(value, around, problems)?;
            (Setting::Server(Box::new(server)), AxisValue::Text(label))
        }
        (Kind::Address { .. }, "target") => {
            let target = target::read(key, value, around, problems)?;
            let shown = target.target.as_str().into();
            (Setting::Target(target), shown)
        }
        (Kind::Rate, _) => {
            let (rate, shown) = rate::read(key, value, problems)?;
            (Setting::Rate(rate), shown)
        }
        (Kind::Text, "vars") => {
            let (text, shown) = vars::read(value, problems)?;
            (Setting::Var(text), shown)
        }
        (Kind::Word(_), "model") => {
            let model = reader::word(key, value, problems).and_then(Model::from_name)?;
            (Setting::Model(model), model.name().into())
        }
        (Kind::Word(_), "lock") => {
            let lock = reader::word(key, value, problems).and_then(Lock::from_name)?;
            (Setting::Lock(lock), lock.name().into())
        }
        (Kind::Time { .. }, _) => {
            let time = reader::time(key, value, problems)?;
            let setting = match key.name {
                "io" => Setting::Io(time),
                "cpu" => Setting::Cpu(CpuWork::Time(time)),
                _ => Setting::SwitchInterval(time),
            };
            (setting, value.get_ref().as_str().unwrap_or_default().into())
        }
        (Kind::Runtime, _) => {
            let name = runtime(key, value, around.runtimes, problems)?;
            let shown = name.as_str().into();
            (Setting::Runtime(name), shown)
        }
        _ => unreachable!("`{}` is an axis in the vocabulary and unknown here", key.name),
    })
}

/// A count that the vocabulary bounds below 2³².
pub fn narrow(count: u64) -> u32 {
    u32::try_from(count).expect("the vocabulary bounds this count")
}

/// A number of tasks, or the time that they are to take one worker.
fn tasks(key: &'static Key, value: &Value<'_>, problems: &mut Problems) -> Option<(Setting, AxisValue)> {
    match value.get_ref().as_str().filter(|text| text.parse::<u64>().is_err()) {
        Some(text) => {
            let time = reader::time(key, value, problems)?;
            Some((Setting::Tasks(TaskCount::Time { time, multiple_of: 1 }), text.into()))
        }
        None => {
            let count = reader::count(key, value, problems)?;
            Some((Setting::Tasks(TaskCount::Exactly(count)), AxisValue::Number(count)))
        }
    }
}

fn workers(key: &'static Key, value: &Value<'_>, cores: u32, problems: &mut Problems) -> Option<u32> {
    match value.get_ref() {
        DeValue::String(text) if text == CORES => Some(cores),
        DeValue::String(text) if nearest::nearest(text, [CORES]).is_some() => {
            problems.push(
                Problem::new(format!("unknown number of workers: {}", quote(text)))
                    .at(value.span(), format!("expected {}", key.kind.expectation()))
                    .help(format!("did you mean \"{CORES}\"?")),
            );
            None
        }
        DeValue::Integer(number) if number.as_str() == "0" => {
            problems.push(
                Problem::new("`workers` is 0: nobody would do the tasks")
                    .at(value.span(), format!("expected {}", key.kind.expectation()))
                    .help(format!("\"{CORES}\" is the number of usable CPUs")),
            );
            None
        }
        _ => reader::count(key, value, problems).map(narrow),
    }
}

fn runtime(key: &'static Key, value: &Value<'_>, runtimes: &[String], problems: &mut Problems) -> Option<String> {
    let name = reader::text(key, value, problems)?;
    if name == RUST_RUNTIME || runtimes.iter().any(|runtime| runtime == name) {
        return Some(name.to_owned());
    }
    let known: Vec<&str> = std::iter::once(RUST_RUNTIME).chain(runtimes.iter().map(String::as_str)).collect();
    problems.push(
        Problem::new(format!("no [[runtime]] is called {}", quote(name)))
            .at(value.span(), "unknown runtime; a [[runtime]] table with a `name` and a `command` defines one")
            .did_you_mean(name, "runtimes of this file", known),
    );
    None
}
