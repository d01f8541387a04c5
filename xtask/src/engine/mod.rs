//! Runs a plan: cell after cell, no two at the same time, and tells what happens as typed events.
//!
//! This is the only stage that starts processes. From top to bottom:
//!
//! | file | what lives there |
//! | --- | --- |
//! | [`schedule`] | plan and seed → the order of all repetitions; pure |
//! | [`run`](mod@run) | walks the schedule, emits events, decides what a failure means for the rest |
//! | `progress` | where the walk stands, and what is still to be made |
//! | [`options`] | what is chosen for a run, and how it ended |
//! | [`twins`] | which baselines are measured twice |
//! | [`before`] | what an earlier part of the same result has |
//! | [`answer`] | whether a sample can be an answer to its job |
//! | [`probe`] | what each runtime is: asked once, before anything is measured |
//! | [`calibrate`], [`capacity`], [`counting`] | CPU time → iterations, shares of a server's capacity → rates, time → a number of tasks, by ordinary jobs |
//! | [`calibrations`] | what was measured so, and what it turns a cell into |
//! | [`launcher`] | the seam: what the walk needs of whoever starts workers |
//! | [`scripted`] | a launcher without processes, for tests |
//! | [`workers`] | the launcher with processes |
//! | [`conversation`] | the conversation with one process that speaks the protocol |
//! | [`dialogue`] | raw lines to and from one, for the conformance check |
//! | `session`, `http` | a batch cell, and an HTTP cell with its server and client |
//! | [`service`] | what a batch cell needs around its worker: servers, programs, a folder |
//! | `starter` | what all processes of a launcher have in common |
//! | [`spawn`], [`process`], `pipes`, [`lines`], [`ending`], [`linux`] | one process: its pipes, its end, its orphans |
//! | [`ask`] | one question to a program, such as its version |
//! | [`signals`] | Ctrl-C and Ctrl-Z |
//! | [`binaries`], [`build`] | which program a cell needs, and how it is built |
//! | [`machine`], `busy` | what the machine did around a repetition |
//! | [`disturbance`] | whether that was too much |
//! | [`lock`] | one matrix at a time on a machine |
//! | [`event`], [`failure`] | what the engine tells |

pub mod answer;
pub mod ask;
pub mod before;
pub mod binaries;
pub mod build;
mod busy;
pub mod calibrate;
pub mod calibrations;
pub mod capacity;
pub mod conversation;
pub mod counting;
pub mod dialogue;
pub mod disturbance;
pub mod ending;
pub mod event;
pub mod failure;
mod http;
pub mod launcher;
pub mod lines;
pub mod linux;
pub mod lock;
pub mod machine;
pub mod options;
mod pipes;
pub mod probe;
pub mod process;
mod progress;
pub mod run;
pub mod schedule;
pub mod scripted;
pub mod service;
mod session;
pub mod signals;
pub mod spawn;
mod starter;
pub mod twins;
pub mod workers;

pub use options::{Options, Outcome};
pub use run::{run, run_on};
