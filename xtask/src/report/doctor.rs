//! What `cargo xtask doctor` found, for people: by topic, a line or two each, then what can be pasted into a matrix.

use unicode_width::UnicodeWidthStr;

use super::Terminal;
use super::terminal::wrap;
use crate::doctor::{Finding, State, Topic};

/// The topics in the order in which they are shown, with their headings.
const TOPICS: [(Topic, &str); 3] = [
    (Topic::Machine, "This machine: what disturbs measurements"),
    (Topic::Services, "What everyday operations need"),
    (Topic::Interpreters, "Interpreters that can be measured beside Rust"),
];

/// The widest column of subjects; a longer one has a line of its own.
const SUBJECT: usize = 22;
/// In a window narrower than this the text stands below its subject.
const NARROW: usize = 60;
/// Spaces between two columns.
const GAP: &str = "  ";

/// The word for a state: it must be clear without colour.
fn word(state: State) -> &'static str {
    match state {
        State::Good => "ok",
        State::Note => "note",
        State::Hurts => "HURTS",
        State::Missing => "missing",
    }
}

/// As wide as the widest word.
const WORD: usize = 7;

/// The report.
#[must_use]
pub fn doctor(findings: &[Finding], terminal: &Terminal) -> String {
    let mut text = String::new();
    for (topic, heading) in TOPICS {
        let of_topic: Vec<&Finding> = findings.iter().filter(|finding| finding.topic == topic).collect();
        if of_topic.is_empty() {
            continue;
        }
        text += &format!("{}\n", terminal.bold(heading));
        let widest = of_topic.iter().map(|finding| finding.subject.width()).filter(|width| *width <= SUBJECT).max();
        for finding in of_topic {
            text += &entry(finding, widest.unwrap_or(0), terminal);
        }
        text.push('\n');
    }
    let pastes: Vec<&str> = findings.iter().map(|finding| finding.paste.as_str()).filter(|it| !it.is_empty()).collect();
    if !pastes.is_empty() {
        text += &format!("{}\n\n", terminal.bold("To paste into a matrix file"));
        text += &pastes.join("\n");
        text.push('\n');
    }
    text += &summary(findings);
    text
}

/// One finding: `ok  CPU governor  performance`, and the advice below it.
fn entry(finding: &Finding, subjects: usize, terminal: &Terminal) -> String {
    let word = format!("{:WORD$}", word(finding.state));
    let word = match finding.state {
        State::Hurts => terminal.red(&word),
        State::Good | State::Note | State::Missing => word,
    };
    let room = terminal.width.unwrap_or(usize::MAX);
    let narrow = room < NARROW;
    let indent = if narrow { " ".repeat(GAP.len() * 2) } else { " ".repeat(GAP.len() * 3 + WORD + subjects) };
    let subject = &finding.subject;
    let mut text = format!("{GAP}{word}{GAP}{subject}");
    let found = wrap(&finding.found, room, &indent, &indent);
    if narrow || subject.width() > subjects {
        text.push('\n');
        text += &found;
    } else {
        text += &" ".repeat(subjects - subject.width());
        text += GAP;
        text += found.trim_start();
    }
    if let Some(advice) = &finding.advice {
        text += &wrap(advice, room, &format!("{indent}→ "), &format!("{indent}  "));
    }
    text
}

/// How many of each state: `5 ok, 2 missing`.
fn summary(findings: &[Finding]) -> String {
    let states = [State::Good, State::Note, State::Hurts, State::Missing];
    let parts: Vec<String> = states
        .into_iter()
        .filter_map(|state| {
            let count = findings.iter().filter(|finding| finding.state == state).count();
            (count > 0).then(|| format!("{count} {}", word(state).to_lowercase()))
        })
        .collect();
    if parts.is_empty() { "nothing was looked at\n".to_owned() } else { parts.join(", ") + "\n" }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn findings() -> Vec<Finding> {
        let finding = |topic, subject: &str, state, found: &str, advice: Option<&str>, paste: &str| Finding {
            topic,
            subject: subject.to_owned(),
            state,
            found: found.to_owned(),
            advice: advice.map(str::to_owned),
            paste: paste.to_owned(),
        };
        vec![
            finding(
                Topic::Interpreters,
                "python3.11",
                State::Good,
                "CPython 3.11.7, has a GIL; /usr/bin/python3.11",
                None,
                "[[runtime]]\nname = \"python3.11\"\n",
            ),
            finding(
                Topic::Machine,
                "CPU governor",
                State::Hurts,
                "powersave on 2 of 2 CPUs",
                Some("`cpupower frequency-set -g performance` keeps the clock steady while the matrix runs"),
                "",
            ),
            finding(Topic::Machine, "steal", State::Good, "none in 2 s", None, ""),
            finding(
                Topic::Interpreters,
                "a name that is longer than any column",
                State::Missing,
                "not found",
                Some("install it"),
                "",
            ),
        ]
    }

    #[test]
    fn findings_are_grouped_by_topic_and_aligned() {
        expect![[r#"
            This machine: what disturbs measurements
              HURTS    CPU governor  powersave on 2 of 2 CPUs
                                     → `cpupower frequency-set -g performance` keeps the clock steady while the matrix runs
              ok       steal         none in 2 s

            Interpreters that can be measured beside Rust
              ok       python3.11  CPython 3.11.7, has a GIL; /usr/bin/python3.11
              missing  a name that is longer than any column
                                   not found
                                   → install it

            To paste into a matrix file

            [[runtime]]
            name = "python3.11"

            2 ok, 1 hurts, 1 missing
        "#]]
        .assert_eq(&doctor(&findings(), &Terminal::default()));
    }

    #[test]
    fn in_a_narrow_window_no_line_is_wider_than_it() {
        let text = doctor(&findings()[1..3], &Terminal { width: Some(40), ..Terminal::default() });
        expect![[r#"
            This machine: what disturbs measurements
              HURTS    CPU governor
                powersave on 2 of 2 CPUs
                → `cpupower frequency-set -g
                  performance` keeps the clock
                  steady while the matrix runs
              ok       steal
                none in 2 s

            1 ok, 1 hurts
        "#]]
        .assert_eq(&text);
        assert!(text.lines().all(|line| line.width() <= 40));
    }

    #[test]
    fn colour_marks_what_the_words_say_already() {
        let colour = Terminal { colour: true, ..Terminal::default() };
        let plain = doctor(&findings(), &Terminal::default());
        let text = doctor(&findings(), &colour);
        assert!(text.contains("\u{1b}[31mHURTS  \u{1b}[0m"), "{text}");
        let stripped = ["\u{1b}[31m", "\u{1b}[1m", "\u{1b}[0m"].iter().fold(text, |text, sign| text.replace(sign, ""));
        assert_eq!(stripped, plain);
    }

    #[test]
    fn without_findings_it_says_so() {
        assert_eq!(doctor(&[], &Terminal::default()), "nothing was looked at\n");
    }
}
