//! SQLite, in this process.

use std::sync::Arc;

use anyhow::{Context, Result};
use interpreter_lock::InterpreterLock;
use rusqlite::{Connection, OpenFlags};

use crate::kept::Kept;

/// The sum over rows that the query makes itself.
const SQL: &str = "WITH RECURSIVE n(i) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
                   SELECT coalesce(sum(i * i % 7919), 0) FROM n";

#[derive(Debug, Clone)]
pub struct Sqlite(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: String,
    rows: i64,
    idle: Kept<Connection>,
}

impl Sqlite {
    pub fn new(path: &str, rows: u64, threads: usize) -> Result<Self> {
        let rows = i64::try_from(rows).context("too many rows")?;
        let shared = Shared { path: path.to_owned(), rows, idle: Kept::default() };
        for _ in 0..threads.max(1) {
            shared.idle.keep(shared.open()?);
        }
        Ok(Self(Arc::new(shared)))
    }

    pub fn compute(&self, lock: &InterpreterLock) -> Result<u64> {
        let shared = &self.0;
        // Python's sqlite3 lets go of the lock around sqlite3_step, and the one row is one step.
        lock.unlocked(|| {
            let connection = match shared.idle.take() {
                Some(connection) => connection,
                None => shared.open()?,
            };
            let sum: i64 = shared.failed(connection.query_row(SQL, [shared.rows], |row| row.get(0)))?;
            shared.idle.keep(connection);
            u64::try_from(sum).context("SQLite has computed a negative sum of squares")
        })
    }
}

impl Shared {
    fn open(&self) -> Result<Connection> {
        // No connection is used by two threads at once, so SQLite need not guard them.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        self.failed(Connection::open_with_flags(&self.path, flags))
    }

    fn failed<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.with_context(|| format!("the SQLite database {:?} cannot be asked", self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(path: &str, rows: u64) -> Result<u64> {
        Sqlite::new(path, rows, 1)?.compute(&InterpreterLock::none())
    }

    #[test]
    fn the_sum_is_the_one_that_everybody_computes() {
        assert_eq!(sum(":memory:", 0).unwrap(), 0);
        assert_eq!(sum(":memory:", 3).unwrap(), 14);
        // sum(i * i % 7919 for i in range(1, 1001)) in Python.
        assert_eq!(sum(":memory:", 1000).unwrap(), 3_682_471);
    }

    #[test]
    fn a_database_in_a_file_is_made_and_one_that_is_none_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        assert_eq!(sum(path.to_str().unwrap(), 3).unwrap(), 14);
        let error = format!("{:#}", sum("/no/such/folder/a.db", 3).unwrap_err());
        assert!(error.starts_with("the SQLite database \"/no/such/folder/a.db\" cannot be asked"), "{error}");
    }
}
