//! A scenario as it was written → its cells: the product of its axes, less what is excluded, with axes that do not
//! apply to a cell collapsed there.

use std::collections::HashMap;

use protocol::{Lock, Model};

use super::axis::{Axes, Axis};
use super::comparisons::Comparisons;
use super::plan::{BatchWork, Cell, RUST_RUNTIME, Scenario, Work};
use super::problem::{Problem, Problems};
use super::setting::Setting;
use super::written::{Batch, Dimension};

/// How many combinations a scenario has before anything is excluded or collapsed. `None` if 64 bits do not hold it.
#[must_use]
pub fn combinations(batch: &Batch) -> Option<u64> {
    batch
        .groups
        .iter()
        .try_fold(1_u64, |product, group| product.checked_mul(batch.dimensions[group[0]].values.len() as u64))
}

/// The scenario with its cells. `None` if it turns out to have a mistake.
pub fn expand(batch: &Batch, cores: u32, problems: &mut Problems) -> Option<Scenario> {
    let mut cells: Vec<Cell> = Vec::new();
    // Cells on which an axis collapsed, by id: others cannot meet.
    let mut collapsed: HashMap<String, usize> = HashMap::new();
    let mut comparisons = Comparisons::new(batch);
    let mut excluders: Vec<Excluder> = batch.excludes.iter().map(|exclude| Excluder::new(exclude, batch)).collect();
    let texts = coordinate_texts(batch);

    let mut step = vec![0_usize; batch.groups.len()];
    let mut value_of = vec![0_usize; batch.dimensions.len()];
    loop {
        for (group, at) in batch.groups.iter().zip(&step) {
            for dimension in group {
                value_of[*dimension] = *at;
            }
        }
        // Every exclude looks at every combination, so that one that is covered by another is not called useless.
        let excluded = excluders.iter_mut().fold(false, |excluded, excluder| excluder.drops(&value_of) || excluded);
        if !excluded {
            let draft = Draft::new(batch, &value_of, cores);
            let mut id = batch.name.clone();
            let mut separator = '/';
            let mut any_collapsed = false;
            for (index, dimension) in batch.dimensions.iter().enumerate().filter(|(_, dimension)| dimension.axis) {
                if draft.ignores(&dimension.values[0].setting) {
                    any_collapsed = true;
                    continue;
                }
                id.push(separator);
                id.push_str(&texts[index][value_of[index]]);
                separator = ',';
            }
            let index = match collapsed.get(&id) {
                Some(index) => *index,
                None => {
                    if any_collapsed {
                        collapsed.insert(id.clone(), cells.len());
                    }
                    cells.push(draft.cell(id, batch, &value_of)?);
                    cells.len() - 1
                }
            };
            comparisons.add(&step, index, any_collapsed);
        }
        if !advance(&mut step, batch) {
            break;
        }
    }

    for (exclude, excluder) in batch.excludes.iter().zip(&excluders) {
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
        problems.push(Problem::new(format!("every cell of `{}` is excluded", batch.name)).at(
            batch.excludes.last().map(|exclude| exclude.span.clone()).unwrap_or_default(),
            "the last one is dropped here",
        ));
        return None;
    }
    check_compare(batch, &cells, problems)?;
    let comparisons = comparisons.finish(batch, &cells);
    if let Some((_, span)) = batch.compare.as_ref().and_then(|compare| compare.baseline.as_ref())
        && comparisons.iter().all(|comparison| comparison.baseline.is_none())
    {
        problems.push(
            Problem::new("no cell is left that has the baseline's value")
                .at(span.clone(), "all its cells are excluded"),
        );
        return None;
    }
    let mut scenario = Scenario {
        name: batch.name.clone(),
        question: batch.question.clone(),
        compare: batch.compare.as_ref().map(|compare| batch.dimensions[compare.dimension].name.to_owned()),
        include_setup: batch.include_setup,
        axes: axes(batch),
        settings: batch
            .dimensions
            .iter()
            .filter(|dimension| !dimension.axis)
            .map(|dimension| (dimension.name.to_owned(), dimension.values[0].shown.clone()))
            .collect(),
        schedule: batch.schedule,
        cells,
        comparisons,
    };
    scenario.keep_used_values();
    Some(scenario)
}

/// The next combination; the last axis turns fastest. False after the last one.
fn advance(step: &mut [usize], batch: &Batch) -> bool {
    for (at, group) in step.iter_mut().zip(&batch.groups).rev() {
        *at += 1;
        if *at < batch.dimensions[group[0]].values.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// `axis=value` of every value, made once instead of once a cell.
fn coordinate_texts(batch: &Batch) -> Vec<Vec<String>> {
    let texts = |dimension: &Dimension| {
        dimension.values.iter().map(|value| format!("{}={}", dimension.name, value.shown)).collect()
    };
    batch.dimensions.iter().map(texts).collect()
}

fn axes(batch: &Batch) -> Vec<Axis> {
    let axes = batch.dimensions.iter().filter(|dimension| dimension.axis);
    axes.map(|dimension| {
        let mut values: Vec<_> = Vec::new();
        // Zipped axes may repeat a value.
        let mut seen = std::collections::HashSet::new();
        for value in &dimension.values {
            if seen.insert(&value.shown) {
                values.push(value.shown.clone());
            }
        }
        Axis { name: dimension.name.to_owned(), values }
    })
    .collect()
}

/// A comparison along an axis that every cell ignores compares nothing.
fn check_compare(batch: &Batch, cells: &[Cell], problems: &mut Problems) -> Option<()> {
    let Some(compare) = &batch.compare else { return Some(()) };
    let dimension = &batch.dimensions[compare.dimension];
    if cells.iter().any(|cell| cell.axes.contains_key(dimension.name)) {
        return Some(());
    }
    let why = match dimension.name {
        "workers" => "`sequential` and `async` have one cell, whatever `workers` says",
        "switch_interval" => "without a lock there is nothing to switch",
        _ => "an interpreter brings its own lock",
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
    fn new(exclude: &super::written::Exclude, batch: &Batch) -> Self {
        let flags = |(dimension, values): &(usize, Vec<usize>)| {
            let mut flags = vec![false; batch.dimensions[*dimension].values.len()];
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

/// The settings of a cell while they are collected, with what is not stated at its default.
struct Draft<'b> {
    model: Model,
    workers: u32,
    lock: Lock,
    switch_interval: Option<std::time::Duration>,
    tasks: u64,
    steps: u32,
    task: Option<&'b super::plan::TaskSpec>,
    runtime: &'b str,
}

impl<'b> Draft<'b> {
    fn new(batch: &'b Batch, value_of: &[usize], cores: u32) -> Self {
        let mut draft = Self {
            model: Model::Sequential,
            workers: cores,
            lock: Lock::None,
            switch_interval: None,
            tasks: 1,
            steps: 1,
            task: None,
            runtime: RUST_RUNTIME,
        };
        for (dimension, value) in batch.dimensions.iter().zip(value_of) {
            match &dimension.values[*value].setting {
                Setting::Task(task) => draft.task = Some(task),
                Setting::Tasks(tasks) => draft.tasks = *tasks,
                Setting::Steps(steps) => draft.steps = *steps,
                Setting::Model(model) => draft.model = *model,
                Setting::Workers(workers) => draft.workers = *workers,
                Setting::Lock(lock) => draft.lock = *lock,
                Setting::SwitchInterval(interval) => draft.switch_interval = Some(*interval),
                Setting::Runtime(runtime) => draft.runtime = runtime,
            }
        }
        draft
    }

    /// Whether the cell is the same whatever this key says: the axis collapses there.
    fn ignores(&self, setting: &Setting) -> bool {
        let interpreter = self.runtime != RUST_RUNTIME;
        match setting {
            Setting::Workers(_) => !self.model.uses_workers(),
            Setting::Lock(_) => interpreter,
            Setting::SwitchInterval(_) => interpreter || self.lock == Lock::None,
            Setting::Task(_) | Setting::Tasks(_) | Setting::Steps(_) | Setting::Model(_) | Setting::Runtime(_) => false,
        }
    }

    /// The cell. What it ignores is set to one value, so that cells with one id do the same. `None` without a task,
    /// which the reader has noted.
    fn cell(&self, id: String, batch: &Batch, value_of: &[usize]) -> Option<Cell> {
        let mut axes = Axes::new();
        for (dimension, value) in batch.dimensions.iter().zip(value_of) {
            let value = &dimension.values[*value];
            if dimension.axis && !self.ignores(&value.setting) {
                axes.insert(dimension.name.to_owned(), value.shown.clone());
            }
        }
        let interpreter = self.runtime != RUST_RUNTIME;
        let lock = if interpreter { Lock::None } else { self.lock };
        Some(Cell {
            id,
            axes,
            runtime: self.runtime.to_owned(),
            work: Work::Batch(BatchWork {
                model: self.model,
                workers: if self.model.uses_workers() { self.workers } else { 1 },
                lock,
                switch_interval: self.switch_interval.filter(|_| lock != Lock::None),
                tasks: self.tasks,
                steps: self.steps,
                task: self.task?.clone(),
            }),
        })
    }
}
