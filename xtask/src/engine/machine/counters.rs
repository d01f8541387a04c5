//! Counters of the kernel in its text files: reads a file again and again, and finds the number in it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::str::FromStr;

use crate::results::linux;

/// The whole of a small file, from its start.
pub(in crate::engine) fn read(file: &File) -> Option<String> {
    let mut bytes = vec![0; 16 * 1024];
    let mut length = 0;
    loop {
        match file.read_at(&mut bytes[length..], length as u64).ok()? {
            0 => break,
            n => length += n,
        }
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
    }
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}

/// The `steal` column of all CPUs together, in clock ticks: proc_stat(5).
pub(in crate::engine) fn stolen_ticks(stat: &str) -> Option<u64> {
    linux::cpu_ticks(stat)?.get(7).copied()
}

/// The number on the line that begins with this word, as in `/proc/stat` and `cpu.stat`.
pub(in crate::engine) fn number<T: FromStr>(stat: &str, word: &str) -> Option<T> {
    stat.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))?.trim().parse().ok()
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=42`, the total in microseconds: Documentation/accounting/psi.rst.
pub(in crate::engine) fn pressure_ns(pressure: &str) -> Option<u64> {
    let some = pressure.lines().find_map(|line| line.strip_prefix("some "))?;
    let total: u64 = some.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()?;
    total.checked_mul(1_000)
}

/// `throttled_usec` of control groups version 2, or `throttled_time` (nanoseconds) of version 1.
pub(in crate::engine) fn throttled_ns(stat: &str) -> Option<u64> {
    number(stat, "throttled_usec").map(|usec: u64| usec * 1000).or_else(|| number(stat, "throttled_time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  15124 0 4413 161311 289 0 68 18 0 0\ncpu0 7442 0 2006 81074 39 0 4 9 0 0\n\
                        intr 1 2 3\nctxt 5\nprocs_running 3\nprocs_blocked 0\n";

    #[test]
    fn steal_is_the_eighth_number_of_the_line_for_all_cpus() {
        assert_eq!(stolen_ticks(STAT), Some(18));
        assert_eq!(stolen_ticks("cpu  1 2 3\n"), None);
    }

    #[test]
    fn the_run_queue_is_what_runs_or_could() {
        assert_eq!(number::<u32>(STAT, "procs_running"), Some(3));
        assert_eq!(number::<u64>(STAT, "ctxt"), Some(5));
        assert_eq!(number::<u64>(STAT, "proc"), None);
    }

    #[test]
    fn both_versions_of_control_groups_tell_throttled_time() {
        assert_eq!(throttled_ns("usage_usec 5\nnr_throttled 1\nthrottled_usec 7\n"), Some(7000));
        assert_eq!(throttled_ns("nr_periods 0\nnr_throttled 0\nthrottled_time 9\n"), Some(9));
        assert_eq!(throttled_ns("usage_usec 5\n"), None);
    }

    #[test]
    fn pressure_is_told_in_microseconds() {
        let text = "some avg10=3.28 avg60=2.56 avg300=1.74 total=33\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(pressure_ns(text), Some(33_000));
        assert_eq!(pressure_ns("full total=7\n"), None);
    }
}
