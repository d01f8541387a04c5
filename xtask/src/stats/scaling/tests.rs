//! Sweeps made by hand.

use protocol::Model;

use super::*;
use crate::matrix::plan::Work;
use crate::stats::fixtures::{axes, batch, cell, http, open, plan};
use crate::stats::summary::Spread;

/// λ = 100, σ = 0.05, κ = 0.002 by the law's own formula.
fn known(n: f64) -> f64 {
    100.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.002 * n * (n - 1.0))
}

fn points(of: &[(u32, f64)]) -> Vec<ScalingPoint> {
    let point = |&(workers, x): &(u32, f64)| ScalingPoint {
        cell: format!("s/workers={workers}"),
        workers,
        throughput_per_s: x,
        values: [0.99, 0.995, 1.0, 1.005, 1.01].map(|share| x * share).to_vec(),
    };
    of.iter().map(point).collect()
}

fn close(value: f64, expected: f64, share: f64) -> bool {
    (value - expected).abs() <= expected.abs() * share
}

/// A scenario of `loops` with these workers, and its cells with these throughputs.
fn swept(of: &[(u32, f64)]) -> Vec<ScalingSummary> {
    let planned: Vec<_> = of
        .iter()
        .map(|(workers, _)| {
            let mut cell = batch(Model::Loops);
            cell.axes = axes(&[("model", "loops"), ("workers", &workers.to_string())]);
            cell
        })
        .collect();
    let plan = plan("s", Some("workers"), &planned);
    let cells: Vec<CellSummary> =
        of.iter().zip(&plan.scenarios[0].cells).map(|(it, cell)| measured(cell, it.1)).collect();
    scaling(&plan.scenarios[0], &cells)
}

fn measured(planned: &crate::matrix::plan::Cell, x: f64) -> CellSummary {
    let mut summary = cell(&planned.id, &[1_000; 5]);
    summary.axes = planned.axes.clone();
    summary.throughput_per_s = Spread::of([0.99, 0.995, 1.0, 1.005, 1.01].map(|share| x * share).to_vec());
    summary
}

#[test]
fn the_parameters_that_made_the_points_are_found_again() {
    let of = [1, 2, 4, 8, 16, 32].map(|n| (n, known(f64::from(n))));
    let law = Law::fitted(&points(&of));
    assert!(
        close(law.single, 100.0, 0.001) && close(law.contention, 0.05, 0.01) && close(law.crosstalk, 0.002, 0.01),
        "{law:?}"
    );
    assert!(!law.is_superlinear && law.r_squared(&points(&of)) > 0.99);
    // √(0.95 / 0.002) = 21.8.
    assert!(close(law.peak_workers().unwrap(), 21.79, 0.01), "{law:?}");
    assert!(close(law.peak().unwrap(), known(21.79), 0.01), "{law:?}");
    // By hand: from 5 to 6 workers X grows by 55.2, from 6 to 7 by 48.5, which is less than half of 100.
    assert!(known(6.0) - known(5.0) > 50.0 && known(7.0) - known(6.0) < 50.0);
    assert_eq!(law.knee(), Some(6.0));
}

#[test]
fn growth_without_loss_has_no_peak_and_no_knee() {
    let law = Law::fitted(&points(&[(1, 10.0), (2, 20.0), (4, 40.0), (8, 80.0)]));
    assert!(close(law.single, 10.0, 0.001) && law.contention < 1e-6 && law.crosstalk < 1e-6, "{law:?}");
    let ideal = Law { single: 10.0, contention: 0.0, crosstalk: 0.0, is_superlinear: false };
    assert_eq!((ideal.peak_workers(), ideal.peak(), ideal.knee()), (None, None, None));
}

#[test]
fn contention_alone_tends_to_a_limit() {
    // Amdahl's law with a tenth that cannot be shared: ten times one worker at most.
    let amdahl = Law { single: 100.0, contention: 0.1, crosstalk: 0.0, is_superlinear: false };
    assert_eq!((amdahl.peak_workers(), amdahl.peak()), (None, Some(1_000.0)));
    // X(5) − X(4) = 357.1 − 307.7 = 49.5; X(4) − X(3) = 57.7.
    assert_eq!(amdahl.knee(), Some(4.0));
}

#[test]
fn workers_that_bring_nothing_leave_the_peak_at_one() {
    let law = Law::fitted(&points(&[(1, 100.0), (2, 100.0), (4, 100.0), (8, 100.0)]));
    assert!(close(law.contention, 1.0, 0.001), "a lock that only one can hold: {law:?}");
    assert_eq!(law.knee(), Some(1.0));
    let falling = Law::fitted(&points(&[(1, 100.0), (2, 80.0), (4, 60.0), (8, 40.0)]));
    assert_eq!(falling.peak_workers(), Some(1.0));
    let flat = &swept(&[(1, 100.0), (2, 100.3), (4, 99.8), (8, 100.0)])[0];
    assert!(!flat.fit.as_ref().unwrap().poor, "a flat line is described well, whatever R² says: {flat:?}");
    assert_eq!(
        flat.note.as_deref(),
        Some(
            "1 degree of freedom is left: one more number of workers would test the fit better. The fastest and the slowest of \
             these cells cannot be told apart."
        )
    );
}

#[test]
fn parameters_never_become_negative_and_superlinear_growth_is_told() {
    let law = Law::fitted(&points(&[(1, 100.0), (2, 250.0), (4, 600.0), (8, 1_500.0)]));
    assert!(law.contention >= 0.0 && law.crosstalk >= 0.0 && law.is_superlinear, "{law:?}");
}

#[test]
fn a_kink_that_the_law_does_not_know_is_a_poor_fit() {
    let sweep = &swept(&[(1, 100.0), (2, 200.0), (4, 400.0), (8, 100.0), (16, 420.0)])[0];
    assert!(sweep.fit.as_ref().unwrap().poor, "{sweep:?}");
    assert!(sweep.note.as_deref().unwrap().starts_with("The fit is poor: with workers = 8 it is "), "{sweep:?}");
}

#[test]
fn three_numbers_of_workers_are_fitted_and_prove_nothing() {
    assert!(swept(&[(1, 100.0), (2, 190.0)]).is_empty());
    let sweep = &swept(&[(4, known(4.0)), (1, known(1.0)), (2, known(2.0))])[0];
    assert_eq!(sweep.points.iter().map(|point| point.workers).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(sweep.fixed, axes(&[("model", "loops")]));
    assert!(close(sweep.fit.as_ref().unwrap().contention, 0.05, 0.05), "{sweep:?}");
    let note = sweep.note.as_deref().unwrap();
    assert!(
        note.contains("Three numbers of workers for three parameters") && note.contains("beyond the 4 workers"),
        "{note}"
    );
    let more = &swept(&[1, 2, 4, 8, 16, 32].map(|n| (n, known(f64::from(n)))))[0];
    assert_eq!(more.note.as_deref(), Some("3 degrees of freedom are left."));
}

#[test]
fn cells_without_figures_are_left_out_and_too_few_are_not_fitted() {
    let planned: Vec<_> = [1, 4, 8].map(http).into();
    let plan = plan("s", Some("workers"), &planned);
    let mut cells: Vec<CellSummary> = plan.scenarios[0].cells.iter().map(|cell| measured(cell, 100.0)).collect();
    cells[2].flags.push(Flag::ClientBound);
    let sweep = &scaling(&plan.scenarios[0], &cells)[0];
    assert_eq!((sweep.points.len(), &sweep.fit), (2, &None));
    assert_eq!(
        sweep.note.as_deref(),
        Some(
            "2 of 3 cells can be used, as the load generator held others back: three are the least that the law can be \
             fitted to."
        )
    );
}

#[test]
fn open_loops_and_models_without_workers_are_no_sweep() {
    let plan_of = |cells: &[_]| plan("s", Some("workers"), cells);
    let by_clock = plan_of(&[1, 2, 4].map(open));
    let cells: Vec<CellSummary> = by_clock.scenarios[0].cells.iter().map(|cell| measured(cell, 1.0)).collect();
    assert!(scaling(&by_clock.scenarios[0], &cells).is_empty());
    let models = plan_of(&[Model::Sequential, Model::Async, Model::Threads].map(batch));
    assert!(models.scenarios[0].cells.iter().all(|cell| matches!(cell.work, Work::Batch(_))));
    let cells: Vec<CellSummary> = models.scenarios[0].cells.iter().map(|cell| measured(cell, 1.0)).collect();
    assert!(scaling(&models.scenarios[0], &cells).is_empty());
}
