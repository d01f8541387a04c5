//! The servers that operations talk to: a page of 1234 bytes, and a mailbox that keeps nothing.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
};

/// Length of the page.
pub const PAGE_BYTES: usize = 1234;

/// Starts a web server that lives as long as the test: `/` has a length, `/chunked` comes in chunks, `/endless` until the
/// connection is closed, and all else is not found. Returns its address.
pub fn web() -> String {
    serve(|mut reader, mut writer| {
        loop {
            let mut path = String::new();
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if path.is_empty() {
                    path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                }
                line.clear();
            }
            let page = "x".repeat(PAGE_BYTES);
            let answer = match path.as_str() {
                "" => return Ok(()),
                "/" => format!("HTTP/1.1 200 OK\r\nContent-Length: {PAGE_BYTES}\r\n\r\n{page}"),
                "/chunked" => format!(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3E8\r\n{}\r\nea;x=y\r\n{}\r\n0\r\nA: b\r\n\r\n",
                    &page[..1000],
                    &page[1000..]
                ),
                "/endless" => {
                    return write!(writer, "HTTP/1.1 200 OK\r\n\r\n{page}");
                }
                _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
            };
            writer.write_all(answer.as_bytes())?;
        }
    })
}

/// Starts a mail server that takes mails for `recipient@…` and keeps none. Returns its address.
pub fn mail() -> String {
    serve(|mut reader, mut writer| {
        writer.write_all(b"220 a mailbox\r\n")?;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            let answer: &[u8] = match line.get(..4).unwrap_or_default() {
                "EHLO" => b"250-a mailbox\r\n250 8BITMIME\r\n",
                "DATA" => {
                    writer.write_all(b"354 go on\r\n")?;
                    while line != ".\r\n" {
                        line.clear();
                        if reader.read_line(&mut line)? == 0 {
                            return Ok(());
                        }
                    }
                    b"250 taken\r\n"
                }
                "MAIL" => b"250 ok\r\n",
                "RCPT" if line.contains("recipient@") => b"250 ok\r\n",
                "QUIT" => b"221 bye\r\n",
                _ => b"500 what?\r\n",
            };
            writer.write_all(answer)?;
            line.clear();
        }
        Ok(())
    })
}

/// A mail server that is too busy for anybody.
pub fn busy_mail() -> String {
    serve(|_, mut writer| writer.write_all(b"421 come back later\r\n"))
}

fn serve(talk: fn(BufReader<TcpStream>, TcpStream) -> std::io::Result<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            thread::spawn(move || talk(BufReader::new(connection.try_clone()?), connection));
        }
    });
    address
}
