//! Plan and records → [`summary::Summary`]. Pure.

pub mod summary;
