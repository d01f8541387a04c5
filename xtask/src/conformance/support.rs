//! What a worker can do: it is asked for every kind, model, operation, lock and way to listen, and says `ready` or
//! `unsupported`.

use protocol::{HttpModel, Job, Listen, Lock, Model, Ready, Reply, Task};
use serde::Serialize;

use super::ledger::{Breach, Ledger};
use super::rules::Rule;
use super::talk::{Answer, Stop, Talk};
use super::{Inspector, Report, jobs};

/// What a worker can do, in the words of the protocol.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Support {
    /// Batch models, each with its operations.
    pub batch: Vec<(Model, Vec<&'static str>)>,
    /// Emulated locks.
    pub locks: Vec<Lock>,
    /// Models of a server, each with its ways to listen.
    pub serve: Vec<(HttpModel, Vec<Listen>)>,
    /// Whether it is a load generator.
    pub load: bool,
    /// Whether it is a mail server.
    pub mail: bool,
    /// Operations that were not asked for, as they need a server.
    pub not_asked: Vec<&'static str>,
}

/// What the other checks go by.
pub(super) struct Known {
    /// A job that it does.
    pub base: Job,
    /// All batches that it does, in the first shape.
    pub batches: Vec<(Model, Task)>,
    /// Whether it takes a second job.
    pub takes_second_job: bool,
}

/// Asks for one job after another, in one process for as long as that works.
struct Asker<'a, 'b> {
    inspector: &'a Inspector<'a>,
    ledger: &'b mut Ledger,
    talk: Option<Talk>,
    /// Whether this process has been given a job.
    used: bool,
    takes_second_job: bool,
}

/// What became of a job.
enum Fate {
    Ready(Ready),
    Unsupported,
    /// Anything else: it has been noted.
    Broken,
}

impl Asker<'_, '_> {
    fn ask(&mut self, job: &Job, case: &str) -> Result<Fate, Stop> {
        let mut talk = match self.talk.take() {
            Some(talk) => talk,
            None => {
                self.used = false;
                self.inspector.start()?
            }
        };
        let was_used = std::mem::replace(&mut self.used, true);
        let answer = talk.job(job)?;
        let fate = match answer {
            Answer::Reply(Reply::Ready(ready)) => {
                self.ledger.note(Rule::Job, Ok(()));
                Fate::Ready(ready)
            }
            Answer::Reply(Reply::Unsupported { message }) => {
                let said = match message.trim().is_empty() {
                    false => Ok(()),
                    true => Err(talk.breach(case, "`unsupported` with a sentence for a person as its `message`")),
                };
                self.ledger.note(Rule::Job, said);
                Fate::Unsupported
            }
            // It may refuse a second job; a new process has none yet.
            _ if was_used => {
                let breach = talk.breach(case, "`ready` or `unsupported`: the second job in one process");
                talk.end();
                let again = self.ask(job, case)?;
                if !matches!(again, Fate::Broken) {
                    self.takes_second_job = false;
                    self.ledger.note(Rule::SecondJob, Err(breach));
                }
                return Ok(again);
            }
            _ => {
                self.ledger.note(Rule::Job, Err(talk.breach(case, "`ready` or `unsupported`")));
                talk.end();
                return Ok(Fate::Broken);
            }
        };
        if self.takes_second_job {
            self.talk = Some(talk);
        } else {
            talk.end();
        }
        Ok(fate)
    }

    fn is_ready(&mut self, job: &Job, case: &str) -> Result<bool, Stop> {
        Ok(matches!(self.ask(job, case)?, Fate::Ready(_)))
    }
}

/// Asks for everything. `None` when it does nothing at all, which is noted.
pub(super) fn ask(
    inspector: &Inspector<'_>,
    folder: &jobs::Folder,
    ledger: &mut Ledger,
    report: &mut Report,
) -> Result<Option<Known>, Stop> {
    if let Err(breach) = introduction(inspector)? {
        ledger.note(Rule::Started, Err(breach));
        return Ok(None);
    }
    ledger.note(Rule::Started, Ok(()));
    let mut asker = Asker { inspector, ledger, talk: None, used: false, takes_second_job: true };
    let mut first: Option<(Job, Ready)> = None;
    let mut batches = Vec::new();
    let support = &mut report.support;
    support.not_asked = jobs::NEED_A_SERVER.to_vec();
    for model in Model::ALL {
        let mut operations = Vec::new();
        for task in jobs::tasks(folder) {
            let op = task.op();
            let job = Job::Batch(jobs::batch(*model, task.clone(), jobs::SHAPES[0]));
            let Fate::Ready(ready) = asker.ask(&job, &format!("{model}, {op}"))? else { continue };
            operations.push(op);
            batches.push((*model, task));
            first.get_or_insert((job, ready));
        }
        if !operations.is_empty() {
            support.batch.push((*model, operations));
        }
    }
    for model in HttpModel::ALL {
        let mut ways = Vec::new();
        for listen in Listen::ALL {
            let job = Job::Serve(jobs::serve(*model, *listen));
            if let Fate::Ready(ready) = asker.ask(&job, &format!("serve: {model}, {listen}"))? {
                ways.push(*listen);
                first.get_or_insert((job, ready));
            }
        }
        if !ways.is_empty() {
            support.serve.push((*model, ways));
        }
    }
    for job in [jobs::any_load(), jobs::mail()] {
        let (case, is) = match job {
            Job::Load(_) => ("load", &mut support.load),
            _ => ("mail", &mut support.mail),
        };
        if let Fate::Ready(ready) = asker.ask(&job, case)? {
            *is = true;
            first.get_or_insert((job, ready));
        }
    }
    let Some((base, ready)) = first else {
        let nothing = "`ready` for some job of kind `batch`, `serve`, `load` or `mail`";
        let breach = Breach {
            case: "all kinds, models and operations".to_owned(),
            sent: Vec::new(),
            answered: "never `ready`".to_owned(),
            expected: nothing.to_owned(),
            stderr_tail: Vec::new(),
        };
        asker.ledger.note(Rule::SomeKind, Err(breach));
        asker.talk.map(Talk::end);
        return Ok(None);
    };
    asker.ledger.note(Rule::SomeKind, Ok(()));
    for lock in Lock::ALL {
        if let Some(job) = with_lock(&base, *lock)
            && asker.is_ready(&job, &format!("lock {lock}"))?
        {
            support.locks.push(*lock);
        }
    }
    let takes_second_job = asker.takes_second_job;
    asker.talk.map(Talk::end);
    if takes_second_job {
        ledger.note(Rule::SecondJob, Ok(()));
    }
    (report.worker, report.runtime) = (Some(ready.worker.clone()), Some(ready.runtime.clone()));
    Ok(Some(Known { base, batches, takes_second_job }))
}

/// A first line, to see whether there is anybody: whatever it answers, it is a message of the protocol.
fn introduction(inspector: &Inspector<'_>) -> Result<Result<(), Breach>, Stop> {
    let mut talk = inspector.start()?;
    let job = Job::Batch(jobs::batch(Model::Sequential, Task::Burn { iterations: 1 }, jobs::SHAPES[0]));
    let answer = talk.job(&job)?;
    let result = match answer {
        Answer::Reply(_) => Ok(()),
        _ => Err(talk.breach("the first line", "one line with a message of the protocol")),
    };
    talk.end();
    Ok(result)
}

/// The same job under another lock; `None` where there is none.
fn with_lock(job: &Job, lock: Lock) -> Option<Job> {
    let mut job = job.clone();
    match &mut job {
        Job::Batch(batch) => batch.lock = lock,
        Job::Serve(serve) => serve.lock = lock,
        Job::Load(_) | Job::Mail(_) => return None,
    }
    Some(job)
}
