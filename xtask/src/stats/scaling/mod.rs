//! How cells grow with their workers: which cells make a sweep, and what the fitted law says of them. The law itself is in
//! `law`.

mod law;

use law::Law;

use super::interval::ratio_interval;
use super::ratio::Speed;
use super::summary::{CellSummary, Flag, ScalingFit, ScalingPoint, ScalingSummary, Status};
use crate::matrix::axis::{Axes, AxisValue};
use crate::matrix::plan::Scenario;
use crate::number::grouped;

/// The least number of different `workers` that make a sweep, and that three parameters can be fitted to.
const LEAST_POINTS: usize = 3;

/// A fit is poor where it misses the median of some cell by more than this share.
const POOR: f64 = 0.1;

/// The sweeps of a scenario: cells that differ only in `workers`, where three or more values of it are planned. Cells on
/// which `workers` collapsed are in none.
#[must_use]
pub fn scaling(scenario: &Scenario, cells: &[CellSummary]) -> Vec<ScalingSummary> {
    let mut sweeps: Vec<(Axes, Vec<(u32, &CellSummary)>)> = Vec::new();
    for (planned, cell) in scenario.cells.iter().zip(cells) {
        let Some(workers) = workers(&cell.axes).filter(|_| Speed::of(&planned.work).is_some()) else { continue };
        let fixed: Axes = cell.axes.iter().filter(|(name, _)| *name != "workers").map(owned).collect();
        match sweeps.iter_mut().find(|(other, _)| *other == fixed) {
            Some((_, sweep)) => sweep.push((workers, cell)),
            None => sweeps.push((fixed, vec![(workers, cell)])),
        }
    }
    sweeps
        .into_iter()
        .filter(|(_, sweep)| sweep.len() >= LEAST_POINTS)
        .map(|(fixed, sweep)| sum_up(fixed, sweep))
        .collect()
}

fn owned((name, value): (&String, &AxisValue)) -> (String, AxisValue) {
    (name.clone(), value.clone())
}

fn workers(axes: &Axes) -> Option<u32> {
    match axes.get("workers")? {
        AxisValue::Number(workers) => u32::try_from(*workers).ok().filter(|workers| *workers > 0),
        AxisValue::Text(_) => None,
    }
}

fn sum_up(fixed: Axes, mut sweep: Vec<(u32, &CellSummary)>) -> ScalingSummary {
    sweep.sort_by_key(|(workers, _)| *workers);
    let (planned, mut held_back) = (sweep.len(), 0);
    let mut points = Vec::new();
    for (workers, cell) in sweep {
        let Some(throughput) = cell.throughput_per_s.as_ref().filter(|_| cell.status == Status::Ok) else { continue };
        let is_positive = throughput.values.iter().all(|value| value.is_finite() && *value > 0.0);
        if cell.flags.contains(&Flag::ClientBound) {
            held_back += 1;
        } else if is_positive && !cell.flags.contains(&Flag::BelowResolution) {
            points.push(ScalingPoint {
                cell: cell.id.clone(),
                workers,
                throughput_per_s: throughput.median,
                values: throughput.values.clone(),
            });
        }
    }
    let left_out = planned - points.len();
    if points.len() < LEAST_POINTS {
        let note = format!(
            "{} of {planned} cells can be used{}: three are the least that the law can be fitted to.",
            points.len(),
            if held_back > 0 { ", as the load generator held others back" } else { "" }
        );
        return ScalingSummary { fixed, points, fit: None, note: Some(note) };
    }
    let law = Law::fitted(&points);
    let fit = fit(&law, &points);
    let note = note(&law, &fit, &points, left_out);
    ScalingSummary { fixed, points, fit: Some(fit), note: (!note.is_empty()).then_some(note) }
}

fn fit(law: &Law, points: &[ScalingPoint]) -> ScalingFit {
    ScalingFit {
        single_per_s: law.single,
        contention: law.contention,
        crosstalk: law.crosstalk,
        peak_workers: law.peak_workers(),
        peak_per_s: law.peak(),
        knee_workers: law.knee(),
        r_squared: law.r_squared(points),
        poor: miss(law, points).0 > POOR,
    }
}

/// The largest share by which the law misses a median, and where.
fn miss(law: &Law, points: &[ScalingPoint]) -> (f64, u32) {
    let share = |point: &ScalingPoint| {
        ((law.throughput(point.workers.into()) / point.throughput_per_s - 1.0).abs(), point.workers)
    };
    points.iter().map(share).fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most })
}

/// Whether chance alone may have made all the differences that the law is fitted to.
fn is_all_noise(points: &[ScalingPoint]) -> bool {
    let by_speed = |a: &&ScalingPoint, b: &&ScalingPoint| a.throughput_per_s.total_cmp(&b.throughput_per_s);
    let (Some(slowest), Some(fastest)) = (points.iter().min_by(by_speed), points.iter().max_by(by_speed)) else {
        return false;
    };
    ratio_interval(&fastest.values, &slowest.values).is_some_and(|it| it.is_enough() && !it.excludes_one())
}

/// What a reader should know of the fit.
fn note(law: &Law, fit: &ScalingFit, points: &[ScalingPoint], left_out: usize) -> String {
    let mut said = Vec::new();
    if fit.poor {
        let (share, workers) = miss(law, points);
        said.push(format!(
            "The fit is poor: with workers = {workers} it is {:.0} % off, so its figures describe nothing.",
            share * 100.0
        ));
    }
    match points.len() - LEAST_POINTS {
        0 => said.push(
            "Three numbers of workers for three parameters: the curve goes through nearly any three points, so a good fit \
             proves nothing."
                .to_owned(),
        ),
        1 => said.push("1 degree of freedom is left: one more number of workers would test the fit better.".to_owned()),
        free => said.push(format!("{free} degrees of freedom are left.")),
    }
    if law.is_superlinear {
        said.push("Some step grew by more than its share of workers, which the law does not know of.".to_owned());
    }
    if is_all_noise(points) {
        said.push("The fastest and the slowest of these cells cannot be told apart.".to_owned());
    }
    let most = points.last().map_or(0, |point| point.workers);
    if fit.peak_workers.is_some_and(|peak| peak > f64::from(most)) && !fit.poor {
        said.push(format!(
            "The peak lies beyond the {} workers that were measured: it is a guess.",
            grouped(most.into())
        ));
    }
    if left_out > 0 {
        said.push(format!("{left_out} of {} cells are not in it.", left_out + points.len()));
    }
    said.join(" ")
}

#[cfg(test)]
mod tests;
