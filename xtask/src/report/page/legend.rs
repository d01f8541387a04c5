//! How to read the page: the words and signs that stand on it.

use maud::{Markup, html};

use super::answers::Sureness;
use crate::report::footnotes::flag_word;
use crate::report::http::is_http;
use crate::stats::summary::{Flag, Summary};

/// The legend; only flags that some cell has are explained.
pub(super) fn legend(summary: &Summary) -> Markup {
    let mut flags: Vec<Flag> = summary.cells().flat_map(|cell| cell.flags.iter().copied()).collect();
    flags.sort_unstable();
    flags.dedup();
    html! {
        h2 id="legend" { "How to read this" }
        dl.facts {
            dt { "median" } dd { "the middle one of the counted runs; warm-ups never count. It opens to its runs." }
            dt { "ratio" } dd { "speed: above 1.00 is faster than the baseline, the first of its comparison unless another is named." }
            dt { "interval" } dd { "where the true ratio lies: intervals that are made like this cover it as often as is said below the table." }
            dt { "noise floor" } dd { "how far two equal cells seem to differ on this machine. A change that is not larger is never called one." }
            dt { "▲ faster, ▼ slower" } dd { "the interval excludes 1, and the change exceeds the noise floor." }
            dt { "? unresolved" } dd { "cannot be told from the baseline. It never means equal." }
            @for sureness in Sureness::ALL { dt { (sureness.word()) } dd { (sureness.meaning()) } }
            dt { "cores" } dd { "CPU time over the time it covers: how many cores were really used." }
            dt { "peak mem" } dd { "the largest memory of all processes of a worker together." }
            dt { "limited by" } dd { "what holds a cell back, as far as its figures tell; its median opens to the evidence." }
            @if summary.scenarios.iter().any(is_http) {
                dt { "req/s" } dd { "right answers a second." }
                dt { "p50, p95, p99" } dd { "half, 95 % and 99 % of the right answers took no longer. In an open loop from when the request should have been sent." }
                dt { "≥ and ≤" } dd { "the load generator held one side back: the true ratio is at least, or at most, this." }
            }
            dt { "–" } dd { "not known, or does not apply. It is never 0." }
            dt { "gil, gvl" } dd { "emulations of CPython's and Ruby's lock, unless the runtime is an interpreter." }
        }
        @if !flags.is_empty() {
            h3 { "Flags" }
            dl.facts {
                @for flag in flags { dt id={ "flag-" (flag_word(flag)) } { (flag_word(flag)) } dd { (meaning(flag)) } }
            }
        }
    }
}

/// When a flag is there, and what to do: `docs/flags.md` in a sentence.
fn meaning(flag: Flag) -> &'static str {
    match flag {
        Flag::BelowResolution => {
            "The median is below 1 µs, too short for the clock: no ratio is taken. Give the cell more work."
        }
        Flag::ClientBound => {
            "The load generator was at its limit, or late: the server could have done more. Give it more threads, or the server less."
        }
        Flag::RateNotMet => {
            "The open loop sent less than 99 % of its schedule in time: latency is that of a growing queue. Lower the rate, or \
             raise connections."
        }
        Flag::Errors => {
            "Some requests did not get the right answer; they are in no figure. Look at the kinds in the notes."
        }
        Flag::Stragglers => {
            "Some requests were still out when the client stopped waiting, and are in no percentile. Find out what hangs."
        }
        Flag::Disturbed => "In a run that counts, others took too much of the machine. Run it again on a quieter one.",
        Flag::Outlier => "A run lies further than 1.5 times from the median. Look at the runs; make more of them.",
        Flag::Skewed => {
            "The busiest worker did more than 1.5 times its share. Give workers more tasks each, or spread connections another way."
        }
        Flag::Incomplete => "The matrix was interrupted before all planned runs were made. --resume makes the rest.",
    }
}
