//! A scenario as it was written → its cells: the product of its axes, less what is excluded, with axes that do not
//! apply to a cell collapsed there.

use std::collections::{HashMap, HashSet};

use protocol::{Lock, Model};

use super::axis::{Axes, Axis, AxisValue};
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
    let mut coordinates = Coordinates::new(batch);

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
            let applies: Vec<bool> = batch.dimensions.iter().map(|dimension| draft.applies(dimension)).collect();
            let any_collapsed =
                batch.dimensions.iter().zip(&applies).any(|(dimension, applies)| dimension.axis && !applies);
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
    Some(Scenario {
        name: batch.name.clone(),
        question: batch.question.clone(),
        compare: batch.compare.as_ref().map(|compare| batch.dimensions[compare.dimension].name.to_owned()),
        include_setup: batch.include_setup,
        axes: coordinates.used_axes(),
        schedule: batch.schedule,
        cells,
        comparisons,
    })
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

/// Ids and coordinates of cells. Texts and maps are made once instead of once a cell: a matrix may have 100,000.
struct Coordinates<'b> {
    batch: &'b Batch,
    /// `axis=value` of every value.
    texts: Vec<Vec<String>>,
    /// The map of the cell before, and the dimensions that it has: the next cell is likely to have the same.
    template: (Vec<bool>, Axes),
    /// The values that a cell has.
    used: Vec<Vec<bool>>,
}

impl<'b> Coordinates<'b> {
    fn new(batch: &'b Batch) -> Self {
        let texts = |dimension: &Dimension| {
            dimension.values.iter().map(|value| format!("{}={}", dimension.name, value.shown)).collect()
        };
        Self {
            batch,
            texts: batch.dimensions.iter().map(texts).collect(),
            template: (Vec::new(), Axes::new()),
            used: batch.dimensions.iter().map(|dimension| vec![false; dimension.values.len()]).collect(),
        }
    }

    /// The id of a cell, to which these dimensions apply with these values.
    fn id(&self, applies: &[bool], value_of: &[usize]) -> String {
        let mut id = String::with_capacity(120);
        id.push_str(&self.batch.name);
        let mut separator = "/";
        for (index, dimension) in self.batch.dimensions.iter().enumerate() {
            if dimension.axis && applies[index] {
                id.push_str(separator);
                id.push_str(&self.texts[index][value_of[index]]);
                separator = ",";
            }
        }
        id
    }

    /// The coordinates of the same cell.
    fn axes(&mut self, applies: &[bool], value_of: &[usize]) -> Axes {
        let (template_applies, template) = &mut self.template;
        if template_applies != applies {
            *template_applies = applies.to_vec();
            let names =
                self.batch.dimensions.iter().zip(applies).filter(|(dimension, applies)| dimension.axis && **applies);
            *template = names.map(|(dimension, _)| (dimension.name.to_owned(), AxisValue::Number(0))).collect();
        }
        let mut place = 0;
        for (index, dimension) in self.batch.dimensions.iter().enumerate() {
            if dimension.axis && applies[index] {
                template[place].clone_from(&dimension.values[value_of[index]].shown);
                self.used[index][value_of[index]] = true;
                place += 1;
            }
        }
        template.clone()
    }

    /// The axes with the values that a cell has; an axis that no cell has is none.
    fn used_axes(&self) -> Vec<Axis> {
        let axes = self.batch.dimensions.iter().zip(&self.used).filter(|(dimension, _)| dimension.axis);
        let axes = axes.map(|(dimension, used)| {
            let used = dimension.values.iter().zip(used).filter(|(_, used)| **used);
            // Zipped axes may repeat a value.
            let mut seen = HashSet::new();
            let values =
                used.map(|(value, _)| value.shown.clone()).filter(|value| seen.insert(value.clone())).collect();
            Axis { name: dimension.name.to_owned(), values }
        });
        axes.filter(|axis| !axis.values.is_empty()).collect()
    }
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

    /// Whether the cell depends on what this key says. Where it does not, the axis collapses.
    fn applies(&self, dimension: &Dimension) -> bool {
        let interpreter = self.runtime != RUST_RUNTIME;
        match dimension.values[0].setting {
            Setting::Workers(_) => self.model.uses_workers(),
            Setting::Lock(_) => !interpreter,
            Setting::SwitchInterval(_) => !interpreter && self.lock != Lock::None,
            Setting::Task(_) | Setting::Tasks(_) | Setting::Steps(_) | Setting::Model(_) | Setting::Runtime(_) => true,
        }
    }

    /// The cell, still without its coordinates. What it ignores is set to one value, so that cells with one id do the
    /// same. `None` without a task, which the reader has noted.
    fn cell(&self) -> Option<Cell> {
        let interpreter = self.runtime != RUST_RUNTIME;
        let lock = if interpreter { Lock::None } else { self.lock };
        Some(Cell {
            id: String::new(),
            axes: Axes::new(),
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
