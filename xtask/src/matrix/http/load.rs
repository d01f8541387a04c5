//! `load`: what is asked of a server, and how often.

use std::time::Duration;

use protocol::Arrivals;

use super::super::entries::{Entries, Entry};
use super::super::parse::keys;
use super::super::plan::{LoadSpec, PaceSpec};
use super::super::problem::{Problem, Problems};
use super::super::reader::{self, Value};
use super::super::setting::narrow;
use super::super::vocabulary::http::{HTTP, LOAD};
use super::rate;
use super::request::{header_name, requests};

const TIMEOUT: Duration = Duration::from_secs(10);
const DRAIN: Duration = Duration::from_secs(2);

/// What to do about a load that says not how often.
const WHICH_LOOP: &str = "`requests` is a closed loop: each connection waits for its answer; `rate` with `duration` is an \
                          open loop: requests are sent by the clock";

/// Reads a load and its label. Of a key that is an axis, the first value is taken: the axis has them all.
pub fn read(value: &Value<'_>, problems: &mut Problems) -> Option<(LoadSpec, String)> {
    let Some(table) = value.get_ref().as_table() else {
        problems.push(reader::unexpected(HTTP.key("load")?, value));
        return None;
    };
    let before = problems.len();
    let entries = Entries::read(LOAD.header, &keys(&LOAD), value.span(), table, problems);
    entries.require(LOAD.header, &keys(&LOAD), problems);
    entries.require_one_of(LOAD.header, LOAD.one_of, WHICH_LOOP, problems);
    let pace = pace(&entries, problems);
    let label = match entries.get("label") {
        Some(entry) => reader::name(entry.key, entry.value, problems),
        None => Some(if entries.get("rate").is_some() { "open" } else { "closed" }.to_owned()),
    };
    let requests = requests(&entries, problems);
    let connections = entries.get("connections");
    let connections = connections.and_then(|entry| reader::count(entry.key, first(entry)?, problems));
    let mut count = |name| entries.get(name).and_then(|entry| reader::count(entry.key, entry.value, problems));
    let (threads, status) = (count("threads"), count("status"));
    let mut time = |name| entries.get(name).and_then(|entry| reader::time(entry.key, entry.value, problems));
    let (timeout, drain) = (time("timeout"), time("drain"));
    let expect_body = entries.get("expect_body").and_then(|entry| reader::text(entry.key, entry.value, problems));
    let worker_header = entries.get("worker_header").and_then(|entry| header_name(entry, problems));
    check_threads(&entries, threads.unwrap_or(1), problems);
    if problems.len() > before {
        return None;
    }
    let load = LoadSpec {
        connections: narrow(connections?),
        threads: threads.map_or(1, narrow),
        pace: pace?,
        requests: requests?,
        timeout: timeout.unwrap_or(TIMEOUT),
        drain: drain.unwrap_or(DRAIN),
        status: status.and_then(|status| u16::try_from(status).ok()),
        expect_body: expect_body.map(str::to_owned),
        worker_header,
    };
    Some((load, label?))
}

/// The value of a key, or the first of its values. `None` if there is none, which the reader of axes notes.
fn first<'d>(entry: &Entry<'d>) -> Option<&'d Value<'d>> {
    match entry.value.get_ref().as_array() {
        Some(array) => array.iter().next(),
        None => Some(entry.value),
    }
}

/// When requests are sent. Notes keys of one loop that stand beside those of the other.
fn pace(entries: &Entries<'_>, problems: &mut Problems) -> Option<PaceSpec> {
    let duration = entries.get("duration").and_then(|entry| reader::time(entry.key, entry.value, problems));
    if let Some(entry) = entries.get("rate") {
        let (rate, _) = rate::read(entry.key, first(entry)?, problems)?;
        let arrivals = entries.get("arrivals").and_then(|entry| reader::word(entry.key, first(entry)?, problems));
        if entries.is_missing("duration") {
            problems.push(
                Problem::new("`load` has a `rate` and no `duration`")
                    .at(entry.key_span.clone(), "for how long?")
                    .help("write `duration = \"5s\"` beside it"),
            );
        }
        let arrivals = arrivals.and_then(Arrivals::from_name).unwrap_or(Arrivals::Poisson);
        return Some(PaceSpec::Open { rate, duration: duration?, arrivals });
    }
    let requests = entries.get("requests")?;
    for other in ["duration", "arrivals"] {
        if let Some(entry) = entries.get(other) {
            problems.push(
                Problem::new(format!("`{other}` says nothing in a closed loop"))
                    .at(entry.key_span.clone(), "goes with `rate`")
                    .at(requests.key_span.clone(), "a closed loop ends after this many requests"),
            );
        }
    }
    Some(PaceSpec::Closed { requests: reader::count(requests.key, first(requests)?, problems)? })
}

/// A thread of the client without a connection would do nothing.
fn check_threads(entries: &Entries<'_>, threads: u64, problems: &mut Problems) {
    let Some(connections) = entries.get("connections") else { return };
    let values: Vec<&Value<'_>> = match connections.value.get_ref().as_array() {
        Some(array) => array.iter().collect(),
        None => vec![connections.value],
    };
    // What is no number is noted elsewhere.
    let number =
        |value: &&Value<'_>| value.get_ref().as_integer().and_then(|n| n.as_str().replace('_', "").parse().ok());
    let few = values.into_iter().find(|value| number(value).is_some_and(|count: u64| count < threads && count > 0));
    if let (Some(few), Some(entry)) = (few, entries.get("threads")) {
        problems.push(
            Problem::new("the client has more `threads` than `connections`")
                .at(entry.value.span(), "some of them would have nothing to do")
                .at(few.span(), "so many connections"),
        );
    }
}
