//! Gunther's Universal Scalability Law and its fit.

use crate::stats::summary::ScalingPoint;

/// X(N) = λN / (1 + σ(N − 1) + κN(N − 1)): the throughput of N workers.
///
/// N. J. Gunther, "A general theory of computational scalability based on rational functions", arXiv:0808.1431.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Law {
    /// λ: the throughput of one worker.
    pub single: f64,
    /// σ, at least 0.
    pub contention: f64,
    /// κ, at least 0.
    pub crosstalk: f64,
    /// Whether a parameter had to be kept from becoming negative.
    pub is_superlinear: bool,
}

impl Law {
    /// The law that fits all runs best: the sum of the squares of its relative errors in N/X is the least.
    ///
    /// The law says N/X = 1/λ + σ/λ·(N − 1) + κ/λ·N(N − 1), which is linear in three coefficients that must not be negative. So
    /// the least sum is found without steps or a first guess: it is that of ordinary least squares over one of the
    /// four sets of coefficients that are not 0. For small errors it is the optimum of the relative errors in X, too.
    pub fn fitted(points: &[ScalingPoint]) -> Self {
        let mut rows = Vec::new();
        for point in points {
            let n = f64::from(point.workers);
            // A cell counts as much as any other, however many runs it got.
            #[expect(clippy::cast_precision_loss, reason = "runs are few")]
            let weight = 1.0 / (point.values.len().max(1) as f64).sqrt();
            // Each row is divided by what it should give, so that its rest is a relative error.
            rows.extend(point.values.iter().map(|x| Row {
                terms: [1.0, n - 1.0, n * (n - 1.0)].map(|term| term * x / n * weight),
                target: weight,
            }));
        }
        let sets = [[true, true, true], [true, true, false], [true, false, true], [true, false, false]];
        let solved = sets.map(|set| solve(&rows, set));
        let is_valid = |it: &[f64; 3]| it[0] > 0.0 && it[1] >= 0.0 && it[2] >= 0.0;
        let best =
            solved.iter().flatten().filter(|it| is_valid(it)).min_by(|a, b| rest(&rows, a).total_cmp(&rest(&rows, b)));
        // The last set always has a solution above 0: throughputs are above 0.
        let [one, each, pair] = *best.unwrap_or(&[1.0, 0.0, 0.0]);
        Self {
            single: 1.0 / one,
            contention: each / one,
            crosstalk: pair / one,
            is_superlinear: solved[0].is_some_and(|it| it[1] < -1e-9 * it[0] || it[2] < -1e-9 * it[0]) && {
                // What grows no faster than its workers only has some noise.
                points.windows(2).any(|two| {
                    let more = f64::from(two[1].workers) / f64::from(two[0].workers);
                    two[1].throughput_per_s > two[0].throughput_per_s * more * 1.02
                })
            },
        }
    }

    /// X(N).
    pub fn throughput(&self, n: f64) -> f64 {
        self.single * n / (1.0 + self.contention * (n - 1.0) + self.crosstalk * n * (n - 1.0))
    }

    /// √((1 − σ)/κ), where X is largest; one worker where more never bring anything; `None` where X grows without end.
    pub fn peak_workers(&self) -> Option<f64> {
        if self.contention >= 1.0 {
            return Some(1.0);
        }
        (self.crosstalk > 0.0).then(|| ((1.0 - self.contention) / self.crosstalk).sqrt().max(1.0))
    }

    /// X at its peak, or the limit λ/σ that it tends to; `None` where there is none.
    pub fn peak(&self) -> Option<f64> {
        match self.peak_workers() {
            Some(workers) => Some(self.throughput(workers)),
            None => (self.contention > 0.0).then(|| self.single / self.contention),
        }
    }

    /// The least N with X(N + 1) − X(N) < λ/2; `None` where every further worker brings at least half of the first.
    pub fn knee(&self) -> Option<f64> {
        /// Nobody has more workers.
        const MOST: u64 = 1 << 32;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let brings_less = |n: u64| {
            let n = n as f64;
            self.throughput(n + 1.0) - self.throughput(n) < self.single / 2.0
        };
        // Doubled until past it: gains only shrink up to there.
        let mut past = 1;
        while !brings_less(past) {
            past *= 2;
            if past > MOST {
                return None;
            }
        }
        let mut before = past / 2;
        while past - before > 1 {
            let middle = before.midpoint(past);
            if brings_less(middle) { past = middle } else { before = middle }
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        Some(past as f64)
    }

    /// The share of the variance of all runs that the law explains. 1 where there is nothing to explain.
    pub fn r_squared(&self, points: &[ScalingPoint]) -> f64 {
        let runs = || points.iter().flat_map(|point| point.values.iter().map(|x| (f64::from(point.workers), *x)));
        #[expect(clippy::cast_precision_loss, reason = "runs are few")]
        let mean = runs().map(|(_, x)| x).sum::<f64>() / runs().count() as f64;
        let total: f64 = runs().map(|(_, x)| (x - mean).powi(2)).sum();
        let left: f64 = runs().map(|(n, x)| (x - self.throughput(n)).powi(2)).sum();
        if total > 0.0 { 1.0 - left / total } else { 1.0 }
    }
}

/// An equation: the terms, each times its coefficient, should give the target.
struct Row {
    terms: [f64; 3],
    target: f64,
}

fn rest(rows: &[Row], coefficients: &[f64; 3]) -> f64 {
    let error = |row: &Row| row.terms.iter().zip(coefficients).map(|(term, it)| term * it).sum::<f64>() - row.target;
    rows.iter().map(|row| error(row).powi(2)).sum()
}

/// Ordinary least squares with the coefficients outside of `set` kept at 0. `None` where the rows do not determine them.
fn solve(rows: &[Row], set: [bool; 3]) -> Option<[f64; 3]> {
    // Terms grow as 1, N, N²: brought to one length, the system can be solved in plain floating point.
    let length = |term: usize| rows.iter().map(|row| row.terms[term].powi(2)).sum::<f64>().sqrt();
    let lengths = [length(0), length(1), length(2)].map(|length| if length > 0.0 { length } else { 1.0 });
    let scaled = |row: &Row, term: usize| row.terms[term] / lengths[term];
    let mut system = [[0.0; 4]; 3];
    for i in 0..3 {
        for j in 0..3 {
            system[i][j] = if set[i] && set[j] {
                rows.iter().map(|row| scaled(row, i) * scaled(row, j)).sum()
            } else {
                f64::from(u8::from(i == j))
            };
        }
        system[i][3] = if set[i] { rows.iter().map(|row| scaled(row, i) * row.target).sum() } else { 0.0 };
    }
    let solution = eliminate(system)?;
    Some([0, 1, 2].map(|term| solution[term] / lengths[term]))
}

/// Gauss's elimination with the largest pivot.
fn eliminate(mut system: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))?;
        if system[pivot][column].abs() < 1e-12 {
            return None;
        }
        system.swap(column, pivot);
        let head = system[column];
        for (_, row) in system.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            let factor = row[column] / head[column];
            for (value, above) in row.iter_mut().zip(head) {
                *value -= factor * above;
            }
        }
    }
    Some([0, 1, 2].map(|index| system[index][3] / system[index][index]))
}
