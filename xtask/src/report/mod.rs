//! [`Summary`](crate::stats::summary::Summary) → table, Markdown, CSV, JSON. Pure: no files, no terminal.
