//! How the keys of an `[[http]]` scenario go together.

use std::time::Duration;

use super::super::entries::Entries;
use super::super::nearest::nearest;
use super::super::plan::PaceSpec;
use super::super::problem::{Problem, Problems, list};
use super::super::setting::Setting;
use super::super::vocabulary::http::{OWN_SERVER, VAR};
use super::super::written::Dimension;
use super::placeholder;
use super::server::ServerTemplate;

/// Notes what does not go together in a scenario. `timeout` is that of a run.
pub fn check(entries: &Entries<'_>, dimensions: &[Dimension], timeout: Duration, problems: &mut Problems) {
    foreign_keys(entries, problems);
    if let (Some(cpu), Some(iterations)) = (entries.get("cpu"), entries.get("iterations")) {
        problems.push(
            Problem::new("an HTTP scenario takes `cpu` or `iterations`, not both")
                .at(iterations.key_span.clone(), "the same work a second time")
                .at(cpu.key_span.clone(), "stated here already"),
        );
    }
    checks_of_answers(entries, problems);
    placeholders(entries, dimensions, problems);
    durations(dimensions, timeout, problems);
}

/// Keys about our own server beside one that is not ours, and `vars` without a command.
fn foreign_keys(entries: &Entries<'_>, problems: &mut Problems) {
    let server = entries.get("server").or_else(|| entries.get("target"));
    if let Some(server) = server {
        // `model` has been noted already: it is one of the three that exclude each other.
        for entry in entries.iter().filter(|entry| OWN_SERVER.contains(&entry.key.name) && entry.key.name != "model") {
            let name = entry.key.name;
            let problem = Problem::new(format!(
                "`{name}` is about our own server, and this scenario has a `{}`",
                server.key.name
            ))
            .at(entry.key_span.clone(), "nobody would follow it")
            .at(server.key_span.clone(), "not our own server");
            problems.push(match server.key.name {
                "server" => {
                    problem.help(format!("`vars = {{ {name} = … }}` and `{{{name}}}` in the command tell your server"))
                }
                _ => problem,
            });
        }
    }
    if let (Some(vars), None) = (entries.get("vars"), entries.get("server")) {
        problems.push(
            Problem::new("`vars` without `server`")
                .at(vars.key_span.clone(), "they stand for placeholders of its command"),
        );
    }
}

/// Our own server's answers are checked whole, so nothing can be asked of them.
fn checks_of_answers(entries: &Entries<'_>, problems: &mut Problems) {
    let (Some(model), Some(load)) = (entries.get("model"), entries.get("load")) else { return };
    let tables: Vec<_> = match load.value.get_ref().as_array() {
        Some(array) => array.iter().filter_map(|value| value.get_ref().as_table()).collect(),
        None => load.value.get_ref().as_table().into_iter().collect(),
    };
    for (key, _) in tables.into_iter().flatten() {
        if ["status", "expect_body", "worker_header"].contains(&key.get_ref().as_ref()) {
            problems.push(
                Problem::new(format!("`{}` is for servers that are not ours", key.get_ref()))
                    .at(key.span(), "our own server's answers are checked whole")
                    .at(model.key_span.clone(), "our own server"),
            );
        }
    }
}

/// Placeholders that stand for nothing, commands without a port, vars that nobody uses.
fn placeholders(entries: &Entries<'_>, dimensions: &[Dimension], problems: &mut Problems) {
    let vars: Vec<&Dimension> =
        dimensions.iter().filter(|dimension| std::ptr::eq(dimension.key, &raw const VAR)).collect();
    let values = dimensions.iter().flat_map(|dimension| &dimension.values);
    let servers: Vec<&ServerTemplate> = values
        .filter_map(|value| match &value.setting {
            Setting::Server(server) => Some(&**server),
            _ => None,
        })
        .collect();
    if servers.is_empty() {
        return;
    }
    let known: Vec<&str> = vars.iter().map(|var| var.name.as_str()).chain(placeholder::PORTS).collect();
    // A var with a mistake of its own is no dimension; its placeholder is not a second mistake.
    let written = entries.get("vars").and_then(|entry| entry.value.get_ref().as_table());
    let is_written = |name: &str| written.is_some_and(|table| table.keys().any(|key| key.get_ref() == name));
    for server in &servers {
        for (name, span) in &server.placeholders {
            if known.contains(&name.as_str()) || is_written(name) {
                continue;
            }
            let problem =
                Problem::new(format!("nothing is called `{{{name}}}`")).at(span.clone(), "unknown placeholder");
            problems.push(match nearest(name, known.iter().copied()) {
                Some(meant) => problem.help(format!("did you mean `{{{meant}}}`?")),
                None => problem
                    .help(format!("placeholders are {}; `vars = {{ {name} = … }}` would make it one", list(&known))),
            });
        }
        if !placeholder::PORTS.iter().any(|port| server.uses(port)) {
            problems.push(
                Problem::new("the server is not told its port")
                    .at(server.span.clone(), "neither `command` nor `env` has `{port}` or `{ports}`")
                    .help("a free port is chosen for every start; for a server with a port of its own, use `target`"),
            );
        }
    }
    for var in vars {
        if !servers.iter().any(|server| server.uses(&var.name)) {
            let problem = Problem::new(format!("no server uses `{{{}}}`", var.name))
                .at(var.span.clone(), "these values change nothing");
            let used = servers.iter().flat_map(|server| &server.placeholders).map(|(name, _)| name.as_str());
            problems.push(match nearest(&var.name, used.filter(|name| !known.contains(name))) {
                Some(meant) => problem.help(format!("the command has `{{{meant}}}`")),
                None => problem.help("write the placeholder into `command` or `env`, or remove the var"),
            });
        }
    }
}

/// A load that lasts as long as a run may take would fail every time.
fn durations(dimensions: &[Dimension], timeout: Duration, problems: &mut Problems) {
    for dimension in dimensions {
        for value in &dimension.values {
            let Setting::Load(load) = &value.setting else { continue };
            if let PaceSpec::Open { duration, .. } = load.pace
                && duration >= timeout
            {
                problems.push(
                    Problem::new(format!("the load lasts {duration:?}, and a run may take {timeout:?}"))
                        .at(value.span.clone(), "every run would be over time")
                        .help("give the scenario a longer `timeout`"),
                );
            }
        }
    }
}
