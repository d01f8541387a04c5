//! The matrix file: TOML → `Matrix` (what was written) → [`Plan`] (the cells to run). Pure: text in, plan or
//! problems out.

pub mod axis;
pub mod plan;
