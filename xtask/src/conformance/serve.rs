//! Servers: every model with every way to listen that the worker does.

use std::io;

use protocol::{HttpModel, Job, Listen, REQUEST_SEEDS, Reply, Served};

use super::http::Connection;
use super::jobs::{self, ITERATIONS};
use super::ledger::Ledger;
use super::life::nothing_left;
use super::rules::Rule;
use super::talk::{Answer, Stop, Talk};
use super::{Inspector, Support, reference};

/// Requests of each connection: the seeds come round, and more.
const REQUESTS: u64 = REQUEST_SEEDS + 3;
/// Of them, so many are sent before the first answer is read.
const AT_ONCE: u64 = 3;

pub(super) fn check(inspector: &Inspector<'_>, support: &Support, ledger: &mut Ledger) -> Result<(), Stop> {
    if support.serve.is_empty() {
        ledger.not_checked(Rule::ServePorts, "it is no server");
    }
    for (model, ways) in &support.serve {
        for listen in ways {
            let mut talk = inspector.start()?;
            let case = format!("{model}, {listen}");
            server(inspector, &mut talk, (*model, *listen), &case, ledger)?;
            ledger.note(Rule::Children, nothing_left(talk, &case));
        }
    }
    Ok(())
}

fn server(
    inspector: &Inspector<'_>,
    talk: &mut Talk,
    (model, listen): (HttpModel, Listen),
    case: &str,
    ledger: &mut Ledger,
) -> Result<(), Stop> {
    let job = jobs::serve(model, listen);
    let ready = match talk.prepare(&Job::Serve(job.clone()), case)? {
        Ok(ready) => ready,
        Err(breach) => {
            ledger.note(Rule::ServePorts, Err(breach));
            return Ok(());
        }
    };
    let spread = matches!(model, HttpModel::Loops | HttpModel::Processes);
    let ports = if spread && listen == Listen::PerPort { job.workers as usize } else { 1 };
    let mut connections = Vec::new();
    let opened = match ready.ports.len() == ports {
        false => Err(talk.breach(case, format!("`ports` with {ports}"))),
        true => {
            let open = || -> io::Result<Vec<Connection>> {
                (0..2).map(|k| Connection::open(ready.ports[k % ports], inspector.limits.answer)).collect()
            };
            match open() {
                Ok(open) => {
                    connections = open;
                    Ok(())
                }
                Err(error) => Err(talk.breach_by(case, error.to_string(), "every port accepts connections")),
            }
        }
    };
    let is_open = opened.is_ok();
    ledger.note(Rule::ServePorts, opened);
    if !is_open {
        return Ok(());
    }
    let mut told = vec![0; job.workers as usize];
    for connection in &mut connections {
        let result =
            ask(connection, &mut told).map_err(|(answered, expected)| talk.breach_by(case, answered, expected));
        let good = result.is_ok();
        ledger.note(Rule::ServeAnswer, result);
        if !good {
            return Ok(());
        }
    }
    let made = connections.len() as u64;
    let served = |served: &Served, requests: &[u64]| {
        served.requests == requests && served.connections.iter().sum::<u64>() == made
    };
    for requests in [&told[..], &vec![0; told.len()]] {
        let answer = talk.run(false)?;
        let right = matches!(&answer, Answer::Reply(Reply::Served(account)) if served(account, requests));
        let expected = format!("`served` with `requests` {requests:?} and `connections` whose sum is {made}");
        ledger.note(Rule::ServeServed, if right { Ok(()) } else { Err(talk.breach(case, expected)) });
    }
    talk.close_stdin();
    let closed = connections.iter_mut().all(|connection| connection.is_closed_within(inspector.limits.exit));
    let (wrote, status) = talk.wait_for_end(inspector.limits.exit)?;
    let result = match (wrote, status) {
        (None, Some(status)) if status.success() && closed => Ok(()),
        (Some(line), _) => Err(talk.breach_by(case, line, "nothing more, as nobody asked")),
        (None, _) if !closed => Err(talk.breach_by(case, "a connection stayed open", "it is closed")),
        _ => Err(talk.breach(case, "it exits with status 0")),
    };
    ledger.note(Rule::ServeEnd, result);
    Ok(())
}

/// Makes the requests of a connection and holds every answer against what it must be. Counts them by worker. The error
/// is what was answered, and what was expected.
fn ask(connection: &mut Connection, told: &mut [u64]) -> Result<(), (String, String)> {
    let mut sent = 0;
    for k in 0..REQUESTS {
        let now = if k == 0 { AT_ONCE } else { u64::from(sent == k) };
        let expected = format!("{:06x}", digits(k));
        let what = || format!("200 and two digits of the worker, then {expected} (request {k} of its connection)");
        let fail = |error: io::Error| (error.to_string(), what());
        if now > 0 {
            connection.send(usize::try_from(now).unwrap_or(1)).map_err(fail)?;
            sent += now;
        }
        let response = connection.receive().map_err(fail)?;
        let worker = response.body.get(..2).and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let right = response.status == 200 && response.body.get(2..) == Some(&expected) && !response.closes;
        match worker.and_then(|worker| told.get_mut(worker)).filter(|_| right) {
            Some(count) => *count += 1,
            None => return Err((format!("{response:?}"), what())),
        }
    }
    Ok(())
}

/// The low 24 bits of the burn of the k-th request of a connection.
fn digits(k: u64) -> u64 {
    let seed = u32::try_from(k % REQUEST_SEEDS).expect("there are few seeds");
    reference::burn(seed, ITERATIONS) & 0xff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_vectors_of_the_protocol_come_out() {
        let all: Vec<String> = (0..9).map(|k| format!("{:06x}", digits(k))).collect();
        let vectors = ["733634", "dc5dd5", "458576", "aead17", "17d4b8", "80fc59", "ea23fa", "534b9b", "733634"];
        assert_eq!(all, vectors);
    }
}
