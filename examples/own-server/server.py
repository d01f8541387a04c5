#!/usr/bin/env python3
"""A small web server with nothing but Python's standard library: processes times threads.

    python3 server.py --threads 4 --processes 2 --port 8080

Every process has the listening socket and a fixed pool of threads. A thread takes a connection and serves it until the
client closes it, so more connections than threads wait for their turn. The path says what a request does:

    /health             answers at once: is the server ready?
    /                   answers at once
    /work?us=500        computes for about 500 microseconds, in Python, holding the GIL
    /wait?us=500        waits for 500 microseconds, as for a database

Every answer names the process and the thread that gave it, in the header X-Worker.
"""

import argparse
import os
import queue
import signal
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    # One write an answer: headers and body in two packets meet the delayed acknowledgement of the other side.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 1  # an idle connection gives its thread back

    def do_GET(self):
        url = urlsplit(self.path)
        microseconds = int(parse_qs(url.query).get("us", ["0"])[0])
        if url.path == "/work":
            burn(microseconds / 1e6)
        elif url.path == "/wait":
            time.sleep(microseconds / 1e6)
        elif url.path not in ("/", "/health"):
            self.send_error(404)
            return
        body = b"ok\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Worker", threading.current_thread().name)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """A line a request would be measured as well."""


def burn(seconds):
    """Computes until this thread has used so much CPU time."""
    end = time.thread_time() + seconds
    value = 1
    while time.thread_time() < end:
        for _ in range(100):
            value = (value * 1_664_525 + 1_013_904_223) & 0xFFFF_FFFF


def serve(connections):
    """What a thread does: one connection after another."""
    while True:
        connection, address = connections.get()
        try:
            Handler(connection, address, None)
        except OSError:
            pass  # the client has gone
        finally:
            connection.close()


def run_process(number, listener, threads):
    """A process: its threads, and the acceptor."""
    connections = queue.SimpleQueue()
    for thread in range(threads):
        name = f"{number:02}.{thread:02}"
        threading.Thread(target=serve, args=(connections,), name=name, daemon=True).start()
    while True:
        connections.put(listener.accept())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()

    listener = socket.create_server(("127.0.0.1", options.port), backlog=1024)
    children = []
    for number in range(options.processes):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            run_process(number, listener, options.threads)
        children.append(child)

    def stop(*_):
        for child in children:
            os.kill(child, signal.SIGTERM)
        os._exit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    os.wait()  # a child that ends by itself is a mistake: end all
    stop()


if __name__ == "__main__":
    main()
