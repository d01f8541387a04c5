//! `db-select`: one number from a database. What all databases have in common; each has a file of its own.

mod postgres;
mod sqlite;

use anyhow::{Result, ensure};
use interpreter_lock::InterpreterLock;
use protocol::{Database, Query};
use tokio::runtime::Builder;

use crate::{Step, Timer, operation::Unsupported};

use postgres::Postgres;
use sqlite::Sqlite;

/// Squares of more than these do not fit into 63 bits.
const MAX_ROWS: u64 = 3_037_000_499;

/// Asks a database for one number, which is the result. PostgreSQL is waited for, as it is a server; SQLite computes, as it
/// is a library, and so blocks an event loop.
///
/// Each thread comes to have a connection of its own, which stays open from run to run; an event loop opens its own before
/// the start of each run.
#[derive(Debug, Clone)]
pub struct DbSelect(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Postgres(Postgres),
    Sqlite(Sqlite),
}

impl DbSelect {
    /// Opens the connections of so many `threads`; and one in any case, to find out at once whether the database is there.
    /// `connections` is for each event loop.
    ///
    /// # Errors
    /// The database cannot be reached, or cannot do what the query asks for.
    pub fn new(database: Database, connection: &str, connections: u32, query: &Query, threads: usize) -> Result<Self> {
        ensure!(connections >= 1, "connections is 0: an event loop needs at least one");
        if let Query::Compute { rows } = query {
            ensure!(*rows <= MAX_ROWS, "rows is {rows}: at most {MAX_ROWS} are possible");
        }
        Ok(Self(match (database, query) {
            (Database::Postgres, _) => Kind::Postgres(Postgres::new(connection, connections, query, threads)?),
            (Database::Sqlite, Query::Compute { rows }) => Kind::Sqlite(Sqlite::new(connection, *rows, threads)?),
            (Database::Sqlite, Query::Wait { .. }) => {
                let why = "SQLite is a library and cannot wait: let it compute, or ask postgres";
                return Err(Unsupported(why.to_owned()).into());
            }
        }))
    }

    /// Name and version of the database.
    #[must_use]
    pub fn version(&self) -> String {
        match &self.0 {
            Kind::Postgres(postgres) => postgres.version(),
            Kind::Sqlite(_) => format!("SQLite {}", rusqlite::version()),
        }
    }
}

impl Step for DbSelect {
    fn waits(&self) -> bool {
        matches!(self.0, Kind::Postgres(_))
    }

    fn computes(&self) -> bool {
        matches!(self.0, Kind::Sqlite(_))
    }

    fn for_loop(&self) -> Self {
        Self(match &self.0 {
            Kind::Postgres(postgres) => Kind::Postgres(postgres.for_loop()),
            Kind::Sqlite(sqlite) => Kind::Sqlite(sqlite.clone()),
        })
    }

    fn configure(&self, builder: &mut Builder) {
        // tokio-postgres waits no longer than its limit for a connection by tokio's own timer.
        builder.enable_time();
    }

    async fn connect(&self, _tasks: u64) -> Result<()> {
        match &self.0 {
            Kind::Postgres(postgres) => postgres.connect().await,
            Kind::Sqlite(_) => Ok(()),
        }
    }

    async fn wait(&self, _index: u64, timer: &Timer) -> Result<u64> {
        match &self.0 {
            Kind::Postgres(postgres) => postgres.wait(timer).await,
            Kind::Sqlite(_) => Ok(0),
        }
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        match &self.0 {
            Kind::Postgres(postgres) => postgres.wait_blocking(lock),
            Kind::Sqlite(_) => Ok(0),
        }
    }

    fn compute(&self, _state: u64, lock: &InterpreterLock) -> Result<u64> {
        match &self.0 {
            Kind::Postgres(_) => Ok(0),
            Kind::Sqlite(sqlite) => sqlite.compute(lock),
        }
    }
}
