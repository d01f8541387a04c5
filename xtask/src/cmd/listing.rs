//! Writes `README.md` and `index.html` over all results: a person's way into them. Not a subcommand: whatever makes a result or
//! its page does it.

use std::path::Path;

use crate::matrix::pattern::IdPatterns;
use crate::report::listing::{self, Machine};
use crate::results::atomic;
use crate::results::index::{Entry, entries};
use crate::results::machine::UNKNOWN_MACHINE;
use crate::results::name;
use crate::results::outline::Outline;
use crate::stats::history::{MachineHistory, history};

/// The file names.
pub const README: &str = "README.md";
/// The same for a browser.
pub const PAGE: &str = "index.html";

/// Writes both over a folder of results.
///
/// # Errors
/// The folder cannot be read, or one of them not written.
pub fn write(root: &Path) -> anyhow::Result<()> {
    let mut entries = entries(root)?;
    let outlines: Vec<(String, Outline)> =
        entries.iter_mut().filter_map(|entry| Some((entry.name.clone(), entry.outline.take()?))).collect();
    let all = IdPatterns::new::<String>(&[]).map_err(anyhow::Error::msg)?;
    let histories = history(&outlines, &all).map_err(anyhow::Error::msg)?.machines;
    let machines = machines(&entries, &histories);
    atomic::write(&root.join(README), listing::readme(&entries, &machines).as_bytes())?;
    atomic::write(&root.join(PAGE), listing::page(&machines).as_bytes())
}

/// The results machine by machine, that of the newest result first.
fn machines<'a>(entries: &'a [Entry], histories: &'a [MachineHistory]) -> Vec<Machine<'a>> {
    let mut machines: Vec<Machine<'a>> = Vec::new();
    for entry in entries {
        let fingerprint = name::machine(&entry.name);
        if let Some(known) = machines.iter_mut().find(|machine| machine.fingerprint == fingerprint) {
            known.results.push(entry);
            continue;
        }
        machines.push(Machine {
            fingerprint,
            name: String::new(),
            results: vec![entry],
            history: histories.iter().find(|history| history.fingerprint == fingerprint),
        });
    }
    for machine in &mut machines {
        let known = machine.results.iter().find_map(|entry| entry.environment.as_ref());
        machine.name = known.map_or_else(|| UNKNOWN_MACHINE.to_owned(), |known| known.machine.in_short());
    }
    machines
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::fixtures::{judged, summary};

    #[test]
    fn a_thousand_results_are_listed_with_their_histories() {
        let folder = tempfile::tempdir().unwrap();
        let json = summary(vec![judged()]).to_json();
        for minute in 0..1_000 {
            let name = format!("2026-11-{:02}T{:02}{:02}00Z-3f9c2a1", 1 + minute / 600, minute % 600 / 60, minute % 60);
            let result = folder.path().join(name);
            fs::create_dir(&result).unwrap();
            fs::write(result.join("samples.jsonl"), "").unwrap();
            fs::write(result.join("summary.json"), &json).unwrap();
            fs::write(result.join("report.html"), "").unwrap();
        }
        write(folder.path()).unwrap();
        let readme = fs::read_to_string(folder.path().join(README)).unwrap();
        assert_eq!(readme.lines().filter(|line| line.starts_with("| [2026-")).count(), 1_000);
        assert!(readme.contains("| cpu-bound/model=processes,lock=gil | ▅▅▅▅"), "{}", readme.lines().last().unwrap());
        let page = fs::read_to_string(folder.path().join(PAGE)).unwrap();
        assert_eq!(page.matches("/report.html\"").count(), 1_000);
        assert!(page.contains("1,000 ratios, from 2.90 to 2.90"));
    }

    #[test]
    fn a_folder_without_results_gets_an_index_that_says_so() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        assert!(fs::read_to_string(folder.path().join(PAGE)).unwrap().contains("There is no result yet."));
    }
}
