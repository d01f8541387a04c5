//! Runs a plan: cell after cell, no two at the same time, and tells what happens as typed events.
//!
//! This is the only stage that starts processes.

pub mod event;
pub mod failure;
