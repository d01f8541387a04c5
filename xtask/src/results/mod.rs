//! Where results are kept and found: one folder per run of the matrix, and an index of them.

pub mod record;
