//! Somebody to talk to: servers on loopback ports, which live as long as the tests.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
};

/// Serves each connection on a thread of its own. Returns the address.
fn serve(talk: fn(TcpStream) -> Option<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || talk(stream));
        }
    });
    address
}

/// Answers every request with 1000 bytes.
pub fn http_server() -> String {
    serve(|mut stream| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}", "x".repeat(1000));
        for line in BufReader::new(stream.try_clone().ok()?).lines() {
            if line.ok()?.is_empty() {
                stream.write_all(answer.as_bytes()).ok()?;
            }
        }
        None
    })
}

/// Takes every mail.
pub fn mail_server() -> String {
    serve(|mut stream| {
        stream.write_all(b"220 here\r\n").ok()?;
        let mut in_text = false;
        for line in BufReader::new(stream.try_clone().ok()?).lines() {
            let line = line.ok()?;
            if in_text && line != "." {
                continue;
            }
            in_text = line == "DATA";
            stream.write_all(if in_text { b"354 go on\r\n" } else { b"250 ok\r\n" }).ok()?;
        }
        None
    })
}
