//! Load generators: what they send, count, and hold against what must be answered.

use std::net::{Ipv4Addr, TcpListener};

use protocol::{Arrivals, ErrorKind, Expect, Job, LoadJob, LoadSample, Pace, Reply};

use super::jobs;
use super::ledger::{Breach, Ledger};
use super::life::{ends_well, nothing_left};
use super::rules::Rule;
use super::talk::{Answer, Stop, Talk};
use super::target::Target;
use super::{Inspector, Support};

const CLOSED: Pace = Pace::Closed { requests: 21 };
/// Four requests, by the test vector of the protocol.
const OPEN: Pace = Pace::Open { rate_per_s: 400.0, duration_ns: 10_000_000, arrivals: Arrivals::Constant, seed: 1 };
/// Thirteen requests, by the test vector of the protocol.
const POISSON: Pace = Pace::Open { rate_per_s: 1000.0, duration_ns: 10_000_000, arrivals: Arrivals::Poisson, seed: 1 };

pub(super) fn check(inspector: &Inspector<'_>, support: &Support, ledger: &mut Ledger) -> Result<(), Stop> {
    if !support.load {
        ledger.not_checked(Rule::LoadCounts, "it is no load generator");
        return Ok(());
    }
    for (case, pace, requests) in [("closed", CLOSED, 21), ("open", OPEN, 4), ("open, poisson", POISSON, 13)] {
        let Ok(target) = Target::start(None) else {
            ledger.not_checked(Rule::LoadCounts, "no port of this machine is free");
            return Ok(());
        };
        let mut talk = inspector.start()?;
        if let Some(first) = load(&mut talk, &job(&target, pace.clone()), case, ledger)? {
            let right = first.completed == requests
                && first.sent == requests
                && first.latency.count == requests
                && first.errors.is_empty()
                && first.by_worker == [("00".to_owned(), requests)].into();
            let seen = target.seen();
            let expected = format!("`sent`, `completed` and `latency.count` {requests}, all by worker 00, no errors");
            let result = match (right, seen.1 == requests) {
                (true, true) => Ok(()),
                (false, _) => Err(talk.breach(case, expected)),
                (true, false) => Err(talk.breach_by(case, format!("the server saw {} requests", seen.1), expected)),
            };
            ledger.note(Rule::LoadCounts, result);
            let again = talk.run(false)?;
            let connections = target.seen().0;
            let result = match again {
                Answer::Reply(Reply::Load(_)) if connections == seen.0 => Ok(()),
                Answer::Reply(Reply::Load(_)) => {
                    let did = format!("{connections} connections after two runs, {} after the first", seen.0);
                    Err(talk.breach_by(case, did, "no new connection"))
                }
                _ => Err(talk.breach(case, "`load`")),
            };
            ledger.note(Rule::LoadKeeps, result);
            ledger.note(Rule::EndWithJob, ends_well(&mut talk, case, inspector.limits.exit)?);
        }
        ledger.note(Rule::Children, nothing_left(talk, case));
    }
    errors(inspector, ledger)
}

/// A wrong answer, and nobody who answers.
fn errors(inspector: &Inspector<'_>, ledger: &mut Ledger) -> Result<(), Stop> {
    if let Ok(target) = Target::start(Some(5)) {
        let errors = [(ErrorKind::WrongBody, 1)];
        counted(inspector, &job(&target, CLOSED), "the fifth answer is wrong", &errors, 20, ledger)?;
    }
    // A port that was free a moment ago.
    if let Ok(port) = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr()) {
        let job = LoadJob { connections: 1, ..nobody(format!("127.0.0.1:{}", port.port())) };
        counted(inspector, &job, "nobody listens", &[(ErrorKind::Refused, 2)], 0, ledger)?;
    }
    Ok(())
}

fn counted(
    inspector: &Inspector<'_>,
    job: &LoadJob,
    case: &str,
    errors: &[(ErrorKind, u64)],
    completed: u64,
    ledger: &mut Ledger,
) -> Result<(), Stop> {
    let mut talk = inspector.start()?;
    if let Some(sample) = load(&mut talk, job, case, ledger)? {
        let right = sample.completed == completed && sample.errors == errors.iter().copied().collect();
        let expected = format!("`completed` {completed} and `errors` {errors:?}");
        ledger.note(Rule::LoadChecks, if right { Ok(()) } else { Err(talk.breach(case, expected)) });
    }
    talk.end();
    Ok(())
}

fn job(target: &Target, pace: Pace) -> LoadJob {
    jobs::load(target.address(), pace, Expect::Burn { workers: 1, iterations: 0 })
}

fn nobody(address: String) -> LoadJob {
    jobs::load(address, Pace::Closed { requests: 2 }, Expect::Status { status: None, body: None })
}

/// A job and its first run.
fn load(talk: &mut Talk, job: &LoadJob, case: &str, ledger: &mut Ledger) -> Result<Option<LoadSample>, Stop> {
    if let Err(breach) = talk.prepare(&Job::Load(job.clone()), case)? {
        ledger.note(Rule::Job, Err(breach));
        return Ok(None);
    }
    Ok(match talk.run(false)? {
        Answer::Reply(Reply::Load(sample)) => Some(*sample),
        _ => {
            let breach: Breach = talk.breach(case, "`load`");
            ledger.note(Rule::LoadCounts, Err(breach));
            None
        }
    })
}
