//! The services of a launcher: found once, started when a cell needs them, kept where starting costs much.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::Service;
use super::postgres::{self, Postgres};
use super::programs::{self, Program};
use super::scratch;
use super::session::{Held, Surrounded};
use super::spoken::Spoken;
use crate::engine::binaries::{MAIL_SINK, NotFound, SERVER};
use crate::engine::event::Note;
use crate::engine::failure::{Failure, FailureKind};
use crate::engine::launcher::ServicedDuty;
use crate::engine::spawn::WorkerCommand;
use crate::engine::starter::Starter;
use crate::matrix::plan::Need;

/// What was found, and what runs between cells.
#[derive(Debug)]
pub(in crate::engine) struct Stock {
    /// Where folders are made for tasks that name none.
    folder: PathBuf,
    programs: BTreeMap<Need, Result<Program, NotFound>>,
    postgres: Option<Rc<RefCell<Postgres>>>,
    notes: Vec<Note>,
}

impl Default for Stock {
    fn default() -> Self {
        Self::new(std::env::temp_dir())
    }
}

impl Stock {
    /// Nothing found yet.
    pub(in crate::engine) fn new(folder: PathBuf) -> Self {
        Self { folder, programs: BTreeMap::new(), postgres: None, notes: Vec::new() }
    }

    /// What a cell needs, found and not started. `own` finds programs of ours.
    ///
    /// # Errors
    /// Something is missing.
    pub(in crate::engine) fn surround(
        &mut self,
        duty: &ServicedDuty<'_>,
        starter: &Starter,
        own: &dyn Fn(&'static str) -> Result<WorkerCommand, Failure>,
    ) -> Result<Surrounded, Failure> {
        let mut around = Surrounded::default();
        for need in &duty.needs {
            match need {
                Need::Postgres => {
                    let service = self.postgres(starter)?;
                    around.services.push(Held { service, kept: true });
                }
                Need::Mail { delay } => {
                    let server = Spoken::mail(own(MAIL_SINK)?, *delay, starter.clone());
                    around.services.push(Held::new(server));
                }
                Need::Http { io, cpu } => {
                    let burning = (duty.cores, duty.rate);
                    let server = Spoken::http(own(SERVER)?, (*io, *cpu), burning, starter.clone());
                    around.services.push(Held::new(server));
                }
                Need::ImageMagick | Need::Program(_) => {
                    let program = self.program(need)?;
                    around.endpoints.programs.insert(need.clone(), program);
                }
                Need::Folder(base) => {
                    let base = base.clone().unwrap_or_else(|| self.folder.clone());
                    let system = scratch::file_system(&base).unwrap_or_else(|| "unknown".to_owned());
                    self.note("scratch folders", format!("{system} file system"));
                    around.folder = Some(base);
                }
            }
        }
        Ok(around)
    }

    /// Ends what was kept, as the cells that may need it are over; tells what a person should know about that.
    pub(in crate::engine) fn end(&mut self) -> Vec<String> {
        self.postgres.take().map(|postgres| postgres.borrow_mut().close()).unwrap_or_default()
    }

    /// What was found since it was asked last.
    pub(in crate::engine) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    fn note(&mut self, name: &str, found: String) {
        let note = Note::Service { name: name.to_owned(), found };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn postgres(&mut self, starter: &Starter) -> Result<Rc<RefCell<dyn Service>>, Failure> {
        if let Some(postgres) = &self.postgres {
            return Ok(Rc::clone(postgres) as Rc<RefCell<dyn Service>>);
        }
        let found = postgres::find().map_err(|missing| {
            let reason = format!("{missing}, or set {} to a server that runs", postgres::URL_VARIABLE);
            Failure::new(FailureKind::Missing, reason)
        })?;
        self.note("postgres", found.describe());
        let postgres = Rc::new(RefCell::new(Postgres::new(found, starter.clone())));
        self.postgres = Some(Rc::clone(&postgres));
        Ok(postgres)
    }

    fn program(&mut self, need: &Need) -> Result<PathBuf, Failure> {
        let found = self.programs.entry(need.clone()).or_insert_with(|| match need {
            Need::ImageMagick => programs::find_image_magick(),
            Need::Program(name) if name == "zip" => programs::find_zip(),
            Need::Program(name) => programs::find(name),
            _ => unreachable!("{need:?} is no program"),
        });
        match found.clone() {
            Ok(Program { path, version }) => {
                if let Some(version) = version {
                    let name = if *need == Need::ImageMagick { "convert" } else { "zip" };
                    self.note(name, format!("{version}, {}", path.display()));
                }
                Ok(path)
            }
            Err(missing) => Err(Failure::new(FailureKind::Missing, missing.to_string())),
        }
    }
}
