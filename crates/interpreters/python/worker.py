#!/usr/bin/env python3
"""Worker for CPython, with and without its lock: batches of tasks, and an HTTP server.

It speaks the worker protocol on stdin and stdout, whose full text is docs/protocol.md: one JSON object a line, a job first,
then a run for each repetition. One file, the standard library, Python 3.9 and later.

From top to bottom: the checksum, the operations (what one step of a task does), the models (how many tasks run at once), the
server, what a run costs, and the conversation. To bring your own operation or model, add one to OPERATIONS or MODELS.
"""

import json
import sys

NEEDS: str = "Python 3.9 or later"  # Python 2 stops at this line, and shows it.

if sys.version_info < (3, 9):
    sys.stdin.readline()
    found = ".".join(str(part) for part in sys.version_info[:3])
    print(json.dumps({"type": "error", "message": "python-worker needs %s, this is %s: name a newer one in the runtime's command"
                      % (NEEDS, found)}))
    sys.exit(1)

import asyncio
import contextlib
import copy
import importlib
import itertools
import multiprocessing
import os
import resource
import select
import shutil
import signal
import site
import socket
import sqlite3
import subprocess
import sysconfig
import threading
import time
import zipfile
import zlib
from concurrent import futures
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Callable, Generator, NamedTuple, Optional

PROTOCOL = 1
NAME = "python-worker 0.1.0"
PARENT_PID_VARIABLE = "PARALLAX_PARENT_PID"
MAX_WORKERS = 32_768
now_ns = time.perf_counter_ns  # monotonic


class Unsupported(Exception):
    """The job is understood, but this worker does not do such jobs. One sentence."""


class Malformed(Exception):
    """A line that is no message of this protocol, or comes out of order: it ends the conversation."""


# ---- The checksum: docs/protocol.md, "Checksum" ------------------------------------------------------------------------

MASK = 2**64 - 1


def mix(v: int) -> int:
    v = ((v ^ (v >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    v = ((v ^ (v >> 27)) * 0x94D049BB133111EB) & MASK
    return v ^ (v >> 31)


def task_seed(index: int) -> int:
    return mix(((index + 1) * 0x9E3779B97F4A7C15) & MASK)


def fold(state: int, result: int) -> int:
    return mix((((state << 23) | (state >> 41)) & MASK) ^ result)


# ---- Operations: docs/protocol.md, "Operations" ------------------------------------------------------------------------


class Operation:
    """What one step of a task does: it waits, or it computes, or it waits and then computes.

    Waiting has two forms: `wait` holds its thread, `wait_async` lets an event loop do something else. Computing has one:
    what blocks and cannot be awaited, such as reading a file, counts as computing. Every thread and every loop works with
    a copy of its own (`fresh`), so an operation needs no locks.
    """

    waits = False
    computes = False

    def __init__(self, task: dict, prefix: str) -> None:
        """Reads the parameters. `prefix` begins the name of every file that the job makes."""
        self.prefix = prefix
        self.idle: list = []  # connections that nobody uses at the moment
        self.free_slots: Optional[asyncio.Semaphore] = None
        self.read(task)

    def read(self, task: dict) -> None:
        """Reads the parameters of the operation."""

    def prepare(self) -> None:
        """Makes what all runs need, once a job."""

    def clean_up(self) -> None:
        """Removes what the job made."""

    def fresh(self) -> "Operation":
        """A copy for one thread or loop, without connections."""
        other = copy.copy(self)
        other.idle, other.free_slots = [], None
        return other

    def slots(self) -> asyncio.Semaphore:
        """On an event loop at most 64 steps have a process or a connection at once, as in our other workers."""
        self.free_slots = self.free_slots or asyncio.Semaphore(64)
        return self.free_slots

    def close(self) -> None:
        """Closes the connections."""
        for connection in self.idle:
            connection.close()
        self.idle = []

    def wait(self, index: int) -> int:
        raise NotImplementedError

    async def wait_async(self, index: int) -> int:
        raise NotImplementedError

    def compute(self, state: int, index: int) -> int:
        raise NotImplementedError


class SumOfSquares(Operation):
    computes = True

    def read(self, task: dict) -> None:
        self.n = number(task, "n")

    def compute(self, state: int, index: int) -> int:
        n, total = self.n, 0
        for i in range(n):
            total += i * i
        if total != (n - 1) * n * (2 * n - 1) // 6:
            raise RuntimeError(f"the sum of the squares below {n} came to {total}")
        return total & MASK


def burn(value: int, iterations: int) -> int:
    for index in range(iterations):
        value = (value * 1664525 + 1013904223 + index) & 0xFFFFFFFF
    return value


class Burn(Operation):
    computes = True

    def read(self, task: dict) -> None:
        self.iterations = number(task, "iterations")

    def compute(self, state: int, index: int) -> int:
        return burn(state & 0xFFFFFFFF, self.iterations)


class Primes(Operation):
    computes = True

    def read(self, task: dict) -> None:
        self.limit = number(task, "limit")

    def compute(self, state: int, index: int) -> int:
        count = 1 if self.limit > 2 else 0
        for candidate in range(3, self.limit, 2):
            divisor = 3
            while divisor * divisor <= candidate:
                if candidate % divisor == 0:
                    break
                divisor += 2
            else:
                count += 1
        return count


class Wait(Operation):
    waits = True

    def read(self, task: dict) -> None:
        self.seconds = number(task, "io_ns") / 1e9

    def wait(self, index: int) -> int:
        if self.seconds:  # sleep(0) would let others run
            time.sleep(self.seconds)
        return 1

    async def wait_async(self, index: int) -> int:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        return 1


class WaitAndBurn(Wait, Burn):
    def read(self, task: dict) -> None:
        Wait.read(self, task)
        Burn.read(self, task)


class Command(Operation):
    waits = True

    def read(self, task: dict) -> None:
        self.argv = [os_bytes(argument) for argument in texts(task, "argv")]
        if not self.argv:
            raise Malformed("argv is empty: a command needs a program")

    def wait(self, index: int) -> int:
        run_program(self.argv)
        return 0

    async def wait_async(self, index: int) -> int:
        async with self.slots():
            await run_program_async(self.argv)
        return 0


class OverTheNetwork(Operation):
    """An operation that is a dialogue with a server; see `Dialogue` below."""

    waits = True
    keeps = False

    def read(self, task: dict) -> None:
        address = text(task, "address")
        self.host, colon, port = address.rpartition(":")
        self.host = self.host.strip("[]")
        if not colon or not port.isdigit():
            raise Malformed(f"address {address!r} is no host:port")
        self.port = int(port)

    def dialogue(self) -> "Dialogue":
        raise NotImplementedError

    def wait(self, index: int) -> int:
        connection = self.idle.pop() if self.idle else Connected(socket.create_connection((self.host, self.port)))
        try:
            result, reusable = talk(self.dialogue(), connection)
            if reusable and self.keeps:
                self.idle.append(connection)
                connection = None
        finally:
            if connection:
                connection.close()
        return result

    async def wait_async(self, index: int) -> int:
        async with self.slots():
            return await self.talk_async()

    async def talk_async(self) -> int:
        reader, writer = self.idle.pop().streams if self.idle else await asyncio.open_connection(self.host, self.port)
        try:
            result, reusable = await talk_async(self.dialogue(), reader, writer)
            if reusable and self.keeps:
                self.idle.append(Streams(reader, writer))
                writer = None
        finally:
            if writer:
                writer.close()
        return result


class HttpGet(OverTheNetwork):
    def read(self, task: dict) -> None:
        super().read(task)
        self.keeps = flag(task, "keep_alive")
        fields = f"GET {text(task, 'path')} HTTP/1.1\r\nHost: {task['address']}\r\n"
        self.request = (fields + ("\r\n" if self.keeps else "Connection: close\r\n\r\n")).encode()

    def dialogue(self) -> "Dialogue":
        return http_dialogue(self.request)


class SmtpSend(OverTheNetwork):
    def read(self, task: dict) -> None:
        super().read(task)
        self.size = number(task, "body_bytes")
        lines = generated(0, self.size).split(b"\n")
        self.mail = b"\r\n".join(b"." + line if line.startswith(b".") else line for line in lines)

    def dialogue(self) -> "Dialogue":
        return smtp_dialogue(self.mail, self.size)


class DbSelect(Operation):
    computes = True

    def read(self, task: dict) -> None:
        database, query = text(task, "database"), table(task, "query")
        if database != "sqlite":
            raise Unsupported(f"python-worker has no client for {database}: everyday-worker has, this one has sqlite only")
        if "compute" not in query:
            raise Unsupported("SQLite cannot wait: db-select with a wait needs postgres, for which everyday-worker has a client")
        self.rows = number(table(query, "compute"), "rows")
        self.path = os_bytes(text(task, "connection"))

    def compute(self, state: int, index: int) -> int:
        # One for each thread and loop. A loop needs no more of them, as a query holds it until the answer is there.
        if not self.idle:
            # Only this thread asks; another one may close it when the run is over.
            self.idle.append(sqlite3.connect(self.path, check_same_thread=False))
        ((total,),) = self.idle[0].execute(
            "WITH RECURSIVE numbers(i) AS (SELECT 1 WHERE :rows >= 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :rows)"
            " SELECT coalesce(sum((i * i) % 7919), 0) FROM numbers",
            {"rows": self.rows},
        )
        return total


class WithFiles(Operation):
    """An operation that makes files in a folder."""

    def read(self, task: dict) -> None:
        self.folder = os.path.abspath(text(task, "folder"))

    def path(self, name: str) -> bytes:
        return os_bytes(f"{self.folder}/{self.prefix}-{name}")

    def make(self, name: str, content: bytes) -> None:
        with open(self.path(name), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # what is not on the disk cannot be dropped from the page cache

    def clean_up(self) -> None:
        beginning = os_bytes(self.prefix + "-")
        with contextlib.suppress(FileNotFoundError):
            for name in os.listdir(os_bytes(self.folder)):
                path = os.path.join(os_bytes(self.folder), name)
                if name.startswith(beginning):
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


class FileRead(WithFiles):
    computes = True

    def read(self, task: dict) -> None:
        super().read(task)
        self.size, self.cold = number(task, "size_bytes"), flag(task, "cold")
        if self.cold and not hasattr(os, "posix_fadvise"):
            raise Unsupported("this system has no posix_fadvise: files cannot be dropped from the page cache")

    def prepare(self) -> None:
        for file in range(8):
            self.make(f"read-{file}", generated(file, self.size))

    def compute(self, state: int, index: int) -> int:
        with open(self.path(f"read-{index % 8}"), "rb", buffering=0) as file:
            if self.cold:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return zlib.crc32(file.read())


class FileWrite(WithFiles):
    computes = True

    def read(self, task: dict) -> None:
        super().read(task)
        self.size, self.fsync = number(task, "size_bytes"), flag(task, "fsync")
        self.content = generated(0, self.size)

    def compute(self, state: int, index: int) -> int:
        with open(self.path(f"write-{index}"), "wb") as file:
            file.write(self.content)
            if self.fsync:
                file.flush()
                os.fsync(file.fileno())
        return self.size


class ByProgram(WithFiles):
    """An operation that a program does, or a library. A program is waited for; checking what it made is computing."""

    computes = True
    where: Optional[bytes] = None  # the folder in which the program is started

    def read(self, task: dict) -> None:
        super().read(task)
        by = task.get("by")
        self.program = by.get("program") if isinstance(by, dict) else None
        self.waits = self.program is not None
        if by != "library" and not isinstance(self.program, str):
            raise Malformed(f"by is {by!r}: it is \"library\" or {{\"program\":…}}")

    def argv(self, index: int) -> list[bytes]:
        raise NotImplementedError

    def wait(self, index: int) -> int:
        run_program(self.argv(index), self.where)
        return 0

    async def wait_async(self, index: int) -> int:
        async with self.slots():
            await run_program_async(self.argv(index), self.where)
        return 0


class Zip(ByProgram):
    def read(self, task: dict) -> None:
        super().read(task)
        self.files, self.size = number(task, "files"), number(task, "file_bytes")

        self.where = self.path("pack")

    def prepare(self) -> None:
        os.mkdir(self.where)
        for file in range(self.files):
            self.make(f"pack/{file}.txt", generated(file, self.size))

    def argv(self, index: int) -> list[bytes]:
        return [os_bytes(self.program), b"-q", b"-r", b"-D", self.path(f"{index}.zip"), b"."]

    def compute(self, state: int, index: int) -> int:
        if not self.program:
            with open(self.path(f"{index}.zip"), "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for number in range(self.files):
                    with open(self.path(f"pack/{number}.txt"), "rb") as packed:
                        archive.writestr(f"{number}.txt", packed.read(), compresslevel=6)
        with open(self.path(f"{index}.zip"), "rb") as file, zipfile.ZipFile(file) as archive:
            # Reading an entry checks its sum.
            sums = [zlib.crc32(archive.read(entry)) for entry in archive.infolist()]
        os.remove(self.path(f"{index}.zip"))
        if len(sums) != self.files:
            raise RuntimeError(f"the archive has {len(sums)} entries instead of {self.files}")
        return sum(sums) & MASK


class ResizeImage(ByProgram):
    def read(self, task: dict) -> None:
        super().read(task)
        if not self.program:
            raise Unsupported("Python's standard library has no pictures: resize by {\"program\":\"convert\"}, or everyday-worker")
        self.source_width, self.width = number(task, "source_width"), number(task, "width")
        self.height = self.width * 3 // 4
        if self.width < 64:
            raise ValueError(f"width is {self.width}: a picture is at least 64 wide")

    def prepare(self) -> None:
        # The source is a gradient. One picture is made now and looked at; those of the runs are checked by their size.
        width, height = self.source_width, self.source_width * 3 // 4
        self.make("source.ppm", gradient(width, height))
        run_program([os_bytes(self.program), self.path("source.ppm"), self.path("source.jpg")])
        self.wait(-1)
        self.compute(0, -1)
        looked_at = self.path("look.ppm")
        run_program([os_bytes(self.program), self.path("-1.jpg"), b"-resize", b"4x3!", b"-depth", b"8", looked_at])
        with open(looked_at, "rb") as file:
            seen = file.read()[-36:]
        if max(abs(a - b) for a, b in zip(seen, gradient(4, 3)[-36:])) > 24:
            raise RuntimeError(f"{self.program} made a picture that does not look like its source")

    def argv(self, index: int) -> list[bytes]:
        size = f"{self.width}x{self.height}!".encode()
        return [os_bytes(self.program), self.path("source.jpg"), b"-resize", size, self.path(f"{index}.jpg")]

    def compute(self, state: int, index: int) -> int:
        with open(self.path(f"{index}.jpg"), "rb") as file:
            width, height = jpeg_size(file.read())
        if (width, height) != (self.width, self.height):
            raise RuntimeError(f"{self.program} made a picture of {width}x{height} instead of {self.width}x{self.height}")
        return (width << 32) + height


OPERATIONS: dict[str, type[Operation]] = {
    "sum-of-squares": SumOfSquares,
    "burn": Burn,
    "primes": Primes,
    "wait": Wait,
    "wait-and-burn": WaitAndBurn,
    "command": Command,
    "http-get": HttpGet,
    "smtp-send": SmtpSend,
    "db-select": DbSelect,
    "file-read": FileRead,
    "file-write": FileWrite,
    "resize-image": ResizeImage,
    "zip": Zip,
}


# What operations are made of.


def os_bytes(words: str) -> bytes:
    """A path or an argument for the system: UTF-8 whatever the locale says."""
    return words.encode("utf-8", "surrogateescape")


def generated(file: int, size: int) -> bytes:
    """Generated file number `file`, cut off at `size` bytes."""
    lines = range(-(-size // 26))
    return b"".join(b"%08d %016x\n" % (line, mix(((file << 32) + line) & MASK)) for line in lines)[:size]


SILENT: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
os.environ["MAGICK_THREAD_LIMIT"] = "1"  # how many pictures are made at once is the model's affair


def run_program(argv: list[bytes], where: Optional[bytes] = None) -> None:
    judge(argv, subprocess.run(argv, cwd=where, **SILENT).returncode)


async def run_program_async(argv: list[bytes], where: Optional[bytes] = None) -> None:
    process = await asyncio.create_subprocess_exec(*argv, cwd=where, **SILENT)
    judge(argv, await process.wait())


def judge(argv: list[bytes], status: int) -> None:
    if status:
        raise RuntimeError(f"{os.fsdecode(argv[0])} {how_it_ended(status)}")


def how_it_ended(status: int) -> str:
    return f"exited with status {status}" if status > 0 else f"was ended by signal {-status}"


def gradient(width: int, height: int) -> bytes:
    """A picture (PPM) whose red rises to the right, whose green rises downwards, and whose blue falls to the right."""
    row = bytearray(3 * width)
    row[0::3] = bytes(255 * (2 * x + 1) // (2 * width) for x in range(width))
    row[2::3] = bytes(255 - red for red in row[0::3])
    rows = []
    for y in range(height):
        row[1::3] = bytes([255 * (2 * y + 1) // (2 * height)]) * width
        rows.append(bytes(row))
    return b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows)


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height, from the first frame header (SOF) of a JPEG."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + length
    raise RuntimeError("what was made is no JPEG picture")


# Dialogues with servers. Each is written once and spoken in two ways: by a thread that blocks, and on an event loop. It yields
# what it wants, bytes to send or a way to read, is sent what was read, and returns (result, whether the connection can go on).

Dialogue = Generator[Any, bytes, tuple[int, bool]]
LINE, REST = "line", "rest"  # a number of bytes is read exactly


class Connected:
    """A connection of a thread."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.file = connection, connection.makefile("rb")

    def close(self) -> None:
        self.file.close()
        self.socket.close()


class Streams(NamedTuple):
    """A connection of an event loop."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def streams(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return self.reader, self.writer

    def close(self) -> None:
        self.writer.close()


def talk(dialogue: Dialogue, connection: Connected) -> tuple[int, bool]:
    heard: Any = None
    try:
        while True:
            wish = dialogue.send(heard)
            if isinstance(wish, bytes):
                heard = connection.socket.sendall(wish)
            elif wish == LINE:
                heard = connection.file.readline()
            else:
                heard = connection.file.read() if wish == REST else connection.file.read(wish)
    except StopIteration as end:
        return end.value


async def talk_async(dialogue: Dialogue, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[int, bool]:
    heard: Any = None
    try:
        while True:
            wish = dialogue.send(heard)
            if isinstance(wish, bytes):
                writer.write(wish)
                heard = await writer.drain()
            elif wish == LINE:
                heard = await reader.readline()
            else:
                heard = await reader.read() if wish == REST else await reader.readexactly(wish)
    except StopIteration as end:
        return end.value


def http_dialogue(request: bytes) -> Dialogue:
    """Asks for a page; the result is the length of its body."""
    yield request
    status = (yield LINE).split(b" ", 2)
    if len(status) < 2 or not status[0].startswith(b"HTTP/1."):
        raise RuntimeError(f"the server answered {b' '.join(status)[:60]!r}, which is not HTTP")
    if status[1].strip() != b"200":
        raise RuntimeError(f"the server answered with status {status[1].decode(errors='replace')} instead of 200")
    fields: dict[bytes, bytes] = {}
    line = yield LINE
    while line.strip():
        name, _, value = line.partition(b":")
        fields[name.strip().lower()] = value.strip().lower()
        line = yield LINE
    reusable = status[0] == b"HTTP/1.1" and fields.get(b"connection") != b"close"
    if fields.get(b"transfer-encoding") == b"chunked":
        length, size = 0, int((yield LINE).split(b";")[0], 16)
        while size:
            length += exactly(size, (yield size))
            yield LINE
            size = int((yield LINE).split(b";")[0], 16)
        while (yield LINE).strip():
            pass  # trailers
        return length, reusable
    if b"content-length" in fields:
        size = int(fields[b"content-length"])
        return exactly(size, (yield size)), reusable
    return len((yield REST)), False


def exactly(size: int, read: bytes) -> int:
    if len(read) != size:
        raise RuntimeError(f"the server closed the connection after {len(read)} of {size} bytes")
    return size


def smtp_dialogue(mail: bytes, size: int) -> Dialogue:
    """Hands over one mail."""
    steps = [
        (b"", b"220"),
        (b"EHLO localhost\r\n", b"250"),
        (b"MAIL FROM:<sender@localhost>\r\n", b"250"),
        (b"RCPT TO:<recipient@localhost>\r\n", b"250"),
        (b"DATA\r\n", b"354"),
        (mail + (b".\r\n" if mail.endswith(b"\r\n") or not mail else b"\r\n.\r\n"), b"250"),
        (b"QUIT\r\n", b"221"),
    ]
    for said, expected in steps:
        if said:
            yield said
        line = yield LINE
        while line[3:4] == b"-":  # more lines follow
            line = yield LINE
        if not line.startswith(expected):
            command = said[:4].decode() if len(said) < 60 else "the mail"
            raise RuntimeError(f"the mail server answered {command or 'the connection'} with {line.strip()[:80]!r}")
    return size, False


# ---- Models: docs/protocol.md, "Models" --------------------------------------------------------------------------------


class Batch:
    """A job of kind `batch`, its fields checked."""

    def __init__(self, job: dict, prefix: str) -> None:
        self.job, self.prefix = job, prefix
        self.model = word(job, "model", MODELS, "model")
        refuse_lock(job)
        self.workers = number(job, "workers")
        self.steps = number(job, "steps", 1)
        if not 1 <= self.workers <= MAX_WORKERS or not self.steps:
            raise ValueError(f"workers is {self.workers} and steps {self.steps}: 1 to {MAX_WORKERS} and 1 or more are possible")
        self.first, self.tasks = number(job, "first_task", 0), number(job, "tasks")
        if self.first + self.tasks > MASK + 1:
            raise ValueError(f"first_task {self.first} and tasks {self.tasks} together exceed 2^64")
        task = table(job, "task")
        self.operation = word(task, "op", OPERATIONS, "operation")(task, prefix)
        self.indices = range(self.first, self.first + self.tasks)

    def share(self, worker: int) -> range:
        """The contiguous share of one worker. Shares differ by one task at most; the first ones are the larger."""
        each, left = divmod(self.tasks, self.workers)
        start = self.first + worker * each + min(worker, left)
        return range(start, start + each + (worker < left))


class Outcome(NamedTuple):
    """What a run came to."""

    setup_ns: int
    elapsed_ns: int
    checksum: int
    workers: list[int]
    usage: dict


class Gate(threading.Barrier):
    """Where all threads wait for each other before they start together. It notes when that was."""

    started_ns = 0
    failure: Optional[BaseException] = None

    def __init__(self, parties: int) -> None:
        super().__init__(parties, self.note)

    def note(self) -> None:
        self.started_ns = now_ns()

    @contextlib.contextmanager
    def abandoned_on_error(self) -> Generator[None, None, None]:
        try:
            yield
        except threading.BrokenBarrierError:
            raise self.failure or RuntimeError("a thread did not come to the start") from None
        except BaseException as failure:
            if not self.started_ns:  # nobody waits for a thread that will not come
                self.failure = failure
                self.abort()
            raise


def run_task(operation: Operation, index: int, steps: int) -> int:
    """Does one task on the calling thread."""
    state = task_seed(index)
    for _ in range(steps):
        if operation.waits:
            result = operation.wait(index)
        if operation.computes:
            result = operation.compute(state, index)
        state = fold(state, result)
    return state


async def run_task_async(operation: Operation, index: int, steps: int) -> int:
    """Does one task on an event loop, which its computing blocks."""
    state = task_seed(index)
    for _ in range(steps):
        if operation.waits:
            result = await operation.wait_async(index)
        if operation.computes:
            result = operation.compute(state, index)
        state = fold(state, result)
    return state


def sequential(batch: Batch) -> Outcome:
    begun, meter = now_ns(), Meter()
    with contextlib.closing(batch.operation.fresh()) as operation:
        started = now_ns()
        checksum = sum(run_task(operation, index, batch.steps) for index in batch.indices)
        ended = now_ns()
    return Outcome(started - begun, ended - started, checksum, [batch.tasks], meter.stop())


class Seat:
    """What a thread of a pool has for itself."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation.fresh()
        self.done = 0


class Pool(ThreadPoolExecutor):
    """A ThreadPoolExecutor all of whose threads have started, each with a seat, and wait at a gate."""

    def __init__(self, batch: Batch) -> None:
        super().__init__(batch.workers)
        self.batch, self.local, self.seats = batch, threading.local(), []
        self.gate = Gate(batch.workers + 1)
        with self.gate.abandoned_on_error():
            for _ in range(batch.workers):
                self.submit(self.enter)

    def enter(self) -> None:
        self.local.seat = Seat(self.batch.operation)
        self.seats.append(self.local.seat)
        self.gate.wait()

    def counts(self) -> list[int]:
        return [seat.done for seat in self.seats]

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error:
            self.gate.abort()
        self.shutdown(wait=True, cancel_futures=True)
        for seat in self.seats:
            seat.operation.close()


def threads(batch: Batch) -> Outcome:
    """A ThreadPoolExecutor, whose threads take tasks from its queue."""

    def work(index: int) -> int:
        seat = pool.local.seat
        state = run_task(seat.operation, index, batch.steps)
        seat.done += 1
        return state

    begun, meter = now_ns(), Meter()
    with Pool(batch) as pool:
        tasks = [pool.submit(work, index) for index in batch.indices]
        pool.gate.wait()
        wait_for_all(tasks)
        ended = now_ns()
        checksum = sum(task.result() for task in tasks)
        setup, elapsed = pool.gate.started_ns - begun, ended - pool.gate.started_ns
        return Outcome(setup, elapsed, checksum, pool.counts(), meter.stop())


def wait_for_all(tasks: list[futures.Future]) -> None:
    """Waits for the end of all, or raises what the first one that failed has raised."""
    for task in futures.wait(tasks, return_when=futures.FIRST_EXCEPTION).done:
        task.result()


def share_on_a_loop(batch: Batch, indices: range, gate: Gate) -> tuple[int, int, int]:
    """Does a share of the tasks on an event loop of the calling thread, all at once: checksum, count and time of the end."""

    async def share() -> tuple[int, int, int]:
        with contextlib.closing(batch.operation.fresh()) as operation:
            gate.wait()  # blocks the loop, which has nothing else to do yet
            states = await asyncio.gather(*(run_task_async(operation, index, batch.steps) for index in indices))
            return sum(states), len(states), now_ns()

    with gate.abandoned_on_error():
        return asyncio.run(share())


def one_loop(batch: Batch) -> Outcome:
    begun, meter, gate = now_ns(), Meter(), Gate(1)
    checksum, done, ended = share_on_a_loop(batch, batch.indices, gate)
    return Outcome(gate.started_ns - begun, ended - gate.started_ns, checksum, [done], meter.stop())


def loops(batch: Batch) -> Outcome:
    """Threads with an event loop each."""
    begun, meter, gate = now_ns(), Meter(), Gate(batch.workers)
    with ThreadPoolExecutor(batch.workers) as pool, gate.abandoned_on_error():
        shares = [pool.submit(share_on_a_loop, batch, batch.share(worker), gate) for worker in range(batch.workers)]
        wait_for_all(shares)
        parts = [share.result() for share in shares]
    elapsed = max(ended for _, _, ended in parts) - gate.started_ns
    checksum, counts = sum(part for part, _, _ in parts), [done for _, done, _ in parts]
    return Outcome(gate.started_ns - begun, elapsed, checksum, counts, meter.stop())


def offload(batch: Batch) -> Outcome:
    """One event loop, which sends what computes to a ThreadPoolExecutor, as `asyncio.to_thread` does."""
    if not batch.operation.computes:
        return one_loop(batch)

    def compute(state: int, index: int, last: bool) -> int:
        seat = pool.local.seat
        result = seat.operation.compute(state, index)
        seat.done += last
        return result

    async def task(loop: asyncio.AbstractEventLoop, operation: Operation, index: int) -> int:
        state = task_seed(index)
        for left in reversed(range(batch.steps)):
            if operation.waits:
                await operation.wait_async(index)
            state = fold(state, await loop.run_in_executor(pool, compute, state, index, left == 0))
        return state

    async def all_tasks() -> tuple[int, int]:
        with contextlib.closing(batch.operation.fresh()) as operation:
            loop = asyncio.get_running_loop()
            pool.gate.wait()
            states = await asyncio.gather(*(task(loop, operation, index) for index in batch.indices))
            return sum(states), now_ns()

    begun, meter = now_ns(), Meter()
    with Pool(batch) as pool:
        checksum, ended = asyncio.run(all_tasks())
        setup, elapsed = pool.gate.started_ns - begun, ended - pool.gate.started_ns
        return Outcome(setup, elapsed, checksum, pool.counts(), meter.stop())


# How child processes are made. `fork`, which was the default on Linux up to 3.13, for all versions alike, so that versions are
# compared and not ways to start: this process has no other threads when it makes a pool. Elsewhere `spawn`, as forking is not
# safe on macOS. PARALLAX_START_METHOD chooses another one, such as the `forkserver` that is 3.14's default.
START_METHOD = os.environ.get("PARALLAX_START_METHOD") or ("fork" if sys.platform.startswith("linux") else "spawn")


class Child:
    """What a child process of the pool keeps: set by `begin_child`, used by `share_in_child`."""

    batch: Batch
    ready: Any
    go: Any


def begin_child(batch: Batch, ready: Any, go: Any) -> None:
    die_with_parent_process()
    Child.batch, Child.ready, Child.go = batch, ready, go


def share_in_child(worker: int) -> tuple[int, int, dict, bool]:
    batch = Child.batch
    with contextlib.closing(batch.operation.fresh()) as operation:
        Child.ready.release()
        Child.go.acquire()
        return do_share(batch, operation, worker)


def do_share(batch: Batch, operation: Operation, worker: int) -> tuple[int, int, dict, bool]:
    """One worker's share, one task after another: checksum, count, cost, and whether there is a GIL afterwards."""
    meter, indices = Meter(), batch.share(worker)
    checksum = sum(run_task(operation, index, batch.steps) for index in indices)
    return checksum, len(indices), meter.stop(), gil_is_enabled()


def processes(batch: Batch) -> Outcome:
    """A ProcessPoolExecutor, each of whose processes is given one share."""
    begun, meter = now_ns(), Meter(with_children=False)
    context = multiprocessing.get_context(START_METHOD)
    ready, go = context.Semaphore(0), context.Semaphore(0)
    with ProcessPoolExecutor(batch.workers, context, begin_child, (batch, ready, go)) as pool:
        children: dict[int, Any] = {}
        try:
            shares = []
            for worker in range(batch.workers):
                shares.append(pool.submit(share_in_child, worker))
                children.update(pool._processes)  # `multiprocessing.active_children` forgets those that have died already
            for _ in range(batch.workers):
                while not ready.acquire(timeout=0.05):
                    raise_failure(shares)
            started = now_ns()
            for _ in range(batch.workers):
                go.release()
            wait_for_all(shares)
            ended = now_ns()
        except futures.process.BrokenProcessPool:
            pool.shutdown(wait=True)
            raise RuntimeError(f"the process pool broke: {what_happened_to(children)}") from None
        except BaseException:
            for child in children.values():
                child.kill()  # a run that has failed need not be finished
            raise
        used = meter.stop()
    parts = [share.result() for share in shares]
    for _, _, usage, gil in parts:
        used = together(used, usage)
        check_gil(gil)
    return Outcome(started - begun, ended - started, sum(part[0] for part in parts), [part[1] for part in parts], used)


def raise_failure(shares: list[futures.Future]) -> None:
    """Raises what a share that has ended already has raised."""
    for share in shares:
        if share.done():
            share.result()


def what_happened_to(children: dict[int, Any]) -> str:
    # The pool ends those that are left by SIGTERM, so that is not the reason where there is another one.
    ends = sorted((one.exitcode == -signal.SIGTERM, pid, one.exitcode) for pid, one in children.items() if one.exitcode)
    if not ends:
        return "a child process ended before it had answered, and nobody knows how"
    _, pid, status = ends[0]
    return f"child process {pid} {how_it_ended(status)} before it had answered"


def interpreters(batch: Batch) -> Outcome:
    """An InterpreterPoolExecutor, each of whose interpreters is given one share. They share descriptors, so pipes are the gate."""
    begun, meter = now_ns(), Meter()
    # By its own name, not as `__main__`, which in another interpreter is something else.
    folder, name = os.path.split(os.path.abspath(__file__))
    if folder not in sys.path:
        sys.path.append(folder)
    share = importlib.import_module(name[: -len(".py")]).share_in_interpreter
    (arrived, arrive), (leave, let_go) = os.pipe(), os.pipe()
    try:
        with futures.InterpreterPoolExecutor(batch.workers, initializer=site.addsitedir, initargs=(folder,)) as pool:
            try:
                shares = [
                    pool.submit(share, batch.job, batch.prefix, worker, arrive, leave) for worker in range(batch.workers)
                ]
                here = 0
                while here < batch.workers:
                    if select.select([arrived], [], [], 0.05)[0]:
                        here += len(os.read(arrived, batch.workers - here))
                    else:
                        raise_failure(shares)
                started = now_ns()
                os.write(let_go, bytes(batch.workers))
                wait_for_all(shares)
                ended = now_ns()
            finally:
                os.close(let_go)  # whoever still waits is told that nothing comes
    finally:
        for descriptor in (arrived, arrive, leave):
            os.close(descriptor)
    parts = [share.result() for share in shares]
    return Outcome(started - begun, ended - started, sum(part[0] for part in parts), [part[1] for part in parts], meter.stop())


def share_in_interpreter(job: dict, prefix: str, worker: int, arrive: int, leave: int) -> tuple[int, int, dict, bool]:
    batch = Batch(job, prefix)
    with contextlib.closing(batch.operation.fresh()) as operation:
        os.write(arrive, b"x")
        if not os.read(leave, 1):
            raise RuntimeError("another interpreter of the pool could not be started")
        return do_share(batch, operation, worker)


MODELS: dict[str, Callable[[Batch], Outcome]] = {
    "sequential": sequential,
    "threads": threads,
    "processes": processes,
    "async": one_loop,
    "loops": loops,
    "offload": offload,
}
if hasattr(futures, "InterpreterPoolExecutor"):  # from 3.14 on
    MODELS["interpreters"] = interpreters


class BatchJob:
    """A batch that can be run."""

    ports: list[int] = []

    def __init__(self, job: dict) -> None:
        self.batch = Batch(job, str(os.getpid()))
        try:
            self.batch.operation.prepare()
        except BaseException:
            self.close()
            raise

    def run(self) -> dict:
        outcome = self.batch.model(self.batch)
        check_gil(gil_is_enabled())
        return {
            "type": "sample",
            "elapsed_ns": outcome.elapsed_ns,
            "setup_ns": outcome.setup_ns,
            "tasks": sum(outcome.workers),
            "checksum": f"{outcome.checksum & MASK:016x}",
            "workers": outcome.workers,
            "usage": outcome.usage,
        }

    def close(self) -> None:
        self.batch.operation.clean_up()


# ---- The server: docs/protocol.md, "Servers" ---------------------------------------------------------------------------

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
        self.open: set[asyncio.Task] = set()
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
            except asyncio.LimitOverrunError:
                writer.write(refusal("431 Request Header Fields Too Large"))
                return
            except Refused as refused:
                writer.write(refusal(str(refused)))
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


def refusal(status: str) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()


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


def per_port(workers: int) -> list[socket.socket]:
    return [listener() for _ in range(workers)]


def reuse_port(workers: int) -> list[socket.socket]:
    first = listener(reuse=True)
    return [first] + [listener(first.getsockname()[1], reuse=True) for _ in range(workers - 1)]


def shared(workers: int) -> list[socket.socket]:
    first = listener()
    return [first] + [first.dup() for _ in range(workers - 1)]


def hand_off(workers: int) -> list[socket.socket]:
    return [listener()]  # of the acceptor; the loops have none


LISTEN: dict[str, Callable[[int], list[socket.socket]]] = {
    "per-port": per_port,
    "reuse-port": reuse_port,
    "shared": shared,
    "hand-off": hand_off,
}


class ServeJob:
    """A server that runs."""

    def __init__(self, job: dict) -> None:
        servers = {"loops": ServerOfLoops, "processes": ServerOfProcesses}
        server = word(job, "model", servers, "model of a server")
        listen = word(job, "listen", LISTEN, "way to listen")
        refuse_lock(job)
        workers, io_ns, iterations = number(job, "workers"), number(job, "io_ns"), number(job, "iterations")
        if not 1 <= workers <= 256:
            raise ValueError(f"workers is {workers}: a server has 1 to 256, as two digits of an answer name no more")
        if listen is reuse_port and not hasattr(socket, "SO_REUSEPORT"):
            raise Unsupported("this system has no SO_REUSEPORT")
        if listen is hand_off and server is ServerOfProcesses:
            raise Unsupported("python-worker hands connections to loops only: choose those, or another way to listen")
        # One descriptor for each connection.
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        listeners = listen(workers)
        self.ports = list(dict.fromkeys(own.getsockname()[1] for own in listeners))
        self.server = server()
        try:
            self.server.start([Part(worker, io_ns, iterations) for worker in range(workers)], listeners, listen is hand_off)
        except BaseException:
            self.close()
            raise

    def run(self) -> dict:
        served, usage = self.server.served()
        check_gil(gil_is_enabled())
        requests, connections = [part[0] for part in served], [part[1] for part in served]
        return {"type": "served", "requests": requests, "connections": connections, "usage": usage}

    def close(self) -> None:
        self.server.stop()


class ServerOfLoops:
    """The parts of a server as threads with an event loop each."""

    def __init__(self) -> None:
        self.running: list[tuple[Part, threading.Thread]] = []
        self.acceptor: Optional[socket.socket] = None
        self.meter = Meter()

    def start(self, parts: list[Part], listeners: list[socket.socket], hand_off: bool) -> None:
        ready = Gate(len(parts) + 1)
        for part, own in zip(parts, itertools.repeat(None) if hand_off else listeners):
            thread = threading.Thread(target=self.serve, args=(part, own, ready), daemon=True)
            thread.start()
            self.running.append((part, thread))
        with contextlib.suppress(threading.BrokenBarrierError):
            ready.wait()
        self.check()
        if hand_off:
            (self.acceptor,) = listeners
            threading.Thread(target=self.deal_out, args=(self.acceptor, parts), daemon=True).start()

    @staticmethod
    def serve(part: Part, own: Optional[socket.socket], ready: Gate) -> None:
        try:
            with ready.abandoned_on_error():
                asyncio.run(part.serve(own, ready.wait))
        except BaseException as failure:
            part.failure = failure

    @staticmethod
    def deal_out(acceptor: socket.socket, parts: list[Part]) -> None:
        """Accepts, and gives the connections to the loops, one after another."""
        for part in itertools.cycle(parts):
            try:
                part.adopt(acceptor.accept()[0])
            except OSError:
                return  # closed

    def check(self) -> None:
        for part, thread in self.running:
            if part.failure or not thread.is_alive():
                raise RuntimeError(f"event loop {part.number} of the server has ended: {part.failure!r}")

    def served(self) -> tuple[list[tuple[int, int]], dict]:
        self.check()
        usage, self.meter = self.meter.stop(), Meter()
        return [part.served() for part, _ in self.running], usage

    def stop(self) -> None:
        if self.acceptor:
            with contextlib.suppress(OSError):
                self.acceptor.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
            self.acceptor.close()
        for part, _ in self.running:
            part.stop()
        for _, thread in self.running:
            thread.join(GRACE_S + 1)


class ServerOfProcesses:
    """The parts of a server as child processes with an event loop each."""

    def __init__(self) -> None:
        self.children: list[tuple[Any, Connection]] = []
        self.meter = Meter(with_children=False)

    def start(self, parts: list[Part], listeners: list[socket.socket], hand_off: bool) -> None:
        context = multiprocessing.get_context(START_METHOD)
        for part, own in zip(parts, listeners):
            ours, theirs = context.Pipe()
            child = context.Process(target=serve_in_child, args=(part, own, theirs), daemon=True)
            child.start()
            # Descriptors that are closed here are not inherited by the next child: the end of one would not be seen.
            own.close()
            theirs.close()
            self.children.append((child, ours))
        for child, ours in self.children:
            self.hear(child, ours)

    @staticmethod
    def hear(child: Any, ours: Connection) -> Any:
        try:
            return ours.recv()
        except (EOFError, OSError):
            child.join()
            raise RuntimeError(f"child process {child.pid} of the server {how_it_ended(child.exitcode)}") from None

    def served(self) -> tuple[list[tuple[int, int]], dict]:
        usage, self.meter = self.meter.stop(), Meter(with_children=False)
        for _, ours in self.children:
            with contextlib.suppress(OSError):  # of a child that is gone, which is found below
                ours.send("run")
        answers = [self.hear(child, ours) for child, ours in self.children]
        for _, used, gil in answers:
            usage = together(usage, used)
            check_gil(gil)
        return [served for served, _, _ in answers], usage

    def stop(self) -> None:
        for _, ours in self.children:
            with contextlib.suppress(OSError):
                ours.send("stop")
        for child, ours in self.children:
            child.join(GRACE_S + 1)
            child.kill()
            child.join()
            ours.close()


def serve_in_child(part: Part, own: socket.socket, control: Connection) -> None:
    die_with_parent_process()
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


# ---- What a run costs, the lock, and the parent process ----------------------------------------------------------------


class Meter:
    """Counts what this process uses from its making on; with children, those that it has waited for as well."""

    def __init__(self, with_children: bool = True) -> None:
        self.whose = [resource.RUSAGE_SELF] + [resource.RUSAGE_CHILDREN] * with_children
        self.before = self.read()

    def read(self) -> dict[str, int]:
        used = [resource.getrusage(who) for who in self.whose]
        disk = {}
        with contextlib.suppress(OSError), open("/proc/self/io", "rb") as counts:
            disk = dict(line.split(b": ") for line in counts)
        return {
            **{f"disk_{what}": int(disk[what.encode()]) for what in ("read_bytes", "write_bytes") if disk},
            "user_ns": round(sum(one.ru_utime for one in used) * 1e9),
            "sys_ns": round(sum(one.ru_stime for one in used) * 1e9),
            "voluntary_switches": sum(one.ru_nvcsw for one in used),
            "involuntary_switches": sum(one.ru_nivcsw for one in used),
        }

    def stop(self) -> dict[str, Optional[int]]:
        usage: dict[str, Optional[int]] = {name: value - self.before[name] for name, value in self.read().items()}
        return {**usage, "peak_rss_bytes": peak_rss_bytes(), "processes": 1}


def peak_rss_bytes() -> Optional[int]:
    """The largest resident set so far. Not `ru_maxrss`, which begins with the peak of whoever started this process."""
    with contextlib.suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def together(one: dict, other: dict) -> dict:
    """The usage of two processes together. Unknown plus anything is unknown."""
    return {name: None if None in (one[name], other.get(name)) else one[name] + other[name] for name in one}


def gil_is_enabled() -> bool:
    return getattr(sys, "_is_gil_enabled", lambda: True)()  # 3.13 and later can be without


GIL_AT_START = gil_is_enabled()


def check_gil(enabled: bool) -> None:
    if enabled and not GIL_AT_START:
        raise RuntimeError(
            "the GIL came back on during the run: a module was imported that does not say that it works without;"
            " set PYTHON_GIL=0 to keep it off, or do not import the module"
        )


def facts() -> dict[str, Any]:
    """What else is worth recording."""
    return {
        "usable_cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "free_threaded_build": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "gil_enabled": gil_is_enabled(),
        "switch_interval_ns": round(sys.getswitchinterval() * 1e9),
        "start_method": START_METHOD,
        "sqlite": sqlite3.sqlite_version,
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }


def ask_to_die_with_parent() -> None:
    """Linux only: this process is killed when the one that started it ends."""
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def die_with_starter() -> None:
    """For the worker itself, where whoever started it has asked for it."""
    starter = os.environ.get(PARENT_PID_VARIABLE, "")
    if starter.isdigit():
        ask_to_die_with_parent()
        if os.getppid() != int(starter):
            sys.exit(1)  # it had ended before the call, so no signal would ever come


def die_with_parent_process() -> None:
    """For child processes of the worker."""
    worker = multiprocessing.parent_process()
    if sys.platform.startswith("linux") and START_METHOD != "forkserver":
        ask_to_die_with_parent()
        if os.getppid() != worker.pid:
            os._exit(1)
    else:  # a server is between the worker and us, or the system does not tell: a thread waits for its end
        threading.Thread(target=lambda: (worker.join(), os._exit(1)), daemon=True).start()
    if Conversation.wire is not None:
        os.close(Conversation.wire)  # of a forked child: only the worker itself answers


# ---- The conversation: docs/protocol.md, "The conversation" ------------------------------------------------------------


def field(table: dict, name: str, kind: type, what: str, default: Any) -> Any:
    value = table.get(name, default)
    if type(value) is not kind:
        raise Malformed(f"{name} is missing" if value is None else f"{name} is {value!r}, which is not {what}")
    return value


def number(table: dict, name: str, default: Optional[int] = None) -> int:
    value = field(table, name, int, "a number", default)
    if not 0 <= value <= MASK:
        raise Malformed(f"{name} is {value}, which is not within 0 and 2^64 - 1")
    return value


def text(table: dict, name: str) -> str:
    return field(table, name, str, "a text", None)


def flag(table: dict, name: str) -> bool:
    return field(table, name, bool, "true or false", None)


def table(table: dict, name: str) -> dict:
    return field(table, name, dict, "an object", None)


def texts(table: dict, name: str) -> list[str]:
    values = field(table, name, list, "an array of texts", None)
    if not all(isinstance(value, str) for value in values):
        raise Malformed(f"{name} is {values!r}, which is not an array of texts")
    return values


def word(table: dict, name: str, known: dict[str, Any], what: str) -> Any:
    """What a word stands for."""
    chosen = text(table, name)
    if chosen not in known:
        raise Unsupported(f"python-worker has no {what} {chosen!r} on {runtime()}; it has {', '.join(known)}")
    return known[chosen]


def refuse_lock(job: dict) -> None:
    if text(job, "lock") != "none":
        raise Unsupported(f"the lock {job['lock']!r} is an emulation for Rust: a real interpreter's lock is what it is")


def runtime() -> str:
    version = ".".join(str(part) for part in sys.version_info[:3])
    free_threaded = " free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return f"{sys.implementation.name} {version}{free_threaded}"


class Conversation:
    """Lines in, lines out."""

    wire: Optional[int] = None  # the real stdout

    def __init__(self) -> None:
        self.job: Any = None

    def answer(self, line: bytes) -> dict:
        try:
            message = json.loads(line)
        except ValueError as error:
            raise Malformed(f"it is not JSON: {error}") from None
        kind = text(message, "type") if isinstance(message, dict) else None
        if kind == "job":
            return self.prepare(message)
        if kind == "run":
            flag(message, "warmup")
            if not self.job:
                raise Malformed("a run was asked for before there was a job that can be run")
            return self.job.run()
        raise Malformed(f"its type is {kind!r}")

    def prepare(self, job: dict) -> dict:
        if number(job, "protocol") != PROTOCOL:
            raise Malformed(f"the job speaks protocol {job['protocol']}, this worker protocol {PROTOCOL}")
        self.close()
        self.job = word(job, "kind", {"batch": BatchJob, "serve": ServeJob}, "kind of job")(job)
        return {
            "type": "ready",
            "protocol": PROTOCOL,
            "worker": NAME,
            "runtime": runtime(),
            "facts": facts(),
            "ports": self.job.ports,
        }

    def close(self) -> None:
        job, self.job = self.job, None
        if job:
            job.close()

    def say(self, message: dict) -> None:
        left = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        while left:
            left = left[os.write(Conversation.wire, left) :]

    def go_on(self) -> int:
        """Answers every line until stdin ends. Returns the exit status."""
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            try:
                self.say(self.answer(line))
            except Unsupported as refused:
                self.say({"type": "unsupported", "message": str(refused)})
            except Malformed as malformed:
                shown = line.strip()[:120].decode(errors="replace")
                self.say({"type": "error", "message": f"not a protocol message: {malformed}: {shown!r}"})
                return 1
            except BrokenPipeError:
                return 1  # nobody listens any more
            except Exception as error:
                kind = "" if isinstance(error, RuntimeError) else f"{type(error).__name__}: "
                self.say({"type": "error", "message": f"{kind}{error}"})
        return 0


def end_helpers() -> None:
    """Ends the processes that `multiprocessing` keeps for itself. They would see that we are gone only after that."""
    for module, name in ("forkserver", "_forkserver"), ("resource_tracker", "_resource_tracker"):
        helper = getattr(sys.modules.get(f"multiprocessing.{module}"), name, None)
        getattr(helper, "_stop", lambda: None)()


def main() -> int:
    # Only answers go to stdout: what a library prints goes to stderr, and so does what it has printed already.
    Conversation.wire = os.dup(1)
    os.dup2(2, 1)
    sys.stdout.flush()
    die_with_starter()
    conversation = Conversation()
    try:
        return conversation.go_on()
    finally:
        conversation.close()
        end_helpers()


if __name__ == "__main__":
    sys.exit(main())
