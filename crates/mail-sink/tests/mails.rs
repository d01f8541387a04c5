//! The mail server, as a mail client and as the orchestrator see it.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use protocol::{Job, MailJob, Reply, Request, Served, VERSION};

struct Sink {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    port: u16,
}

impl Sink {
    fn start(delay: Duration) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_mail-sink"))
            .env_remove(protocol::PARENT_PID_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut sink = Self { process, input, output, port: 0 };
        let job = Job::Mail(MailJob { delay_ns: delay.as_nanos() as u64 });
        let Reply::Ready(ready) = sink.ask(&Request::Job { protocol: VERSION, job }) else { panic!("not ready") };
        assert_eq!(ready.ports.len(), 1);
        sink.port = ready.ports[0];
        sink
    }

    fn ask(&mut self, request: &Request) -> Reply {
        self.input.as_mut().unwrap().write_all(request.to_line().as_bytes()).unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        Reply::from_line(&line).unwrap()
    }

    fn served(&mut self) -> Served {
        match self.ask(&Request::Run { warmup: false }) {
            Reply::Served(served) => served,
            reply => panic!("{reply:?}"),
        }
    }

    fn connect(&self) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut client = Client { lines: BufReader::new(stream.try_clone().unwrap()), stream };
        assert!(client.answer().starts_with("220 "));
        client
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Client {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Client {
    fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// The last line of an answer; empty if the server has closed the connection.
    fn answer(&mut self) -> String {
        loop {
            let mut line = String::new();
            self.lines.read_line(&mut line).unwrap();
            if line.get(3..4) != Some("-") {
                return line.trim_end().to_owned();
            }
        }
    }

    fn ask(&mut self, text: &str) -> String {
        self.say(text);
        self.answer()
    }

    /// Everything up to the text of a mail.
    fn begin(&mut self) {
        for line in ["EHLO here\r\n", "MAIL FROM:<a@example.com>\r\n", "RCPT TO:<b@example.com>\r\n"] {
            assert!(self.ask(line).starts_with("250"), "{line}");
        }
        assert!(self.ask("DATA\r\n").starts_with("354"));
    }
}

#[test]
fn every_mail_is_taken_and_counted_since_the_last_run() {
    let mut sink = Sink::start(Duration::ZERO);
    for _ in 0..3 {
        let mut client = sink.connect();
        client.begin();
        assert!(client.ask("Subject: x\r\n\r\n..a dot\r\n.\r\n").starts_with("250"));
        assert!(client.ask("QUIT\r\n").starts_with("221"));
        assert_eq!(client.answer(), "", "the connection is closed");
    }
    let served = sink.served();
    assert_eq!((served.requests, served.connections), (vec![3], vec![3]));
    assert_eq!(sink.served().requests, [0]);
    sink.input = None;
    assert!(sink.process.wait().unwrap().success());
}

#[test]
fn a_mail_is_answered_after_the_delay_and_64_at_once_do_not_wait_for_each_other() {
    const DELAY: Duration = Duration::from_millis(300);
    let sink = Sink::start(DELAY);
    let together = Barrier::new(64);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut client = sink.connect();
                client.begin();
                together.wait();
                let sent = Instant::now();
                assert!(client.ask("\r\n.\r\n").starts_with("250"));
                assert!(sent.elapsed() >= DELAY, "{:?}", sent.elapsed());
            });
        }
    });
    assert!(begun.elapsed() < 32 * DELAY, "one after another: {:?}", begun.elapsed());
}

#[test]
fn clients_that_talk_nonsense_or_break_off_do_no_harm() {
    let mut sink = Sink::start(Duration::ZERO);
    let mut rude = sink.connect();
    assert!(rude.ask("GET / HTTP/1.1\r\n").starts_with('5'));
    let mut gone = sink.connect();
    gone.begin();
    gone.say("half a mail");
    drop(gone);
    let mut long = sink.connect();
    long.begin();
    long.say(&"x".repeat(300_000));
    assert!(long.ask("\r\n.\r\n").starts_with("250"));
    let mut binary = sink.connect();
    binary.stream.write_all(&[0, 255, 254, b'\r', b'\n']).unwrap();
    assert!(binary.answer().starts_with('5'));
    assert_eq!(sink.served().requests, [1]);
}

#[test]
fn another_kind_of_job_is_unsupported() {
    let mut sink = Sink::start(Duration::ZERO);
    let line = r#"{"type":"job","protocol":1,"kind":"batch","model":"async","workers":1,"lock":"none","tasks":1,"task":{"op":"wait","io_ns":1}}"#;
    let reply = sink.ask(&Request::from_line(line).unwrap());
    assert_eq!(reply, Reply::Unsupported { message: "mail-sink does mail jobs only".to_owned() });
}
