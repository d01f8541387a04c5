//! Choosing cells by patterns on the command line.

use std::fmt;

use glob::Pattern;

use super::nearest::nearest;
use super::plan::{Plan, Scenario};
use crate::number::counted;

/// Why patterns choose nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError(String);

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

impl Plan {
    /// Keeps the cells that one of the patterns matches; all cells where there is no pattern.
    ///
    /// A pattern is a glob on the cell's id. One without `/` matches the scenario's name as well and so chooses the
    /// whole scenario.
    ///
    /// # Errors
    /// A pattern is not a glob, or matches nothing.
    pub fn select<S: AsRef<str>>(&mut self, patterns: &[S]) -> Result<(), PatternError> {
        if patterns.is_empty() {
            return Ok(());
        }
        let patterns: Vec<Selector<'_>> =
            patterns.iter().map(|pattern| Selector::new(pattern.as_ref())).collect::<Result<_, _>>()?;
        let mut used = vec![false; patterns.len()];
        let mut chosen = |scenario: &Scenario, id: &str| {
            let mut any = false;
            for (pattern, used) in patterns.iter().zip(&mut used) {
                if pattern.matches(&scenario.name, id) {
                    *used = true;
                    any = true;
                }
            }
            any
        };
        let keep: Vec<Vec<bool>> = self
            .scenarios
            .iter()
            .map(|scenario| scenario.cells.iter().map(|cell| chosen(scenario, &cell.id)).collect())
            .collect();
        if let Some((pattern, _)) = patterns.iter().zip(&used).find(|(_, used)| !**used) {
            return Err(self.no_match(pattern.text));
        }
        for (scenario, keep) in self.scenarios.iter_mut().zip(&keep) {
            scenario.keep(keep);
        }
        self.scenarios.retain(|scenario| !scenario.cells.is_empty());
        self.keep_used_runtimes();
        Ok(())
    }

    /// Drops the runtimes that no cell names.
    pub(super) fn keep_used_runtimes(&mut self) {
        let cells = self.scenarios.iter().flat_map(|scenario| &scenario.cells);
        let used: std::collections::HashSet<&str> = cells.map(|cell| cell.runtime.as_str()).collect();
        self.runtimes.retain(|runtime| used.contains(runtime.name.as_str()));
    }

    fn no_match(&self, pattern: &str) -> PatternError {
        let name = pattern.split('/').next().unwrap_or(pattern);
        let names: Vec<&str> = self.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        let hint = if let Some(scenario) = self.scenarios.iter().find(|scenario| scenario.name == name) {
            let cells = counted(scenario.cells.len() as u64, "cell", "cells");
            let axes: Vec<&str> = scenario.axes.iter().map(|axis| axis.name.as_str()).collect();
            format!(
                "`{name}` has {cells}, such as `{}`; its axes are {}",
                scenario.cells[0].id,
                super::problem::list(&axes)
            )
        } else if let Some(meant) = nearest(name, names.iter().copied()) {
            format!("did you mean `{meant}`?")
        } else {
            format!("the scenarios are {}", super::problem::list(&names))
        };
        PatternError(format!("the pattern `{pattern}` matches no cell; {hint}"))
    }
}

/// Patterns for the cells of results, of which no more than their ids are known. Without a pattern, all cells.
pub struct IdPatterns<'p>(Vec<Selector<'p>>);

impl<'p> IdPatterns<'p> {
    /// Reads the patterns.
    ///
    /// # Errors
    /// One of them is not a glob.
    pub fn new<S: AsRef<str>>(patterns: &'p [S]) -> Result<Self, PatternError> {
        patterns.iter().map(|pattern| Selector::new(pattern.as_ref())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether one of them matches, or there is none.
    #[must_use]
    pub fn choose(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.matches(scenario_of(id), id))
    }

    /// Makes sure that each of them matches one of these ids.
    ///
    /// # Errors
    /// One does not.
    pub fn check(&self, ids: &[&str]) -> Result<(), PatternError> {
        let idle = |pattern: &&Selector<'_>| !ids.iter().any(|id| pattern.matches(scenario_of(id), id));
        let Some(pattern) = self.0.iter().find(idle) else { return Ok(()) };
        let name = scenario_of(pattern.text);
        let mut names: Vec<&str> = ids.iter().map(|id| scenario_of(id)).collect();
        names.sort_unstable();
        names.dedup();
        let hint = match (ids.iter().find(|id| scenario_of(id) == name), nearest(name, names.iter().copied())) {
            (Some(id), _) => format!("`{name}` has cells such as `{id}`"),
            (None, Some(meant)) => format!("did you mean `{meant}`?"),
            (None, None) if names.is_empty() => "there are no cells".to_owned(),
            (None, None) => format!("the scenarios are {}", super::problem::list(&names)),
        };
        Err(PatternError(format!("the pattern `{}` matches no cell; {hint}", pattern.text)))
    }
}

/// The scenario that an id begins with.
#[must_use]
pub fn scenario_of(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

/// One pattern.
struct Selector<'p> {
    text: &'p str,
    pattern: Pattern,
    whole_scenarios: bool,
}

impl<'p> Selector<'p> {
    fn new(text: &'p str) -> Result<Self, PatternError> {
        let pattern = Pattern::new(text).map_err(|error| {
            PatternError(format!("`{text}` is not a pattern: {} at character {}", error.msg, error.pos + 1))
        })?;
        Ok(Self { text, pattern, whole_scenarios: !text.contains('/') })
    }

    fn matches(&self, scenario: &str, id: &str) -> bool {
        self.pattern.matches(id) || (self.whole_scenarios && self.pattern.matches(scenario))
    }
}

impl Scenario {
    /// Keeps the flagged cells, and what is left of the comparisons.
    pub(crate) fn keep(&mut self, keep: &[bool]) {
        let mut place = Vec::with_capacity(keep.len());
        let mut kept = 0;
        for flag in keep {
            place.push(flag.then_some(kept));
            kept += usize::from(*flag);
        }
        let mut flags = keep.iter();
        self.cells.retain(|_| *flags.next().expect("a flag for each cell"));
        for comparison in &mut self.comparisons {
            comparison.cells = comparison.cells.iter().filter_map(|cell| place[*cell]).collect();
            comparison.baseline = comparison.baseline.and_then(|cell| place[cell]);
        }
        self.comparisons.retain(|comparison| !comparison.cells.is_empty());
        self.keep_used_values();
    }

    /// Drops values of axes, and axes, that no cell has.
    fn keep_used_values(&mut self) {
        for axis in &mut self.axes {
            let used: std::collections::HashSet<_> =
                self.cells.iter().filter_map(|cell| cell.axes.get(&axis.name)).collect();
            axis.values.retain(|value| used.contains(value));
        }
        self.axes.retain(|axis| !axis.values.is_empty());
    }
}
