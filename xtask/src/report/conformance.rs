//! What came of `cargo xtask conformance`, for people: what the worker can do, then what it breaks, with what it was
//! sent, what it answered, and what it should have answered.

use super::Terminal;
use super::terminal::wrap;
use crate::conformance::rules::Level;
use crate::conformance::{Outcome, Report, Support, Verdict};
use crate::number::counted;

const INDENT: &str = "  ";

/// The report.
#[must_use]
pub fn conformance(report: &Report, terminal: &Terminal) -> String {
    let mut text = heading(report, terminal);
    if let (Some(worker), Some(runtime)) = (&report.worker, &report.runtime) {
        text += &format!("worker   {worker}\nruntime  {runtime}\n");
    }
    text += &supports(&report.support, terminal);
    let broken = |level: Level| {
        let is = move |verdict: &&Verdict| verdict.outcome == Outcome::Broken && verdict.level == level;
        report.verdicts.iter().filter(is)
    };
    for (level, heading) in [(Level::Must, "Breaks"), (Level::Should, "Could be better")] {
        if broken(level).next().is_some() {
            text += &format!("\n{}\n", terminal.bold(heading));
        }
        broken(level).for_each(|verdict| text += &breaches(verdict, terminal));
    }
    text += &format!("\n{}\n", terminal.bold("Rules"));
    for verdict in &report.verdicts {
        text += &rule(verdict, terminal);
    }
    text
}

fn heading(report: &Report, terminal: &Terminal) -> String {
    let holds = report.verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Holds).count() as u64;
    let cases: u64 = report.verdicts.iter().map(|verdict| verdict.cases).sum();
    let counts = format!("{} hold in {}", counted(holds, "rule", "rules"), counted(cases, "case", "cases"));
    match (report.complete, report.conforms()) {
        (false, _) => format!("{}: {counts} so far\n", terminal.bold("interrupted")),
        (true, true) => {
            format!("{} to version {} of the worker protocol: {counts}\n", terminal.bold("conforms"), protocol::VERSION)
        }
        (true, false) => {
            let is_breach = |verdict: &&Verdict| verdict.outcome == Outcome::Broken && verdict.level == Level::Must;
            let broken = report.verdicts.iter().filter(is_breach).count() as u64;
            format!(
                "{}: {} broken; {counts}\n",
                terminal.red("does not conform"),
                counted(broken, "rule is", "rules are")
            )
        }
    }
}

/// What the worker can do: a line for each model.
fn supports(support: &Support, terminal: &Terminal) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for (model, operations) in &support.batch {
        rows.push((format!("batch, {model}"), operations.join(", ")));
    }
    for (model, ways) in &support.serve {
        let ways: Vec<&str> = ways.iter().map(|listen| listen.name()).collect();
        rows.push((format!("serve, {model}"), ways.join(", ")));
    }
    if !support.locks.is_empty() {
        let locks: Vec<&str> = support.locks.iter().map(|lock| lock.name()).collect();
        rows.push(("locks".to_owned(), locks.join(", ")));
    }
    for (word, has) in [("load", support.load), ("mail", support.mail)] {
        if has {
            rows.push((word.to_owned(), "yes".to_owned()));
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    if !support.batch.is_empty() {
        rows.push(("not asked".to_owned(), format!("{}: they need a server", support.not_asked.join(", "))));
    }
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = format!("\n{}\n", terminal.bold("Can do"));
    for (name, what) in rows {
        let (first, next) = (format!("{INDENT}{name:widest$}{INDENT}"), " ".repeat(widest + 2 * INDENT.len()));
        text += &wrap(&what, terminal.width.unwrap_or(usize::MAX), &first, &next);
    }
    text
}

fn breaches(verdict: &Verdict, terminal: &Terminal) -> String {
    let room = terminal.width.unwrap_or(usize::MAX);
    let title = format!("{} (docs/protocol.md, {:?})", verdict.rule, verdict.section.replace('`', ""));
    let mut text = wrap(&title, room, INDENT, INDENT);
    for breach in &verdict.breaches {
        let mut line = |label: &str, said: &str| {
            text += &format!("{INDENT}{INDENT}{label:8}  {}\n", printable(said));
        };
        line("case", &breach.case);
        match breach.sent.as_slice() {
            [first, between @ .., last] if between.len() > 2 => {
                line("sent", first);
                line("", &format!("… {} more", counted(between.len() as u64, "line", "lines")));
                line("sent", last);
            }
            few => few.iter().for_each(|sent| line("sent", sent)),
        }
        line("answered", &breach.answered);
        line("expected", &breach.expected);
        breach.stderr_tail.iter().rev().take(3).rev().for_each(|said| line("stderr", said));
        text.push('\n');
    }
    let more = verdict.broken - verdict.breaches.len() as u64;
    if more > 0 {
        text += &format!("{INDENT}{INDENT}and in {} more\n\n", counted(more, "case", "cases"));
    }
    text
}

/// On one line, without what could steer the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

fn rule(verdict: &Verdict, terminal: &Terminal) -> String {
    let word = match (verdict.outcome, verdict.level) {
        (Outcome::Holds, _) => "holds",
        (Outcome::Broken, Level::Must) => "BROKEN",
        (Outcome::Broken, Level::Should) => "broken",
        (Outcome::NotChecked, _) => "–",
    };
    let cases = match verdict.outcome {
        Outcome::Broken => format!("{}/{}", verdict.broken, verdict.cases),
        Outcome::Holds => verdict.cases.to_string(),
        Outcome::NotChecked => String::new(),
    };
    let why = match (verdict.outcome, verdict.not_checked.as_slice()) {
        (Outcome::NotChecked, []) => " (it does no such jobs)".to_owned(),
        (_, []) => String::new(),
        (_, reasons) => format!(" (not checked: {})", reasons.join("; ")),
    };
    let first = format!("{INDENT}{word:6}{INDENT}{cases:>5}{INDENT}");
    let next = " ".repeat(6 + 5 + 3 * INDENT.len());
    wrap(&format!("{}{why}", verdict.rule), terminal.width.unwrap_or(usize::MAX), &first, &next)
}
