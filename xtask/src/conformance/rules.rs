//! What is checked: every rule, with the section of `docs/protocol.md` that says it. In the order in which they are
//! reported.

use serde::Serialize;

/// Whether a rule may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A worker that breaks it does not conform.
    Must,
    /// Breaking it is worth knowing.
    Should,
}

/// Declares the rules and the list of all.
macro_rules! rules {
    ($($name:ident: $level:ident, $section:literal, $text:literal;)+) => {
        /// A rule.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $text] $name,)+
        }

        impl Rule {
            /// All rules, in the order in which they are reported.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The heading in `docs/protocol.md` under which it stands.
            #[must_use]
            pub fn section(self) -> &'static str {
                match self { $(Self::$name => $section,)+ }
            }

            /// What it says.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// Whether it may be broken.
            #[must_use]
            pub fn level(self) -> Level {
                match self { $(Self::$name => Level::$level,)+ }
            }
        }
    };
}

rules! {
    Started: Must, "The conversation", "it can be started and answers its first job";
    Job: Must, "The conversation", "a job is answered with `ready` or `unsupported`";
    SomeKind: Must, "The worker protocol, version 1", "it takes at least one kind of job";
    ReadyFields: Must, "`ready` (from the worker)", "`ready` has protocol 1, a worker and a runtime";
    ReadyPorts: Must, "`ready` (from the worker)", "`ready` names ports for servers, and for nothing else";
    EmptyLine: Must, "Lines", "an empty line is ignored";
    UnknownFields: Must, "Lines", "unknown fields are ignored";
    FieldOrder: Must, "Lines", "fields may come in any order";
    UnknownWords: Must, "Lines", "an unknown word is answered with `unsupported`, and the worker goes on";
    OnlyAnswers: Must, "Lines", "nothing but answers is written to stdout, one for each line";
    LargeNumbers: Must, "Lines", "numbers up to 2⁶⁴ − 1 are read exactly";
    SecondJob: Should, "The conversation", "a second job replaces the first";
    OtherVersion: Must, "`job` (to the worker)", "a job of another version is answered with an `error` that names both, and a status that is not 0";
    RunBeforeJob: Must, "`error` (from the worker)", "a `run` without a job is answered with an `error` and a status that is not 0";
    Garbage: Must, "`error` (from the worker)", "a line that is no message is answered with an `error` and a status that is not 0";
    EndWithoutJob: Must, "The conversation", "at the end of stdin without a job it exits with status 0";
    EndWithJob: Must, "The conversation", "at the end of stdin after a job and a run it exits with status 0";
    Children: Must, "The life of a worker", "children are reaped before the answer, and none is left at the end";
    DiesWithParent: Should, "The life of a worker", "it dies with the process that `PARALLAX_PARENT_PID` names";
    OtherParent: Should, "The life of a worker", "it exits when its parent is not the process that `PARALLAX_PARENT_PID` names";
    Sample: Must, "`sample` (from the worker)", "a `run` of a batch is answered with a `sample`";
    Tasks: Must, "`sample` (from the worker)", "`tasks` is what was asked for";
    Checksum: Must, "Checksum", "the checksum is right for every model and operation";
    ByWorker: Must, "`sample` (from the worker)", "the sum of `workers` is `tasks`";
    SameWork: Must, "`run` (to the worker)", "every run does the whole work, warm-ups too";
    Waits: Must, "Operations", "an operation that waits takes as long as its waits";
    LeavesNoFiles: Must, "Operations", "what it made in `folder` is gone at its end";
    ServePorts: Must, "Servers", "a server names a port for each worker with `per-port`, else one, and answers on it";
    ServeAnswer: Must, "A request and its 8 bytes", "every answer has the right 8 bytes, in order, on a connection that stays open";
    ServeServed: Must, "`served` (from the server)", "`served` has the requests since the last `run` and the connections since the job, by worker";
    ServeEnd: Must, "The end of a server", "at the end of stdin a server closes its connections and exits with status 0";
    LoadCounts: Must, "`load` (from the load generator)", "a load generator sends what it is asked, and counts it";
    LoadChecks: Must, "Errors", "a wrong answer and a closed port are counted by their kinds";
    LoadKeeps: Must, "A run of a load generator", "connections stay open from one run to the next";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_a_heading_of_the_protocol() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/protocol.md");
        let text = std::fs::read_to_string(path).unwrap();
        let headings: Vec<&str> =
            text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim()).collect();
        for rule in Rule::ALL {
            assert!(headings.contains(&rule.section()), "{rule:?}: {}", rule.section());
        }
    }
}
