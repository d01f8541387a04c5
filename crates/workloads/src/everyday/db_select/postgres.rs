//! PostgreSQL, a server.

use std::{io, path::Path, sync::Arc, time::Duration};

use anyhow::{Context, Error, Result};
use interpreter_lock::InterpreterLock;
use protocol::Query;
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_postgres::{
    Client, Config, NoTls, Statement,
    config::Host,
    error::{Error as PgError, SqlState},
};

use crate::{Timer, in_flight::InFlight, kept::Kept, peer};

/// What the other side is called in messages.
const PEER: &str = "the database";

#[derive(Debug, Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
    on_loop: Arc<OnLoop>,
}

#[derive(Debug)]
struct Shared {
    config: Config,
    address: String,
    sql: String,
    /// How long an answer may take.
    patience: Duration,
    version: String,
    connections: u32,
    idle: Kept<OnThread>,
}

/// The connections of one event loop.
#[derive(Debug)]
struct OnLoop {
    in_flight: InFlight,
    idle: Kept<Connection>,
}

impl OnLoop {
    fn new(connections: u32) -> Arc<Self> {
        Arc::new(Self { in_flight: InFlight::new(connections as usize), idle: Kept::default() })
    }
}

/// A connection with the query prepared. What drives it is a task of the runtime that it was opened in.
#[derive(Debug)]
struct Connection {
    client: Client,
    statement: Statement,
}

/// A connection of one thread, with a runtime that runs only while the thread waits.
#[derive(Debug)]
struct OnThread {
    // Dropped first, which tells the server that nobody is there any more.
    connection: Connection,
    runtime: Runtime,
}

impl Postgres {
    pub fn new(connection: &str, connections: u32, query: &Query, threads: usize) -> Result<Self> {
        let mut config: Config = connection.parse().with_context(|| {
            format!(
                "{connection:?} is no address of PostgreSQL: give postgresql://user@host/database, or key=value pairs"
            )
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(peer::PATIENCE);
        }
        let waits = match query {
            Query::Wait { io_ns } => Duration::from_nanos(*io_ns),
            Query::Compute { .. } => Duration::ZERO,
        };
        let mut shared = Shared {
            address: address(&config),
            config,
            sql: sql(query),
            patience: peer::PATIENCE + waits,
            version: String::new(),
            connections,
            idle: Kept::default(),
        };
        let probe = shared.open()?;
        shared.version = probe.version(&shared)?;
        if threads > 0 {
            shared.idle.keep(probe);
        }
        for _ in 1..threads {
            shared.idle.keep(shared.open()?);
        }
        Ok(Self { shared: Arc::new(shared), on_loop: OnLoop::new(connections) })
    }

    pub fn version(&self) -> String {
        format!("PostgreSQL {}", self.shared.version)
    }

    pub fn for_loop(&self) -> Self {
        Self { on_loop: OnLoop::new(self.shared.connections), ..self.clone() }
    }

    pub async fn connect(&self) -> Result<()> {
        for _ in 0..self.shared.connections {
            self.on_loop.idle.keep(self.shared.connect().await?);
        }
        Ok(())
    }

    pub async fn wait(&self, timer: &Timer) -> Result<u64> {
        let Self { shared, on_loop } = self;
        let work = async {
            let connection = match on_loop.idle.take() {
                Some(connection) => connection,
                None => shared.connect().await?,
            };
            let answer = timer.within(shared.patience, connection.ask(shared)).await;
            let number = answer.unwrap_or_else(|| Err(shared.too_slow()))?;
            // A connection that failed is not kept.
            on_loop.idle.keep(connection);
            Ok(number)
        };
        on_loop.in_flight.run(work).await
    }

    pub fn wait_blocking(&self, lock: &InterpreterLock) -> Result<u64> {
        let shared = &self.shared;
        lock.unlocked(|| {
            let own = match shared.idle.take() {
                Some(own) => own,
                None => shared.open()?,
            };
            let answer = own.runtime.block_on(async { timeout(shared.patience, own.connection.ask(shared)).await });
            let number = answer.unwrap_or_else(|_| Err(shared.too_slow()))?;
            shared.idle.keep(own);
            Ok(number)
        })
    }
}

impl Shared {
    fn open(&self) -> Result<OnThread> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot make a runtime for a connection; is the limit of open files (ulimit -n) too low?")?;
        let connection = runtime.block_on(self.connect())?;
        Ok(OnThread { connection, runtime })
    }

    async fn connect(&self) -> Result<Connection> {
        let connected = self.config.connect(NoTls).await;
        let (client, connection) = connected.map_err(|error| self.explained(error))?;
        // It ends when the client is dropped, or with the runtime. An error of its own shows in the answers too.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        let statement = client.prepare(&self.sql).await.map_err(|error| self.explained(error))?;
        Ok(Connection { client, statement })
    }

    fn too_slow(&self) -> Error {
        let (address, seconds) = (&self.address, self.patience.as_secs());
        Error::msg(format!(
            "{PEER} at {address} has not answered for {seconds} s: does it hang, or compute for too long?"
        ))
    }

    fn explained(&self, error: PgError) -> Error {
        let address = &self.address;
        if let Some(refusal) = error.as_db_error() {
            let advice = match *refusal.code() {
                SqlState::TOO_MANY_CONNECTIONS => ": ask for fewer connections or workers, or raise max_connections",
                SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                    ": look at the user and the password of the address"
                }
                SqlState::INVALID_CATALOG_NAME => ": name a database that is there",
                SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN => ": the server was stopped meanwhile",
                _ => "",
            };
            return Error::msg(format!("{PEER} at {address} refused: {}{advice}", refusal.message()));
        }
        if error.is_closed() {
            return peer::explained(io::ErrorKind::UnexpectedEof.into(), PEER, address);
        }
        let kind =
            std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
        match kind {
            Some(io::ErrorKind::NotFound) => {
                Error::msg(format!("there is no socket {address}: is {PEER} running there?"))
            }
            Some(kind) if kind != io::ErrorKind::Other => peer::explained(kind.into(), PEER, address),
            _ => Error::new(error).context(format!("cannot talk to {PEER} at {address}")),
        }
    }
}

impl Connection {
    async fn ask(&self, shared: &Shared) -> Result<u64> {
        let row = self.client.query_one(&self.statement, &[]).await.map_err(|error| shared.explained(error))?;
        let number: i64 = row.try_get(0).map_err(|error| shared.explained(error))?;
        u64::try_from(number).context("the database has computed a negative number")
    }
}

impl OnThread {
    fn version(&self, shared: &Shared) -> Result<String> {
        let row = self.runtime.block_on(self.connection.client.query_one("SHOW server_version", &[]));
        row.and_then(|row| row.try_get(0)).map_err(|error| shared.explained(error))
    }
}

fn sql(query: &Query) -> String {
    match query {
        Query::Wait { io_ns } => {
            let (seconds, rest) = (io_ns / 1_000_000_000, io_ns % 1_000_000_000);
            format!("SELECT 1::bigint FROM pg_sleep({seconds}.{rest:09})")
        }
        Query::Compute { rows } => {
            format!("SELECT coalesce(sum(i * i % 7919), 0)::bigint FROM generate_series(1::bigint, {rows}) AS i")
        }
    }
}

/// Where the database is, for messages. It has no password in it.
fn address(config: &Config) -> String {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => format!("{host}:{port}"),
        Some(Host::Unix(folder)) => Path::new(folder).join(format!(".s.PGSQL.{port}")).display().to_string(),
        None => "no host".to_owned(),
    }
}
