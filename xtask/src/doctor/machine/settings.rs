//! Limits and settings: descriptors, swap, where results lie, battery, kernel.

use super::facts::Facts;
use super::{Finding, State, finding};
use crate::number::{bytes, grouped};

pub fn findings(facts: &Facts) -> Vec<Finding> {
    let all = [open_files(facts), swap(facts), results(facts), battery(facts), huge_pages(facts)];
    all.into_iter().chain([numa(facts), autogroup(facts), backlog(facts)]).flatten().collect()
}

/// Enough for a thousand connections with both ends on this machine, and some files.
const ENOUGH_FILES: u64 = 4_096;

fn open_files(facts: &Facts) -> Option<Finding> {
    let (soft, hard) = facts.open_files?;
    let found = if soft == u64::MAX { "no limit".to_owned() } else { grouped(soft) };
    if soft >= ENOUGH_FILES {
        return Some(finding("open files", State::Good, found, ""));
    }
    let advice = if hard >= ENOUGH_FILES {
        format!("`ulimit -n {}` in the shell that starts the matrix.", hard.min(65_536))
    } else {
        "Ask root for more: LimitNOFILE of the service, or /etc/security/limits.conf.".to_owned()
    };
    // The matrix needs two for each connection of an HTTP cell, and says so before a cell that has too few.
    let state = if soft < 1_024 { State::Hurts } else { State::Note };
    Some(finding("open files", state, format!("{found} at most: some hundred connections"), &advice))
}

fn swap(facts: &Facts) -> Option<Finding> {
    let (all, used) = facts.swap?;
    Some(match (all, used) {
        (0, _) => finding("swap", State::Good, "none", ""),
        (all, 0) => finding("swap", State::Good, format!("{}, none in use", bytes(all)), ""),
        (all, used) => finding(
            "swap",
            State::Hurts,
            format!(
                "{} of {} in use: memory was short, and who is swapped in waits for the disk",
                bytes(used),
                bytes(all)
            ),
            "End what needs the memory, then `sudo swapoff -a && sudo swapon -a` brings everything back.",
        ),
    })
}

fn results(facts: &Facts) -> Option<Finding> {
    Some(if facts.results_in_memory? {
        finding(
            "results",
            State::Hurts,
            "the folder of results is in memory (tmpfs): they are gone after the next start",
            "Keep them on a disk: `--out DIR`.",
        )
    } else {
        finding("results", State::Good, "on a disk", "")
    })
}

fn battery(facts: &Facts) -> Option<Finding> {
    Some(if facts.on_battery? {
        finding("power", State::Hurts, "from the battery: the processor is kept slow", "Plug it in.")
    } else {
        finding("power", State::Good, "from the mains", "")
    })
}

fn huge_pages(facts: &Facts) -> Option<Finding> {
    let word = facts.huge_pages.as_deref()?;
    Some(if word == "always" {
        finding(
            "huge pages",
            State::Note,
            "always: a program may have them in one run and not in the next, as memory is free",
            "`echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled` until the next start, if work with much \
             memory jumps.",
        )
    } else {
        finding("huge pages", State::Good, word, "")
    })
}

fn numa(facts: &Facts) -> Option<Finding> {
    let (balances, nodes) = facts.numa?;
    if nodes < 2 {
        return None;
    }
    Some(if balances {
        finding(
            "memory nodes",
            State::Note,
            format!("{nodes}, and the kernel moves memory between them while programs run"),
            "`numactl --cpunodebind=0 --membind=0 cargo xtask matrix` stays on one; `sudo sysctl kernel.numa_balancing=0` \
             stops the moving.",
        )
    } else {
        finding("memory nodes", State::Good, format!("{nodes}, and memory stays where it is"), "")
    })
}

fn autogroup(facts: &Facts) -> Option<Finding> {
    facts.autogroup.filter(|on| *on).map(|_| {
        finding(
            "scheduler",
            State::Note,
            "every terminal session gets the same share of the CPUs, however many programs it runs",
            "Nothing to do where nothing else runs; a busy program in another terminal takes half.",
        )
    })
}

/// What the server asks for.
const BACKLOG: u32 = 1_024;

fn backlog(facts: &Facts) -> Option<Finding> {
    let backlog = facts.backlog?;
    Some(if backlog < BACKLOG {
        finding(
            "listen backlog",
            State::Note,
            format!("{backlog} connections may wait to be accepted"),
            "More at once are delayed by a second or more: `sudo sysctl net.core.somaxconn=4096` for cells with many \
             connections.",
        )
    } else {
        finding("listen backlog", State::Good, grouped(u64::from(backlog)), "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_open_files_come_with_the_command_that_is_allowed() {
        let at = |soft, hard| open_files(&Facts { open_files: Some((soft, hard)), ..Facts::default() }).unwrap();
        assert_eq!(at(1_024, 1_048_576).advice.unwrap(), "`ulimit -n 65536` in the shell that starts the matrix.");
        assert_eq!(at(256, 8_192).advice.unwrap(), "`ulimit -n 8192` in the shell that starts the matrix.");
        assert!(at(256, 1_024).advice.unwrap().starts_with("Ask root"));
        assert_eq!([256, 1_024, 65_536].map(|soft| at(soft, 65_536).state), [State::Hurts, State::Note, State::Good]);
        assert_eq!(at(u64::MAX, u64::MAX).found, "no limit");
    }

    #[test]
    fn swap_hurts_only_while_it_is_used() {
        let state = |swap| super::swap(&Facts { swap: Some(swap), ..Facts::default() }).unwrap().state;
        assert_eq!([(0, 0), (1 << 30, 0), (1 << 30, 4096)].map(state), [State::Good, State::Good, State::Hurts]);
    }

    #[test]
    fn one_memory_node_is_not_worth_a_word() {
        assert_eq!(numa(&Facts { numa: Some((true, 1)), ..Facts::default() }), None);
        assert_eq!(numa(&Facts { numa: Some((true, 2)), ..Facts::default() }).unwrap().state, State::Note);
    }
}
