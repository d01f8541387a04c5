//! Pictures of a scenario, as SVG: text stays text, light and dark, the figures of every mark as a hover text.
//!
//! Pure: a [`ScenarioSummary`] and, for latencies, the records go in, and texts come out. A picture is a file of its own, and
//! can be put into a page as it is, several times on one page with different prefixes: all its ids begin with the
//! prefix, and its style rules hold below its root only.
//!
//! | file | what lives here |
//! | --- | --- |
//! | here | which pictures a scenario gets |
//! | `runs` | every run of every cell, and the ratios |
//! | `latency` | latency by percentile |
//! | `load` | an open loop: asked, answered, latency |
//! | `scaling` | speed-up against workers |
//! | `by_worker` | what each worker did |
//! | `heat` | a map of ratios |
//! | `alt` | what is seen, in words |
//! | `latencies` | whole histograms by cell, from the records |
//! | `sparkline` | a series of ratios, for the index of all results |
//! | `frame`, `panel` | what surrounds every picture; small multiples |
//! | `figure` | which figure is shown, and words for cells |
//! | `scale` | from figures to pixels; ticks |
//! | `series`, `palette` | how series look; colours |
//! | `lettering` | how wide a text is |
//! | `svg` | elements |
//! | `names` | file names |
//!
//! `svg` builds the tree and escapes what stands in it. A plotting library would bring scales and ticks as well, but
//! none of the light ones writes classes, hover texts or a second set of colours.

mod alt;
mod by_worker;
mod figure;
mod frame;
mod heat;
mod latencies;
mod latency;
mod lettering;
mod load;
mod names;
mod palette;
mod panel;
mod runs;
mod scale;
mod scaling;
mod series;
mod sparkline;
mod svg;

#[cfg(test)]
mod tests;

pub use latencies::Latencies;
pub use names::is_ours;
pub(super) use palette::style_sheet;
pub(super) use sparkline::sparkline;

use crate::results::record::Record;
use crate::stats::summary::{ScenarioSummary, Summary};

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    /// What kind of picture it is: the last part of its file's name.
    pub kind: Kind,
    /// Its file's name: fit for every file system, and always the same for the same scenario.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// What is seen on it, in words.
    pub alt: String,
    /// The picture.
    pub svg: String,
}

/// Kinds of pictures, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// All scenarios that compare models: ratios by workload and model.
    Models,
    /// Every run, and the ratios.
    Runs,
    /// Ratios by comparison and compared value.
    Heat,
    /// Speed-up against workers.
    Scaling,
    /// Asked, answered, and latency of an open loop.
    Load,
    /// Latency by percentile.
    Latency,
    /// Tasks or requests by worker.
    ByWorker,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Models, Self::Runs, Self::Heat, Self::Scaling, Self::Load, Self::Latency, Self::ByWorker];

    /// The word in a file's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Runs => "runs",
            Self::Heat => "heat",
            Self::Scaling => "scaling",
            Self::Load => "load",
            Self::Latency => "latency",
            Self::ByWorker => "by-worker",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Models => "which model for which work",
            Self::Runs => "every run, and the ratios",
            Self::Heat => "ratios at a glance",
            Self::Scaling => "speed-up against workers",
            Self::Load => "throughput against latency",
            Self::Latency => "latency by percentile",
            Self::ByWorker => "work by worker",
        }
    }
}

/// All pictures of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plots {
    /// Those over all scenarios.
    pub overview: Vec<Plot>,
    /// Those of each scenario, in the order of the summary.
    pub scenarios: Vec<Vec<Plot>>,
}

impl Plots {
    /// What the data can show. Latencies are drawn as far as there are records.
    #[must_use]
    pub fn of(summary: &Summary, records: &[Record]) -> Self {
        let latencies = Latencies::of(records);
        let scenarios = summary.scenarios.iter().map(|scenario| plots_of(scenario, &latencies, ""));
        Self { overview: overview_of(summary, "").into_iter().collect(), scenarios: scenarios.collect() }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Plot> {
        self.overview.iter().chain(self.scenarios.iter().flatten())
    }
}

/// The pictures of a scenario: what its data can show. `page` stands in front of all ids, for a page that holds pictures of
/// several results.
#[must_use]
pub fn plots_of(scenario: &ScenarioSummary, latencies: &Latencies, page: &str) -> Vec<Plot> {
    let draw = |kind: Kind| {
        let alt = alt::alt(scenario, kind);
        let prefix = format!("{page}{}-{}", names::slug(&scenario.name).replace('.', "-"), kind.name());
        let svg = match kind {
            Kind::Models => None,
            Kind::Runs => runs::runs(scenario, &prefix, &alt),
            Kind::Heat => heat::heat(scenario, &prefix, &alt),
            Kind::Scaling => scaling::scaling(scenario, &prefix, &alt),
            Kind::Load => load::load(scenario, &prefix, &alt),
            Kind::Latency => latency::latency(scenario, latencies, &prefix, &alt),
            Kind::ByWorker => by_worker::by_worker(scenario, &prefix, &alt),
        }?;
        let title = format!("{}: {}", scenario.name, kind.title());
        Some(Plot { kind, name: names::file(&scenario.name, kind), title, alt, svg })
    };
    Kind::ALL.into_iter().filter_map(draw).collect()
}

/// The picture over all scenarios, where several workloads compare models.
#[must_use]
pub fn overview_of(summary: &Summary, page: &str) -> Option<Plot> {
    let kind = Kind::Models;
    let alt = "Map of speed ratios: a row for each workload, a column for each concurrency model.".to_owned();
    let svg = heat::models(summary, &format!("{page}overview-{}", kind.name()), &alt)?;
    Some(Plot { kind, name: names::file("overview", kind), title: kind.title().to_owned(), alt, svg })
}

/// The picture without its style sheet, which a page that holds several pictures has once.
pub(super) fn without_style(svg: &str) -> String {
    match (svg.find("<style>"), svg.find("</style>")) {
        (Some(start), Some(end)) if start < end => [&svg[..start], &svg[end + "</style>".len()..]].concat(),
        _ => svg.to_owned(),
    }
}
