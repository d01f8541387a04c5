"""The HTTP server of the worker for CPython: docs/protocol.md, "Servers". worker.py imports it when it is given such a job.

One event loop on asyncio's streams, `Part`; two models, which are how many of them there are and where they run; and four ways
in which connections reach them.
"""

import asyncio
import contextlib
import itertools
import multiprocessing
import resource
import socket
import threading
from typing import Any, Callable, Optional

from python_worker import (  # the name that worker.py gives to itself
    START_METHOD,
    Gate,
    Meter,
    Unsupported,
    burn,
    check_gil,
    die_with_worker,
    gil_is_enabled,
    how_it_ended,
    number,
    refuse_lock,
    together,
    word,
)

MAX_HEAD_BYTES, MAX_BODY_BYTES = 16 * 1024, 1024 * 1024
GRACE_S = 3  # how long requests that are out may take when the server stops


class Refused(Exception):
    """A request that is answered with an error status, after which the connection is closed."""


class Part:
    """One event loop of a server: it answers connections on asyncio's streams, and counts."""

    def __init__(self, number: int, io_ns: int, iterations: int) -> None:
        self.number, self.io_s, self.iterations = number, io_ns / 1e9, iterations
        self.requests = self.connections = self.reported = 0
        self.failure: Optional[BaseException] = None

    async def serve(self, listener: Optional[socket.socket], ready: Callable[[], Any]) -> None:
        """Serves until `stop`. Without a listener, connections come by `adopt`."""
        self.loop, self.stopping = asyncio.get_running_loop(), asyncio.Event()
        self.idle: set[asyncio.StreamWriter] = set()  # connections without a request
        self.open: set[Any] = set()  # tasks, one a connection
        server = None
        if listener:
            server = await asyncio.start_server(self.answer, sock=listener, limit=MAX_HEAD_BYTES, backlog=1024)
        ready()
        await self.stopping.wait()
        if server:
            server.close()
        for writer in list(self.idle):
            writer.close()
        if self.open:
            await asyncio.wait(self.open, timeout=GRACE_S)

    def stop(self) -> None:
        """Told from any thread: accept nobody any more, answer what is out, and end."""
        with contextlib.suppress(RuntimeError):  # the loop has ended by itself
            self.loop.call_soon_threadsafe(self.stopping.set)

    def adopt(self, connection: socket.socket) -> None:
        """Told from any thread: serve a connection that somebody else has accepted."""

        async def connect() -> None:
            reader = asyncio.StreamReader(limit=MAX_HEAD_BYTES)
            await self.loop.connect_accepted_socket(lambda: asyncio.StreamReaderProtocol(reader, self.answer), connection)

        asyncio.run_coroutine_threadsafe(connect(), self.loop)

    def served(self) -> tuple[int, int]:
        """Requests since the last call, and connections since the start."""
        # Only the loop's thread counts, and only the caller's remembers: nothing is lost between them.
        requests, before = self.requests, self.reported
        self.reported = requests
        return requests - before, self.connections

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        self.connections += 1
        task = asyncio.current_task()
        self.open.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self.converse(reader, writer)
        finally:
            self.open.discard(task)
            self.idle.discard(writer)
            writer.close()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for k in itertools.count():
            self.idle.add(writer)
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                self.idle.discard(writer)
                method, goes_on, body_bytes = read_head(head)
            except (asyncio.LimitOverrunError, Refused) as refused:
                status = str(refused) if isinstance(refused, Refused) else "431 Request Header Fields Too Large"
                writer.write(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
                return
            if body_bytes:
                await reader.readexactly(body_bytes)
            if self.io_s:
                await asyncio.sleep(self.io_s)
            digits = b"%02x%06x" % (self.number, burn(k % 8, self.iterations) & 0xFFFFFF)
            self.requests += 1
            goes_on = goes_on and not self.stopping.is_set()
            fields = b"" if goes_on else b"connection: close\r\n"
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n%b\r\n%b" % (fields, b"" if method == b"HEAD" else digits))
            await writer.drain()
            if not goes_on:
                return


def read_head(head: bytes) -> tuple[bytes, bool, int]:
    """The method, whether the connection goes on, and the length of the body."""
    lines = head[:-4].split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) != 3 or not words[0] or not words[1] or words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise Refused("400 Bad Request")
    fields = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not name or name.strip() != name:
            raise Refused("400 Bad Request")
        fields[name.lower()] = value.strip().lower()
    if b"transfer-encoding" in fields:
        raise Refused("411 Length Required")
    length = fields.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refused("400 Bad Request")
    if int(length) > MAX_BODY_BYTES:
        raise Refused("413 Content Too Large")
    connection = fields.get(b"connection", b"keep-alive" if words[2] == b"HTTP/1.1" else b"close")
    return words[0], connection != b"close", int(length)


def listener(port: int = 0, reuse: bool = False) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if reuse:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    opened.bind(("127.0.0.1", port))
    opened.listen(1024)
    return opened


def reuse_port(workers: int) -> list[socket.socket]:
    first = listener(reuse=True)
    return [first] + [listener(first.getsockname()[1], reuse=True) for _ in range(workers - 1)]


def shared(workers: int) -> list[socket.socket]:
    first = listener()
    return [first] + [first.dup() for _ in range(workers - 1)]


LISTEN: dict[str, Callable[[int], list[socket.socket]]] = {
    "per-port": lambda workers: [listener() for _ in range(workers)],
    "reuse-port": reuse_port,
    "shared": shared,
    "hand-off": lambda workers: [listener()],  # of the acceptor; the loops have none
}


class Server:
    """A job of kind `serve`: what its two models have in common."""

    meter_children = True

    def __init__(self, job: dict) -> None:
        listen = word(job, "listen", LISTEN, "way to listen")
        refuse_lock(job)
        workers, io_ns, iterations = number(job, "workers"), number(job, "io_ns"), number(job, "iterations")
        if not 1 <= workers <= 256:
            raise ValueError(f"workers is {workers}: a server has 1 to 256, as two digits of an answer name no more")
        if listen is reuse_port and not hasattr(socket, "SO_REUSEPORT"):
            raise Unsupported("this system has no SO_REUSEPORT")
        self.hand_off = job["listen"] == "hand-off"
        if self.hand_off and isinstance(self, ServerOfProcesses):
            raise Unsupported("python-worker hands connections to loops only: choose those, or another way to listen")
        # One descriptor for each connection.
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        self.parts = [Part(worker, io_ns, iterations) for worker in range(workers)]
        self.listeners = listen(workers)
        self.ports = list(dict.fromkeys(own.getsockname()[1] for own in self.listeners))
        self.running: list[tuple[Any, Any]] = []
        self.meter = Meter(self.meter_children)

    def run(self) -> dict:
        usage, self.meter = self.meter.stop(), Meter(self.meter_children)
        served, usages = self.served()
        check_gil(gil_is_enabled())
        requests, connections = zip(*served)
        return {"type": "served", "requests": requests, "connections": connections, "usage": together(usage, *usages)}


class ServerOfLoops(Server):
    """The parts of a server as threads with an event loop each."""

    def prepare(self) -> None:
        ready = Gate(len(self.parts) + 1)
        for part, own in zip(self.parts, itertools.repeat(None) if self.hand_off else self.listeners):
            thread = threading.Thread(target=self.serve, args=(part, own, ready), daemon=True)
            thread.start()
            self.running.append((part, thread))
        with contextlib.suppress(threading.BrokenBarrierError):
            ready.wait()
        self.check()
        if self.hand_off:
            threading.Thread(target=self.deal_out, args=self.listeners, daemon=True).start()

    @staticmethod
    def serve(part: Part, own: Optional[socket.socket], ready: Gate) -> None:
        try:
            with ready.abandoned_on_error():
                asyncio.run(part.serve(own, ready.wait))
        except BaseException as failure:
            part.failure = failure

    def deal_out(self, acceptor: socket.socket) -> None:
        """Accepts, and gives the connections to the loops, one after another."""
        for part in itertools.cycle(self.parts):
            try:
                part.adopt(acceptor.accept()[0])
            except OSError:
                return  # closed

    def check(self) -> None:
        for part, thread in self.running:
            if part.failure or not thread.is_alive():
                raise RuntimeError(f"event loop {part.number} of the server has ended: {part.failure!r}")

    def served(self) -> tuple[list, list]:
        self.check()
        return [part.served() for part in self.parts], []

    def close(self) -> None:
        if self.hand_off:
            with contextlib.suppress(OSError):
                self.listeners[0].shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
            self.listeners[0].close()
        for part, _ in self.running:
            part.stop()
        for _, thread in self.running:
            thread.join(GRACE_S + 1)


class ServerOfProcesses(Server):
    """The parts of a server as child processes with an event loop each, which report by a pipe."""

    meter_children = False

    def prepare(self) -> None:
        context = multiprocessing.get_context(START_METHOD)
        for part, own in zip(self.parts, self.listeners):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve_in_child, args=(part, own, theirs), daemon=True)
            process.start()
            # Descriptors that are closed here are not inherited by the next child: the end of one would not be seen.
            own.close()
            theirs.close()
            self.running.append((process, ours))
        self.hear()

    def hear(self) -> list:
        """One message of each child."""
        heard = []
        for process, ours in self.running:
            try:
                heard.append(ours.recv())
            except (EOFError, OSError):
                process.join()
                end = how_it_ended(process.exitcode)
                raise RuntimeError(f"child process {process.pid} of the server {end}") from None
        return heard

    def tell(self, word: str) -> None:
        for _, ours in self.running:
            with contextlib.suppress(OSError):  # of a child that is gone, which `hear` finds
                ours.send(word)

    def served(self) -> tuple[list, list]:
        self.tell("run")
        served, usages, gils = zip(*self.hear())
        check_gil(any(gils))
        return served, usages

    def close(self) -> None:
        self.tell("stop")
        for process, ours in self.running:
            process.join(GRACE_S + 1)
            process.kill()
            process.join()
            ours.close()


def serve_in_child(part: Part, own: socket.socket, control: Any) -> None:
    die_with_worker()
    meter = Meter()

    def heard() -> None:
        nonlocal meter
        try:
            asked = control.recv()
        except EOFError:
            asked = "stop"
        if asked == "stop":
            part.loop.remove_reader(control.fileno())
            part.stop()
            return
        used, meter = meter.stop(), Meter()
        control.send((part.served(), used, gil_is_enabled()))

    def ready() -> None:
        part.loop.add_reader(control.fileno(), heard)
        control.send("ready")

    asyncio.run(part.serve(own, ready))


SERVERS: dict[str, type[Server]] = {"loops": ServerOfLoops, "processes": ServerOfProcesses}
