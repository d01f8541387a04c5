//! `smtp-send`: a mail, handed over to a mail server.

use std::{error::Error as _, io, sync::Arc};

use anyhow::{Error, Result};
use interpreter_lock::InterpreterLock;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, SmtpTransport, Tokio1Executor, Transport, address::Envelope, transport::smtp,
};
use tokio::runtime::Builder;

use crate::{Step, Timer, generated::generated, in_flight::InFlight, peer};

/// What the other side is called in messages.
const PEER: &str = "the mail server";
const SENDER: &str = "sender@example.com";
const RECEIVER: &str = "receiver@example.com";

/// Hands over one mail: connect, EHLO, MAIL, RCPT, DATA, QUIT, without TLS. Its text is generated file 0, whose line feeds
/// become CR LF. The result is the size of the text, as generated.
#[derive(Debug, Clone)]
pub struct SmtpSend {
    shared: Arc<Shared>,
    in_flight: Arc<InFlight>,
}

#[derive(Debug)]
struct Shared {
    address: String,
    envelope: Envelope,
    mail: Vec<u8>,
    body_bytes: u64,
    blocking: SmtpTransport,
    on_loop: AsyncSmtpTransport<Tokio1Executor>,
}

impl SmtpSend {
    /// Mails of that size to the server at `address`, which is `host:port`.
    ///
    /// # Errors
    /// The address is none.
    pub fn new(address: &str, body_bytes: u64) -> Result<Self> {
        let server = peer::resolve(address)?;
        let (host, port, patience) = (server.ip().to_string(), server.port(), Some(peer::PATIENCE));
        let blocking = SmtpTransport::builder_dangerous(&host).port(port).timeout(patience).build();
        let on_loop =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&host).port(port).timeout(patience).build();
        let shared = Shared {
            address: address.to_owned(),
            envelope: Envelope::new(Some(SENDER.parse()?), vec![RECEIVER.parse()?])?,
            mail: mail(body_bytes)?,
            body_bytes,
            blocking,
            on_loop,
        };
        Ok(Self { shared: Arc::new(shared), in_flight: Arc::default() })
    }
}

/// The mail as it goes over the wire, before dots at the beginning of lines are doubled.
fn mail(body_bytes: u64) -> Result<Vec<u8>> {
    let mut mail = format!("From: <{SENDER}>\r\nTo: <{RECEIVER}>\r\nSubject: Parallax\r\n\r\n").into_bytes();
    for line in generated(0, body_bytes)?.split_inclusive(|&byte| byte == b'\n') {
        match line.split_last() {
            Some((b'\n', text)) => mail.extend([text, b"\r\n"].concat()),
            _ => mail.extend(line),
        }
    }
    Ok(mail)
}

impl Step for SmtpSend {
    fn waits(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        false
    }

    fn for_loop(&self) -> Self {
        Self { in_flight: Arc::default(), ..self.clone() }
    }

    fn configure(&self, builder: &mut Builder) {
        // lettre waits no longer than its timeout by tokio's own timer.
        builder.enable_time();
    }

    async fn wait(&self, _index: u64, _timer: &Timer) -> Result<u64> {
        let shared = &self.shared;
        let send = async {
            let sent = shared.on_loop.send_raw(&shared.envelope, &shared.mail).await;
            sent.map_err(|error| shared.explained(&error))
        };
        self.in_flight.run(send).await?;
        Ok(shared.body_bytes)
    }

    fn wait_blocking(&self, _index: u64, lock: &InterpreterLock) -> Result<u64> {
        let shared = &self.shared;
        lock.unlocked(|| shared.blocking.send_raw(&shared.envelope, &shared.mail))
            .map_err(|error| shared.explained(&error))?;
        Ok(shared.body_bytes)
    }
}

impl Shared {
    fn explained(&self, error: &smtp::Error) -> Error {
        if error.is_timeout() {
            return peer::too_slow(PEER, &self.address);
        }
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(io) = cause.downcast_ref::<io::Error>() {
                let same = io::Error::new(io.kind(), io.to_string());
                return peer::explained(same, PEER, &self.address);
            }
            source = cause.source();
        }
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        Error::msg(format!("{PEER} at {} did not take a mail: {error}{cause}", self.address))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Write},
        net::{TcpListener, TcpStream},
        thread,
    };

    use super::*;
    use crate::testing::both_ways;

    /// A mail server that answers each line it reads by `answer`, and closes where there is none; after the end of the
    /// message its dot is the line.
    fn server(greeting: &'static str, answer: fn(&str) -> Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            for stream in listener.incoming() {
                thread::spawn(move || talk(stream.unwrap(), greeting, answer));
            }
        });
        address
    }

    fn talk(mut stream: TcpStream, greeting: &str, answer: fn(&str) -> Option<&'static str>) -> Option<()> {
        stream.write_all(greeting.as_bytes()).ok()?;
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        let mut in_text = false;
        loop {
            let line = lines.next()?.ok()?;
            if in_text && line != "." {
                continue;
            }
            in_text = line == "DATA";
            stream.write_all(answer(&line)?.as_bytes()).ok()?;
        }
    }

    fn good(line: &str) -> Option<&'static str> {
        Some(match line {
            "DATA" => "354 go on\r\n",
            "QUIT" => "221 bye\r\n",
            _ => "250 ok\r\n",
        })
    }

    fn errors(address: &str) -> [String; 2] {
        both_ways(&SmtpSend::new(address, 100).unwrap(), 0).map(|sent| sent.unwrap_err().replace(address, "ADDRESS"))
    }

    #[test]
    fn the_result_of_a_mail_is_the_size_of_its_text() {
        let address = server("220 here\r\n", good);
        assert_eq!(both_ways(&SmtpSend::new(&address, 1000).unwrap(), 0), [Ok(1000), Ok(1000)]);
        assert_eq!(both_ways(&SmtpSend::new(&address, 0).unwrap(), 0), [Ok(0), Ok(0)]);
    }

    #[test]
    fn the_text_goes_out_in_lines_that_end_as_a_mails_must() {
        let mail = String::from_utf8(mail(30).unwrap()).unwrap();
        let (_, text) = mail.split_once("\r\n\r\n").unwrap();
        assert_eq!(text, "00000000 0000000000000000\r\n0000");
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        for error in errors(&address) {
            assert_eq!(error, "connection refused by ADDRESS: is the mail server running there?");
        }
    }

    #[test]
    fn a_server_that_refuses_a_mail_is_quoted() {
        let refuses = |line: &str| if line.starts_with("RCPT") { Some("550 no such user\r\n") } else { good(line) };
        for error in errors(&server("220 here\r\n", refuses)) {
            assert!(
                error.starts_with("the mail server at ADDRESS did not take a mail: permanent error (550)"),
                "{error}"
            );
            assert!(error.contains("no such user"), "{error}");
        }
    }

    #[test]
    fn a_server_that_closes_in_the_middle_or_talks_something_else_is_an_error() {
        for error in errors(&server("220 here\r\n", |line| if line == "." { None } else { good(line) })) {
            assert!(error.contains("the mail server at ADDRESS"), "{error}");
        }
        for error in errors(&server("HTTP/1.1 400 Bad Request\r\n", |_| None)) {
            assert!(error.contains("the mail server at ADDRESS"), "{error}");
        }
    }
}
