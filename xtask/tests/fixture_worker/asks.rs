//! Does what everyday tasks do, as far as it takes to see that what they need is there.

use std::fs;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use protocol::{By, Database, Task};

/// Whether what a task needs is there; else why not.
pub fn ask(task: &Task) -> Result<(), String> {
    match task {
        Task::SmtpSend { address, .. } | Task::HttpGet { address, .. } => {
            TcpStream::connect(address).map(drop).map_err(|error| format!("no connection to {address}: {error}"))
        }
        Task::DbSelect { database: Database::Postgres, connection, .. } => {
            let folder = connection.split(' ').find_map(|word| word.strip_prefix("host=")).unwrap_or_default();
            let socket = Path::new(folder).join(".s.PGSQL.5432");
            UnixStream::connect(&socket).map_err(|error| format!("no connection to {}: {error}", socket.display()))?;
            let named = std::env::var("DATABASE_URL");
            (named.as_deref() == Ok(connection)).then_some(()).ok_or(format!("DATABASE_URL is {named:?}"))
        }
        Task::FileWrite { folder, size_bytes, .. } | Task::FileRead { folder, size_bytes, .. } => {
            let content = vec![b'x'; usize::try_from(*size_bytes).unwrap_or(usize::MAX)];
            let file = Path::new(folder).join("file");
            fs::write(&file, content).map_err(|error| format!("{} cannot be written: {error}", file.display()))
        }
        Task::ResizeImage { folder, by: By::Program(program), .. }
        | Task::Zip { folder, by: By::Program(program), .. } => {
            fs::write(Path::new(folder).join("file"), "x").map_err(|error| error.to_string())?;
            Path::new(program).is_absolute().then_some(()).ok_or(format!("{program} is no path"))
        }
        Task::Command { argv } => {
            let status = Command::new(&argv[0]).args(&argv[1..]).status().map_err(|error| error.to_string())?;
            status.success().then_some(()).ok_or(format!("`{}` ended with {status}", argv.join(" ")))
        }
        _ => Ok(()),
    }
}
