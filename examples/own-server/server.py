#!/usr/bin/env python3
"""A small web server with nothing but Python's standard library: processes times threads.

    python3 server.py --threads 4 --processes 2 --port 8080

Every process has the listening socket, one thread that watches all its connections, and a fixed pool of threads that
answer. A connection with a request waits for a free thread of the pool, as in many servers. The path says what a request
does:

    /health             answers at once: is the server ready?
    /                   answers at once
    /compute?us=500     computes for about 500 microseconds, in Python, holding the GIL
    /wait?us=500        waits for 500 microseconds, as for a database

Every answer names the process and the thread that gave it, in the header X-Worker.
"""

import argparse
import os
import queue
import selectors
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

    def __init__(self, connection, address):
        """Serves nothing yet: `handle_one_request` is called whenever a request has come."""
        self.request, self.client_address, self.server = connection, address, None
        self.close_connection = False
        self.setup()

    def do_GET(self):
        url = urlsplit(self.path)
        microseconds = int(parse_qs(url.query).get("us", ["0"])[0])
        if url.path == "/compute":
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


class Process:
    """What runs in one process."""

    def __init__(self, number, listener, threads):
        self.listener = listener
        self.requests = queue.SimpleQueue()  # connections with a request that wait for a thread
        self.answered = queue.SimpleQueue()  # connections that are to be watched again
        self.wake, self.waker = socket.socketpair()
        self.wake.setblocking(False)
        self.waker.setblocking(False)
        for thread in range(threads):
            name = f"{number:02}.{thread:02}"
            threading.Thread(target=self.answer, name=name, daemon=True).start()

    def watch(self):
        """Accepts connections, and gives those with a request to the pool."""
        self.listener.setblocking(False)
        selector = selectors.DefaultSelector()
        selector.register(self.listener, selectors.EVENT_READ)
        selector.register(self.wake, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self.listener:
                    try:
                        connection, address = self.listener.accept()
                    except BlockingIOError:
                        continue  # another process was faster
                    connection.setblocking(True)
                    selector.register(connection, selectors.EVENT_READ, Handler(connection, address))
                elif key.fileobj is self.wake:
                    self.wake.recv(4096)
                    while not self.answered.empty():
                        handler = self.answered.get()
                        selector.register(handler.connection, selectors.EVENT_READ, handler)
                else:
                    selector.unregister(key.fileobj)
                    self.requests.put(key.data)

    def answer(self):
        """What a thread of the pool does: one request after another, of any connection."""
        while True:
            handler = self.requests.get()
            try:
                handler.handle_one_request()
            except OSError:
                handler.close_connection = True  # the client has gone
            if handler.close_connection:
                handler.connection.close()
                continue
            self.answered.put(handler)
            try:
                self.waker.send(b"x")
            except BlockingIOError:
                pass  # so many are in it already that the watcher wakes anyway


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
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            Process(number, listener, options.threads).watch()
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
