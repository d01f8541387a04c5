//! Servers with one worker each, which end with the value that stands for them.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use protocol::{HttpModel, Job, Listen, Lock, Reply, Request, ServeJob, VERSION};

/// A server that runs.
pub struct Server {
    pub name: &'static str,
    pub port: u16,
    child: Child,
    folder: Option<PathBuf>,
}

impl Server {
    /// Our server with one event loop, from the folder of this program's release build.
    pub fn ours() -> Result<Option<Self>> {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_client")).with_file_name("server");
        let Ok(mut child) = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
            println!("our server is left out: run `cargo build --release -p server` first\n");
            return Ok(None);
        };
        let job = Job::Serve(ServeJob {
            model: HttpModel::Loops,
            workers: 1,
            lock: Lock::None,
            switch_interval_ns: None,
            listen: Listen::PerPort,
            io_ns: 0,
            iterations: 0,
        });
        let stdin = child.stdin.as_mut().context("it has a stdin")?;
        stdin.write_all(Request::Job { protocol: VERSION, job }.to_line().as_bytes())?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().context("it has a stdout")?).read_line(&mut line)?;
        let Reply::Ready(ready) = Reply::from_line(&line)? else { bail!("the server said {line}") };
        Ok(Some(Self { name: "our server, 1 loop", port: ready.ports[0], child, folder: None }))
    }

    /// nginx with one worker and an answer of the same length, if it is installed.
    pub fn nginx() -> Result<Option<Self>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let folder = std::env::temp_dir().join(format!("parallax-nginx-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let configuration = format!(
            "daemon off; worker_processes 1; pid nginx.pid; error_log stderr;
             events {{ worker_connections 1024; }}
             http {{
               access_log off; keepalive_requests 100000000;
               client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
               uwsgi_temp_path uwsgi; scgi_temp_path scgi;
               server {{ listen 127.0.0.1:{port}; location / {{ return 200 '12345678'; }} }}
             }}"
        );
        fs::write(folder.join("nginx.conf"), configuration)?;
        let started = Command::new("nginx")
            .arg("-p")
            .arg(&folder)
            .args(["-c", "nginx.conf", "-e", "stderr"])
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = started else {
            fs::remove_dir_all(&folder)?;
            println!("nginx is left out: `apt install nginx-light` brings it\n");
            return Ok(None);
        };
        let server = Self { name: "nginx, 1 worker", port, child, folder: Some(folder) };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(Some(server));
            }
            thread::sleep(Duration::from_millis(10));
        }
        bail!("nginx does not listen")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Our server ends when its stdin closes; nginx's master ends its worker when it is asked to.
        drop(self.child.stdin.take());
        if let Some(folder) = &self.folder {
            let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::SIGTERM);
            let _ = self.child.wait();
            let _ = fs::remove_dir_all(folder);
        }
        let _ = self.child.wait();
    }
}
