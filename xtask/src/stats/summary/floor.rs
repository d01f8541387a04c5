//! How far apart two equal cells may seem to be on this machine.

use serde::{Deserialize, Serialize};

/// The noise floor of a comparison, from an A/A pass: its baseline measured twice, as two cells under the same
/// interleaving. A change that is not larger is never called one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// The floor as a share: 0.012 stands for 1.2 %.
    pub share: f64,
    /// Where it comes from.
    pub source: FloorSource,
    /// When it was measured, RFC 3339 in UTC.
    pub measured: String,
    /// The ratio that the A/A pass found between the two equal cells, where it was this comparison's own.
    pub ratio: Option<f64>,
    /// Lower end of that ratio's interval.
    pub low: Option<f64>,
    /// Upper end of that ratio's interval.
    pub high: Option<f64>,
    /// How many A/A pairs stand behind it.
    pub pairs: u32,
}

/// Where a noise floor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloorSource {
    /// This run's own A/A pass of this comparison.
    Measured,
    /// An earlier run on this machine, of this comparison or another like it.
    Remembered,
}
