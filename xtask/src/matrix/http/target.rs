//! `target`: a server that runs already.

use super::super::address;
use super::super::plan::RunningServer;
use super::super::problem::Problems;
use super::super::reader::Value;
use super::super::setting::Surroundings;
use super::super::vocabulary::Key;

/// Reads a target and looks its address up.
pub fn read(key: &Key, value: &Value<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Option<RunningServer> {
    let address = address::read(key, value, around, problems)?;
    Some(RunningServer { target: format!("http://{}", address.authority), address: address.socket })
}
