//! A scenario as it was written → its cells: the product of its axes, less what is excluded, with axes that do not
//! apply to a cell collapsed there.

use std::collections::HashMap;

use super::comparisons::Comparisons;
use super::coordinates::Coordinates;
use super::draft::{Draft, why_ignored};
use super::plan::{BatchWork, Cell, Scenario, TaskCount, Work};
use super::problem::{Problem, Problems};
use super::written::{Exclude, Question, Subject};

/// How many combinations a scenario has before anything is excluded or collapsed. `None` if 64 bits do not hold it.
#[must_use]
pub fn combinations(question: &Question) -> Option<u64> {
    question
        .groups
        .iter()
        .try_fold(1_u64, |product, group| product.checked_mul(question.dimensions[group[0]].values.len() as u64))
}

/// The scenario with its cells. `None` if it turns out to have a mistake.
pub fn expand(question: &Question, cores: u32, problems: &mut Problems) -> Option<Scenario> {
    let mut cells: Vec<Cell> = Vec::new();
    // Cells on which an axis collapsed, by id: others cannot meet.
    let mut collapsed: HashMap<String, usize> = HashMap::new();
    let mut comparisons = Comparisons::new(question);
    let mut excluders: Vec<Excluder> =
        question.excludes.iter().map(|exclude| Excluder::new(exclude, question)).collect();
    let mut coordinates = Coordinates::new(question);

    let mut step = vec![0_usize; question.groups.len()];
    let mut value_of = vec![0_usize; question.dimensions.len()];
    loop {
        for (group, at) in question.groups.iter().zip(&step) {
            for dimension in group {
                value_of[*dimension] = *at;
            }
        }
        // Every exclude looks at every combination, so that one that is covered by another is not called useless.
        let mut excluded = false;
        for excluder in &mut excluders {
            excluded |= excluder.drops(&value_of);
        }
        if !excluded {
            let draft = Draft::new(question, &value_of, cores);
            let applies: Vec<bool> = question.dimensions.iter().map(|dimension| draft.applies(dimension)).collect();
            let any_collapsed =
                question.dimensions.iter().zip(&applies).any(|(dimension, applies)| dimension.axis && !applies);
            let id = coordinates.id(&applies, &value_of);
            let index = match collapsed.get(&id) {
                Some(index) => *index,
                None => {
                    if any_collapsed {
                        collapsed.insert(id.clone(), cells.len());
                    }
                    cells.push(Cell { id, axes: coordinates.axes(&applies, &value_of), ..draft.cell()? });
                    cells.len() - 1
                }
            };
            comparisons.add(&step, index, any_collapsed);
        }
        if !advance(&mut step, question) {
            break;
        }
    }

    for (exclude, excluder) in question.excludes.iter().zip(&excluders) {
        if excluder.dropped == 0 && !exclude.lenient {
            problems.push(
                Problem::new("`exclude` matches no cell")
                    .at(exclude.span.clone(), "no combination has all these values")
                    .help("each value exists, but zipped axes never meet in this combination"),
            );
            return None;
        }
    }
    if cells.is_empty() {
        problems.push(Problem::new(format!("every cell of `{}` is excluded", question.name)).at(
            question.excludes.last().map(|exclude| exclude.span.clone()).unwrap_or_default(),
            "the last one is dropped here",
        ));
        return None;
    }
    deal_out_evenly(&mut cells);
    check_compare(question, &cells, problems)?;
    let comparisons = comparisons.finish(question, &cells);
    if let Some((_, span)) = question.compare.as_ref().and_then(|compare| compare.baseline.as_ref())
        && comparisons.iter().all(|comparison| comparison.baseline.is_none())
    {
        problems.push(
            Problem::new("no cell is left that has the baseline's value")
                .at(span.clone(), "all its cells are excluded"),
        );
        return None;
    }
    Some(Scenario {
        name: question.name.clone(),
        question: question.asks.clone(),
        compare: question.compare.as_ref().map(|compare| question.dimensions[compare.dimension].name.clone()),
        include_setup: question.include_setup,
        needs: question.needs.clone(),
        axes: coordinates.used_axes(),
        schedule: question.schedule,
        cells,
        comparisons,
    })
}

/// Makes every number of tasks that will be counted a multiple of the largest number of workers.
fn deal_out_evenly(cells: &mut [Cell]) {
    let workers = cells.iter().filter_map(|cell| match &cell.work {
        Work::Batch(batch) => Some(batch.workers),
        Work::Http(_) => None,
    });
    let most = workers.max().unwrap_or(1);
    for cell in cells {
        if let Work::Batch(BatchWork { tasks: TaskCount::Time { multiple_of, .. }, .. }) = &mut cell.work {
            *multiple_of = most;
        }
    }
}

/// The next combination; the last axis turns fastest. False after the last one.
fn advance(step: &mut [usize], question: &Question) -> bool {
    for (at, group) in step.iter_mut().zip(&question.groups).rev() {
        *at += 1;
        if *at < question.dimensions[group[0]].values.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// A comparison along an axis that every cell ignores compares nothing.
fn check_compare(question: &Question, cells: &[Cell], problems: &mut Problems) -> Option<()> {
    let Some(compare) = &question.compare else { return Some(()) };
    let dimension = &question.dimensions[compare.dimension];
    if cells.iter().any(|cell| cell.axes.contains_key(&dimension.name)) {
        return Some(());
    }
    let why = match (question.subject, dimension.name.as_str()) {
        (Subject::Http, name) => why_ignored(name),
        (Subject::Batch, "workers") => "`sequential` and `async` have one cell, whatever `workers` says",
        (Subject::Batch, "switch_interval") => "without a lock there is nothing to switch",
        (Subject::Batch, _) => "an interpreter brings its own lock",
    };
    problems.push(
        Problem::new(format!("no cell depends on `{}`, so there is nothing to compare", dimension.name))
            .at(compare.span.clone(), "compared here")
            .at(dimension.span.clone(), "these values change nothing")
            .help(why),
    );
    None
}

/// One `exclude` table while the combinations go by.
struct Excluder {
    /// For each axis that it names, which values match.
    matches: Vec<(usize, Vec<bool>)>,
    dropped: u64,
}

impl Excluder {
    fn new(exclude: &Exclude, question: &Question) -> Self {
        let flags = |(dimension, values): &(usize, Vec<usize>)| {
            let mut flags = vec![false; question.dimensions[*dimension].values.len()];
            values.iter().for_each(|value| flags[*value] = true);
            (*dimension, flags)
        };
        Self { matches: exclude.matches.iter().map(flags).collect(), dropped: 0 }
    }

    fn drops(&mut self, value_of: &[usize]) -> bool {
        let drops = self.matches.iter().all(|(dimension, flags)| flags[value_of[*dimension]]);
        self.dropped += u64::from(drops);
        drops
    }
}
