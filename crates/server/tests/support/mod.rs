//! Drives the real server through pipes, and talks HTTP to it with plain sockets.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use protocol::{HttpModel, Job, Listen, Lock, Ready, Reply, Request, ServeJob, Served, VERSION};

/// What a burn of 1000 steps comes to for the 8 seeds, computed by another program.
pub const RESULTS: [&str; 8] = ["733634", "dc5dd5", "458576", "aead17", "17d4b8", "80fc59", "ea23fa", "534b9b"];

/// Longer than anything here takes, and shorter than a person waits.
const PATIENCE: Duration = Duration::from_secs(20);

pub const MODELS: &[HttpModel] = HttpModel::ALL;

/// A job of two workers without waits, whose burns come to [`RESULTS`].
pub fn job(model: HttpModel) -> ServeJob {
    ServeJob {
        model,
        workers: 2,
        lock: Lock::None,
        switch_interval_ns: None,
        listen: Listen::PerPort,
        io_ns: 0,
        iterations: 1000,
    }
}

/// A server. Dropped before its end, it is killed.
pub struct Server {
    pub process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    pub ports: Vec<u16>,
}

impl Server {
    pub fn start(job: ServeJob) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_server")), job)
    }

    pub fn start_by(command: Command, job: ServeJob) -> Self {
        let mut server = Self::spawn(command);
        match server.ask(&Request::Job { protocol: VERSION, job: Job::Serve(job) }) {
            Reply::Ready(Ready { ports, .. }) => server.ports = ports,
            reply => panic!("not ready: {reply:?}"),
        }
        server
    }

    pub fn spawn(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output, ports: Vec::new() }
    }

    /// What a server says to a job.
    pub fn answer_to(job: Job) -> Reply {
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_server"))).ask(&Request::Job { protocol: VERSION, job })
    }

    pub fn ask(&mut self, request: &Request) -> Reply {
        self.input.as_mut().unwrap().write_all(request.to_line().as_bytes()).unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        Reply::from_line(&line).unwrap()
    }

    pub fn served(&mut self) -> Served {
        match self.ask(&Request::Run { warmup: false }) {
            Reply::Served(served) => served,
            reply => panic!("not served: {reply:?}"),
        }
    }

    /// Ends the conversation.
    pub fn tell_to_stop(&mut self) {
        self.input = None;
    }

    /// Ends the conversation and waits for the end of the process.
    pub fn stop(&mut self) -> ExitStatus {
        self.tell_to_stop();
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "the server does not stop");
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn connect(&self) -> Client {
        Client::connect(self.ports[0])
    }

    /// The process ids of its children.
    pub fn children(&self) -> Vec<u32> {
        let pid = self.process.id();
        let listed = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        listed.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One connection.
pub struct Client(pub BufReader<TcpStream>);

/// An answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Answer {
    /// The worker that its digits name.
    pub fn worker(&self) -> usize {
        usize::from_str_radix(&self.body[..2], 16).unwrap()
    }

    pub fn result(&self) -> &str {
        &self.body[2..]
    }
}

impl Client {
    pub fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.0.get_mut().write_all(bytes.as_ref())
    }

    pub fn receive(&mut self) -> io::Result<Answer> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok(Answer { status, body: String::from_utf8(body).unwrap() })
    }

    pub fn get(&mut self) -> Answer {
        self.send(GET).unwrap();
        self.receive().unwrap()
    }

    /// Whether the server closes the connection, and sends nothing before.
    pub fn is_closed(&mut self) -> bool {
        match self.0.read(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
        }
    }
}

pub const GET: &str = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
