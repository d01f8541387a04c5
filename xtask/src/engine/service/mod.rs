//! What a cell needs around its worker: servers that are started for it, programs that must be there, and a folder.
//!
//! | file | what lives there |
//! | --- | --- |
//! | here | what a service is |
//! | `stock` | finds and keeps the services of a launcher |
//! | `session` | a batch cell with its services |
//! | `spoken` | our own mail server and HTTP server, which speak the worker protocol |
//! | [`postgres`] | PostgreSQL: one that runs already, or a throw-away cluster |
//! | [`programs`] | programs on the PATH, their versions, and how to get them |
//! | [`scratch`] | folders that are removed, at the latest by the next run |
//!
//! Two cells never live at the same time; a service is no cell. A server that starts quickly is started for each process
//! of a cell and ended after it. A PostgreSQL cluster takes a second or two, so it is kept while cells of its scenario
//! run: when nobody asks it, it sleeps.

pub mod postgres;
pub mod programs;
pub mod scratch;
pub(super) mod session;
mod spoken;
pub(super) mod stock;

use std::fmt;

use super::failure::FailureKind;
use super::launcher::Halt;
use super::process::Process;
use crate::matrix::plan::Endpoints;

/// A server that a cell needs.
pub(super) trait Service: fmt::Debug {
    /// Starts it, if it does not run, and waits until it can be asked.
    fn start(&mut self) -> Result<(), Halt>;

    /// Says where it is.
    fn offer(&self, endpoints: &mut Endpoints);

    /// Its process, where it has one of ours.
    fn process(&mut self) -> Option<&mut Process>;

    /// Ends it because a cell has failed by its fault, and says why, with the last lines that it wrote.
    fn fail(&mut self, kind: FailureKind, reason: String) -> Halt;

    /// Ends it, if it runs, and all that it started; tells what a person should know about that.
    fn close(&mut self) -> Vec<String>;
}
