#!/usr/bin/env python3
"""Worker for CPython, with and without its lock: batches of tasks, and an HTTP server.

It speaks the worker protocol on stdin and stdout, whose full text is docs/protocol.md: one JSON object a line, a job first,
then a run for each repetition. It needs nothing but the standard library of Python 3.9 or later.

From top to bottom: the words of the protocol and its checksum, the operations (what one step of a task does), the models (how
many tasks run at once), the server, what a run costs, and the conversation. To bring your own operation or model, add one to OPERATIONS
or MODELS.
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
import multiprocessing.connection
import operator
import os
import random
import resource
import select
import shutil
import signal
import site
import socket
import sqlite3
import struct
import subprocess
import sysconfig
import threading
import time
import zipfile
import zlib
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Generator, Optional

NAME = "python-worker 0.1.0"
MAX_WORKERS = 32_768
now_ns = time.perf_counter_ns  # monotonic

# ---- The words of the protocol and its checksum: docs/protocol.md, "Lines" and "Checksum" -------------------------------


class Unsupported(Exception):
    """The job is understood, but this worker does not do such jobs. One sentence."""


class Malformed(Exception):
    """A line that is no message of this protocol, or comes out of order: it ends the conversation."""


def in_words(error: BaseException) -> str:
    """An exception as a person reads it: ours are sentences, those of others need their names."""
    return str(error) if type(error) is RuntimeError else f"{type(error).__name__}: {error}"


def field(table: dict, name: str, kind: type, what: str, default: Any = None) -> Any:
    value = table.get(name, default)
    if type(value) is not kind:  # not `isinstance`: true is no number
        raise Malformed(f"{name} is missing" if value is None else f"{name} is {value!r}, which is not {what}")
    return value


def number(table: dict, name: str, default: Optional[int] = None) -> int:
    value = field(table, name, int, "a number", default)
    if not 0 <= value <= MASK:
        raise Malformed(f"{name} is {value}, which is not within 0 and 2^64 - 1")
    return value


def text(table: dict, name: str) -> str:
    return field(table, name, str, "a text")


def flag(table: dict, name: str) -> bool:
    return field(table, name, bool, "true or false")


def table(table: dict, name: str) -> dict:
    return field(table, name, dict, "an object")


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
    return f"{sys.implementation.name} {version}{' free-threaded' if FREE_THREADED_BUILD else ''}"


FREE_THREADED_BUILD = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
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

    Waiting has two forms: `wait` holds its thread, `wait_async` lets an event loop do something else. Computing has one,
    `compute`: what blocks and cannot be awaited, such as reading a file, counts as computing. Every thread and every loop
    works with a copy of its own (`fresh`), so an operation needs no locks.
    """

    waits = computes = False
    parameters: dict[str, Callable] = {}  # those that are used as they stand become attributes

    def __init__(self, task: dict, prefix: str) -> None:
        """Reads the parameters. `prefix` begins the name of every file that the job makes."""
        self.prefix = prefix
        for name, read in self.parameters.items():
            setattr(self, name, read(task, name))

    def prepare(self) -> None:
        """Makes what all runs need, once a job."""

    def look_at(self, indices: range) -> None:
        """Checks what a run has left behind, when its time is over."""

    def clean_up(self) -> None:
        """Removes what the job made."""

    def fresh(self, on_a_loop: bool = False) -> "Operation":
        """A copy for one thread or loop."""
        other = copy.copy(self)
        other.idle: list = []  # connections that nobody uses at the moment, each a reader and a writer
        other.done = 0  # tasks that have ended, where the model counts them here
        # A loop begins all tasks at once; so many have a process or a connection, or files and ports would run out.
        other.slots = asyncio.Semaphore(64) if on_a_loop else None
        return other

    def close(self) -> None:
        for _, writer in self.idle:
            writer.close()


class SumOfSquares(Operation):
    computes, parameters = True, {"n": number}

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
    computes, parameters = True, {"iterations": number}

    def compute(self, state: int, index: int) -> int:
        return burn(state & 0xFFFFFFFF, self.iterations)


class Primes(Operation):
    computes, parameters = True, {"limit": number}

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

    def __init__(self, task: dict, prefix: str) -> None:
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
    def __init__(self, task: dict, prefix: str) -> None:
        Wait.__init__(self, task, prefix)
        Burn.__init__(self, task, prefix)


# Programs.

SILENT: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
os.environ["MAGICK_THREAD_LIMIT"] = "1"  # how many pictures are made at once is the model's affair


def os_bytes(words: str) -> bytes:
    """A path or an argument for the system: UTF-8 whatever the locale says."""
    return words.encode("utf-8", "surrogateescape")


def how_it_ended(status: int) -> str:
    return f"exited with status {status}" if status >= 0 else f"was ended by signal {-status}"


def judge(argv: list[bytes], status: int) -> int:
    if status:
        raise RuntimeError(f"{os.fsdecode(argv[0])} {how_it_ended(status)}")
    return 0


def run_program(argv: list[bytes], where: Optional[bytes] = None) -> int:
    return judge(argv, subprocess.run(argv, cwd=where, **SILENT).returncode)


class Started(Operation):
    """An operation that starts a program and waits for its end."""

    waits = True
    where: Optional[bytes] = None  # the folder in which the program is started

    def argv(self, index: int) -> list[bytes]:
        raise NotImplementedError

    def wait(self, index: int) -> int:
        return run_program(self.argv(index), self.where)

    async def wait_async(self, index: int) -> int:
        async with self.slots:
            argv = self.argv(index)
            process = await asyncio.create_subprocess_exec(*argv, cwd=self.where, **SILENT)
            return judge(argv, await process.wait())


class Command(Started):
    def __init__(self, task: dict, prefix: str) -> None:
        words = field(task, "argv", list, "an array of texts")
        if not words or not all(isinstance(one, str) for one in words):
            raise Malformed(f"argv is {words!r}: it is an array of texts, the first of which is the program")
        self.words = [os_bytes(one) for one in words]

    def argv(self, index: int) -> list[bytes]:
        return self.words


# The network. A dialogue with a server is written once and spoken in two ways: by a thread that blocks, and on an event loop.
# It yields what it wants, bytes to send or a way to read, is sent what was read, and returns (result, whether the connection
# can go on).

Dialogue = Generator[Any, bytes, tuple[int, bool]]
LINE, REST = "line", "rest"  # a number of bytes is read exactly
PATIENCE_S = 30
CLOSED = "the server closed the connection before its answer was whole"
SILENCE = f"the server has not answered for {PATIENCE_S} s: does it hang?"


class OverTheNetwork(Operation):
    waits = True
    keeps = False

    def __init__(self, task: dict, prefix: str) -> None:
        address = text(task, "address")
        host, colon, port = address.rpartition(":")
        if not colon or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 0xFFFF:
            raise Malformed(f"address {address!r} is no host:port")
        self.family, _, _, _, self.address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]

    def dialogue(self) -> Dialogue:
        raise NotImplementedError

    def wait(self, index: int) -> int:
        connection = self.idle.pop() if self.idle else self.connect()
        try:
            result, reusable = talk(self.dialogue(), *connection)
        except BaseException:
            connection[1].close()
            raise
        return self.keep_or_close(connection, reusable, result)

    def connect(self) -> tuple:
        writer = socket.socket(self.family, socket.SOCK_STREAM)
        writer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Not `settimeout`, with which every read would be two system calls, each of which lets go of the GIL.
        for limit in socket.SO_RCVTIMEO, socket.SO_SNDTIMEO:
            writer.setsockopt(socket.SOL_SOCKET, limit, struct.pack("ll", PATIENCE_S, 0))
        try:
            writer.connect(self.address)
        except BaseException as failure:
            writer.close()
            raise RuntimeError(SILENCE) if isinstance(failure, BlockingIOError) else failure
        return writer.makefile("rb"), writer

    async def wait_async(self, index: int) -> int:
        async with self.slots:
            connection = self.idle.pop() if self.idle else await asyncio.open_connection(*self.address[:2])
            limit = asyncio.get_running_loop().call_later(PATIENCE_S, connection[1].transport.abort)
            try:
                result, reusable = await talk_async(self.dialogue(), *connection)
            except BaseException as failure:
                connection[1].close()
                if isinstance(failure, (EOFError, OSError)) and asyncio.get_running_loop().time() >= limit.when():
                    raise RuntimeError(SILENCE) from None
                raise RuntimeError(CLOSED) if isinstance(failure, EOFError) else failure
            finally:
                limit.cancel()
            return self.keep_or_close(connection, reusable, result)

    def keep_or_close(self, connection: tuple, reusable: bool, result: int) -> int:
        if reusable and self.keeps:
            self.idle.append(connection)
        else:
            connection[1].close()
        return result


def talk(dialogue: Dialogue, reader: Any, writer: socket.socket) -> tuple[int, bool]:
    heard: Any = None
    try:
        while True:
            wish = dialogue.send(heard)
            if isinstance(wish, bytes):
                heard = writer.sendall(wish)
            elif wish == LINE:
                heard = reader.readline()
                if not heard:
                    raise RuntimeError(CLOSED if is_closed(writer) else SILENCE)
            elif wish == REST:
                heard = reader.read()
                if not is_closed(writer):
                    raise RuntimeError(SILENCE)
            else:
                heard = reader.read(wish)
                if len(heard or b"") != wish:
                    raise RuntimeError(CLOSED if is_closed(writer) else SILENCE)
    except StopIteration as end:
        return end.value
    except BlockingIOError:
        raise RuntimeError(SILENCE) from None


def is_closed(connection: socket.socket) -> bool:
    """Whether the peer has closed a connection on which nothing came. If not, it was silent for too long: both read alike."""
    with contextlib.suppress(BlockingIOError):
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return False


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
                if not heard:
                    raise EOFError
            elif wish == REST:
                heard = await reader.read()
                if writer.is_closing():  # by us, after too long a silence
                    raise EOFError
            else:
                heard = await reader.readexactly(wish)
    except StopIteration as end:
        return end.value


class HttpGet(OverTheNetwork):
    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
        self.keeps = flag(task, "keep_alive")
        fields = f"GET {text(task, 'path')} HTTP/1.1\r\nHost: {task['address']}\r\n"
        self.request = (fields + ("\r\n" if self.keeps else "Connection: close\r\n\r\n")).encode()

    def dialogue(self) -> Dialogue:
        """Asks for the page; the result is the length of its body."""
        yield self.request
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
                yield size
                yield LINE
                length, size = length + size, int((yield LINE).split(b";")[0], 16)
            while (yield LINE).strip():
                pass  # trailers
            return length, reusable
        if b"content-length" in fields:
            size = int(fields[b"content-length"])
            yield size
            return size, reusable
        return len((yield REST)), False


class SmtpSend(OverTheNetwork):
    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
        self.size = number(task, "body_bytes")
        lines = generated(0, self.size).split(b"\n")
        mail = b"\r\n".join(b"." + line if line.startswith(b".") else line for line in lines)
        self.mail = mail + (b".\r\n" if mail.endswith(b"\r\n") or not mail else b"\r\n.\r\n")

    def dialogue(self) -> Dialogue:
        for command, said, expected in (
            ("the connection", b"", b"220"),
            ("EHLO", b"EHLO localhost\r\n", b"250"),
            ("MAIL", b"MAIL FROM:<sender@localhost>\r\n", b"250"),
            ("RCPT", b"RCPT TO:<recipient@localhost>\r\n", b"250"),
            ("DATA", b"DATA\r\n", b"354"),
            ("the mail", self.mail, b"250"),
            ("QUIT", b"QUIT\r\n", b"221"),
        ):
            if said:
                yield said
            line = yield LINE
            while line[3:4] == b"-":  # more lines follow
                line = yield LINE
            if not line.startswith(expected):
                raise RuntimeError(f"the mail server answered {command} with {line.strip()[:80]!r}")
        return self.size, False


class DbSelect(Operation):
    computes = True

    def __init__(self, task: dict, prefix: str) -> None:
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
            self.idle.append((None, sqlite3.connect(self.path, check_same_thread=False)))
        ((total,),) = self.idle[0][1].execute(
            "WITH RECURSIVE numbers(i) AS (SELECT 1 WHERE :rows >= 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :rows)"
            " SELECT coalesce(sum((i * i) % 7919), 0) FROM numbers",
            {"rows": self.rows},
        )
        return total


# Files.


def generated(file: int, size: int) -> bytes:
    """Generated file number `file`, cut off at `size` bytes."""
    lines = range(-(-size // 26))
    return b"".join(b"%08d %016x\n" % (line, mix(((file << 32) + line) & MASK)) for line in lines)[:size]


class WithFiles(Operation):
    """An operation that makes files in a folder."""

    computes = True

    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
        self.folder = os.path.abspath(text(task, "folder"))

    def path(self, name: str) -> bytes:
        return os_bytes(f"{self.folder}/{self.prefix}-{name}")

    def make(self, name: str, content: bytes) -> None:
        with open(self.path(name), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # what is not on the disk cannot be dropped from the page cache

    def clean_up(self) -> None:
        folder = os_bytes(self.folder)
        if not os.path.isdir(folder):
            return  # nothing could be made in it
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.startswith(os_bytes(self.prefix + "-")):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


class FileRead(WithFiles):
    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
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
    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
        self.size, self.fsync = number(task, "size_bytes"), flag(task, "fsync")
        self.content = generated(0, self.size)

    def compute(self, state: int, index: int) -> int:
        with open(self.path(f"write-{index}"), "wb") as file:
            file.write(self.content)
            if self.fsync:
                file.flush()
                os.fsync(file.fileno())
        return self.size


class ByProgram(Started, WithFiles):
    """An operation that a program does, or a library. A program is waited for; checking what it made is computing."""

    def __init__(self, task: dict, prefix: str) -> None:
        WithFiles.__init__(self, task, prefix)
        by = task.get("by")
        self.program = os_bytes(text(by, "program")) if isinstance(by, dict) else None
        self.waits = self.program is not None
        if not self.waits and by != "library":
            raise Malformed(f"by is {by!r}: it is \"library\" or {{\"program\":…}}")


class Zip(ByProgram):
    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
        self.files, self.size = number(task, "files"), number(task, "file_bytes")
        self.where = self.path("pack")

    def prepare(self) -> None:
        os.mkdir(self.where)
        for file in range(self.files):
            self.make(f"pack/{file}.txt", generated(file, self.size))

    def argv(self, index: int) -> list[bytes]:
        return [self.program, b"-q", b"-r", b"-D", self.path(f"{index}.zip"), b"."]

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
    """By a program only. A step checks the size of what was made; how it looks is checked when the run is over, as the
    standard library cannot read a JPEG and a second program in each step would be measured."""

    def __init__(self, task: dict, prefix: str) -> None:
        super().__init__(task, prefix)
        if not self.program:
            raise Unsupported("Python's standard library has no pictures: resize by {\"program\":\"convert\"}, or everyday-worker")
        self.source_width, self.width = number(task, "source_width"), number(task, "width")
        self.height = self.width * 3 // 4
        if not 64 <= self.width <= self.source_width:
            raise RuntimeError(f"width is {self.width}: it is at least 64 and at most source_width, which is {self.source_width}")

    def prepare(self) -> None:
        width, height = self.source_width, self.source_width * 3 // 4
        source = picture(width, height)
        self.expected = block_means(source, width, height)
        self.make("source.ppm", b"P6\n%d %d\n255\n" % (width, height) + source)
        run_program([self.program, self.path("source.ppm"), b"-quality", b"90", self.path("source.jpg")])

    def argv(self, index: int) -> list[bytes]:
        # The sign of exclamation: to this size, whatever the proportions.
        size = b"%dx%d!" % (self.width, self.height)
        return [self.program, self.path("source.jpg"), b"-resize", size, self.path(f"{index}.jpg")]

    def compute(self, state: int, index: int) -> int:
        with open(self.path(f"{index}.jpg"), "rb") as file:
            width, height = jpeg_size(file.read())
        if (width, height) != (self.width, self.height):
            raise RuntimeError(f"the program made a picture of {width}x{height} instead of {self.width}x{self.height}")
        return (width << 32) + height

    def look_at(self, indices: range) -> None:
        for index in indices:
            run_program([self.program, self.path(f"{index}.jpg"), b"-depth", b"8", b"rgb:" + self.path("seen")])
            with open(self.path("seen"), "rb") as file:
                seen = block_means(file.read(), self.width, self.height)
            if any(abs(mean - expected) > 8 for mean, expected in zip(seen, self.expected)):
                raise RuntimeError(f"the picture that the program made for task {index} does not look like its source")


def picture(width: int, height: int) -> bytes:
    """Pixels, three bytes each. Red rises to the right, green downwards, and blue is stripes; all with noise."""
    row, noise, rows = bytearray(3 * width), random.Random(1), []
    row[0::3] = bytes(20 + 190 * x // width for x in range(width))
    row[2::3] = bytes(90 + 80 * (16 * x // width % 2) for x in range(width))
    to_29 = bytes(value % 29 for value in range(256))
    for y in range(height):
        row[1::3] = bytes([20 + 190 * y // height]) * width
        rows.append(bytes(map(operator.add, row, noise.randbytes(3 * width).translate(to_29))))
    return b"".join(rows)


def block_means(pixels: bytes, width: int, height: int) -> list[float]:
    """The mean of each channel of 8 x 8 blocks: docs/protocol.md, "The picture"."""
    means = []
    for row, column, channel in itertools.product(range(8), range(8), range(3)):
        left, right = column * width // 8, (column + 1) * width // 8
        lines = range(row * height // 8, (row + 1) * height // 8)
        total = sum(sum(pixels[3 * (y * width + left) + channel : 3 * (y * width + right) : 3]) for y in lines)
        means.append(total / (len(lines) * (right - left)))
    return means


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height, from the first frame header (SOF) of a JPEG."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker, length, height, width = struct.unpack_from(">xBHxHH", data, at)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return width, height
        at += 2 + length
    raise RuntimeError("what was made is no JPEG picture")


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


# ---- Models: docs/protocol.md, "Models" --------------------------------------------------------------------------------


class Batch:
    """A job of kind `batch`."""

    ports: list[int] = []

    def __init__(self, job: dict, prefix: str = "") -> None:
        self.job, self.prefix = job, prefix or str(os.getpid())
        self.model = word(job, "model", MODELS, "model")
        refuse_lock(job)
        self.workers, self.steps = number(job, "workers"), number(job, "steps", 1)
        if not 1 <= self.workers <= MAX_WORKERS or not self.steps:
            raise RuntimeError(f"workers is {self.workers} and steps {self.steps}: 1 to {MAX_WORKERS} and 1 or more are possible")
        self.first, self.tasks = number(job, "first_task", 0), number(job, "tasks")
        if self.first + self.tasks > MASK + 1:
            raise RuntimeError(f"first_task {self.first} and tasks {self.tasks} together exceed 2^64")
        self.indices = range(self.first, self.first + self.tasks)
        task = table(job, "task")
        self.operation = word(task, "op", OPERATIONS, "operation")(task, self.prefix)

    def prepare(self) -> None:
        self.operation.prepare()

    def run(self) -> dict:
        sample = self.model(self)
        check_gil(gil_is_enabled())
        self.operation.look_at(self.indices)
        return sample

    def close(self) -> None:
        self.operation.clean_up()

    def fresh_operation(self, on_a_loop: bool = False) -> contextlib.closing:
        return contextlib.closing(self.operation.fresh(on_a_loop))

    def share(self, worker: int) -> range:
        """The contiguous share of one worker. Shares differ by one task at most; the first ones are the larger."""
        each, left = divmod(self.tasks, self.workers)
        start = self.first + worker * each + min(worker, left)
        return range(start, start + each + (worker < left))


def sample(begun: int, started: int, ended: int, checksum: int, workers: list[int], usage: dict) -> dict:
    return {
        "type": "sample",
        "elapsed_ns": ended - started,
        "setup_ns": started - begun,
        "tasks": sum(workers),
        "checksum": f"{checksum & MASK:016x}",
        "workers": workers,
        "usage": usage,
    }


class Gate(threading.Barrier):
    """Where all threads wait for each other before they start together. It notes when that was."""

    started_ns = 0
    failure: Optional[BaseException] = None

    def __init__(self, parties: int) -> None:
        super().__init__(parties, lambda: setattr(self, "started_ns", now_ns()))

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
    """Does one task on the calling thread. Returns its last state."""
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


def sequential(batch: Batch) -> dict:
    begun, meter = now_ns(), Meter()
    with batch.fresh_operation() as operation:
        started = now_ns()
        checksum = sum(run_task(operation, index, batch.steps) for index in batch.indices)
        ended = now_ns()
    return sample(begun, started, ended, checksum, [batch.tasks], meter.stop())


class Pool(ThreadPoolExecutor):
    """A ThreadPoolExecutor all of whose threads have started, each with an operation, and wait at a gate."""

    def __init__(self, batch: Batch) -> None:
        super().__init__(batch.workers)
        self.batch, self.local, self.operations = batch, threading.local(), []
        self.gate = Gate(batch.workers + 1)
        with self.gate.abandoned_on_error():
            for _ in range(batch.workers):
                self.submit(self.enter)

    def enter(self) -> None:
        self.local.operation = self.batch.operation.fresh()
        self.operations.append(self.local.operation)
        self.gate.wait()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error:
            self.gate.abort()
        self.shutdown(wait=True, cancel_futures=True)
        for operation in self.operations:
            operation.close()

    def sample(self, begun: int, ended: int, checksum: int, meter: "Meter") -> dict:
        counts = [operation.done for operation in self.operations]
        return sample(begun, self.gate.started_ns, ended, checksum, counts, meter.stop())


def threads(batch: Batch) -> dict:
    """A ThreadPoolExecutor, whose threads take tasks from its queue."""

    def work(index: int) -> int:
        operation = pool.local.operation
        state = run_task(operation, index, batch.steps)
        operation.done += 1
        return state

    begun, meter = now_ns(), Meter()
    with Pool(batch) as pool:
        tasks = [pool.submit(work, index) for index in batch.indices]
        pool.gate.wait()
        wait_for_all(tasks)
        ended = now_ns()
        return pool.sample(begun, ended, sum(task.result() for task in tasks), meter)


def wait_for_all(tasks: list[futures.Future]) -> None:
    """Waits for the end of all, or raises what the first one that failed has raised."""
    for task in futures.wait(tasks, return_when=futures.FIRST_EXCEPTION).done:
        task.result()


def share_on_a_loop(batch: Batch, indices: range, gate: Gate) -> tuple[int, int, int]:
    """Does a share of the tasks on an event loop of the calling thread, all at once: checksum, count and time of the end."""

    async def share() -> tuple[int, int, int]:
        with batch.fresh_operation(on_a_loop=True) as operation:
            gate.wait()  # blocks the loop, which has nothing else to do yet
            states = await asyncio.gather(*(run_task_async(operation, index, batch.steps) for index in indices))
            return sum(states), len(states), now_ns()

    with gate.abandoned_on_error():
        return asyncio.run(share())


def one_loop(batch: Batch) -> dict:
    begun, meter, gate = now_ns(), Meter(), Gate(1)
    checksum, done, ended = share_on_a_loop(batch, batch.indices, gate)
    return sample(begun, gate.started_ns, ended, checksum, [done], meter.stop())


def loops(batch: Batch) -> dict:
    """Threads with an event loop each."""
    begun, meter, gate = now_ns(), Meter(), Gate(batch.workers)
    with ThreadPoolExecutor(batch.workers) as pool, gate.abandoned_on_error():
        shares = [pool.submit(share_on_a_loop, batch, batch.share(worker), gate) for worker in range(batch.workers)]
        wait_for_all(shares)
    checksums, counts, ends = zip(*(share.result() for share in shares))
    return sample(begun, gate.started_ns, max(ends), sum(checksums), list(counts), meter.stop())


def offload(batch: Batch) -> dict:
    """One event loop, which sends what computes to a ThreadPoolExecutor, as `asyncio.to_thread` does."""
    if not batch.operation.computes:
        return one_loop(batch)

    def compute(state: int, index: int, last: bool) -> int:
        operation = pool.local.operation
        result = operation.compute(state, index)
        operation.done += last
        return result

    async def task(loop: asyncio.AbstractEventLoop, operation: Operation, index: int) -> int:
        state = task_seed(index)
        for left in reversed(range(batch.steps)):
            if operation.waits:
                await operation.wait_async(index)
            state = fold(state, await loop.run_in_executor(pool, compute, state, index, left == 0))
        return state

    async def all_tasks() -> tuple[int, int]:
        with batch.fresh_operation(on_a_loop=True) as operation:
            loop = asyncio.get_running_loop()
            pool.gate.wait()
            states = await asyncio.gather(*(task(loop, operation, index) for index in batch.indices))
            return sum(states), now_ns()

    begun, meter = now_ns(), Meter()
    with Pool(batch) as pool:
        checksum, ended = asyncio.run(all_tasks())
        return pool.sample(begun, ended, checksum, meter)


# How child processes are made. `fork`, which was the default on Linux up to 3.13, for all versions alike, so that versions are
# compared and not ways to start: this process has no other threads when it makes them. Elsewhere `spawn`, as forking is not
# safe on macOS. PARALLAX_START_METHOD chooses another one, such as the `forkserver` that is 3.14's default.
START_METHOD = os.environ.get("PARALLAX_START_METHOD") or ("fork" if sys.platform.startswith("linux") else "spawn")
GRACE_S = 3  # how long a child that is told to end, or requests that are out when a server stops, may take


class Children:
    """Child processes, and a pipe to each."""

    def __init__(self) -> None:
        allow_many_descriptors()  # two for each child
        self.context = multiprocessing.get_context(START_METHOD)
        self.all: dict[Any, Any] = {}  # processes, by our ends of their pipes

    def start(self, work: Callable, *given: Any) -> None:
        """Calls `work` in a new child, with its end of the pipe and what it is given."""
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=in_child, args=(work, theirs, *given), daemon=True)
        process.start()
        theirs.close()  # or the next child would inherit it, and the end of this one would not be seen
        self.all[ours] = process

    def tell(self, word: str) -> None:
        for pipe in self.all:
            with contextlib.suppress(OSError):  # of a child that is gone, which `hear` finds
                pipe.send(word)

    def hear(self) -> list:
        """One message of each child. They are heard in whatever order they come, so one that dies is noticed at once."""
        heard: dict[Any, Any] = {}
        while len(heard) < len(self.all):
            for pipe in multiprocessing.connection.wait([pipe for pipe in self.all if pipe not in heard]):
                process = self.all[pipe]
                try:
                    heard[pipe] = pipe.recv()
                except (EOFError, OSError):
                    process.join()
                    end = how_it_ended(process.exitcode)
                    raise RuntimeError(f"child process {process.pid} {end} before it had answered") from None
                if isinstance(heard[pipe], Exception):
                    raise RuntimeError(f"child process {process.pid}: {heard[pipe]}")
        return [heard[pipe] for pipe in self.all]

    def end(self, patience_s: float = GRACE_S + 1) -> None:
        """Waits for the end of each child, and ends it if that takes too long."""
        for pipe, process in self.all.items():
            process.join(patience_s)
            process.kill()
            process.join()
            pipe.close()


def in_child(work: Callable, pipe: Any, *given: Any) -> None:
    die_with_worker()
    try:
        work(pipe, *given)
    except Exception as failure:
        with contextlib.suppress(OSError):  # the worker does not listen any more
            pipe.send(RuntimeError(in_words(failure)))
        sys.exit(1)


def processes(batch: Batch) -> dict:
    """Child processes, each of which is given one share."""
    begun, meter, children = now_ns(), Meter(with_children=False), Children()
    try:
        for worker in range(batch.workers):
            children.start(share_in_child, batch, worker)
        children.hear()
        started = now_ns()
        children.tell("go")
        shares = children.hear()
        ended = now_ns()
        used = meter.stop()
    except BaseException:
        children.end(patience_s=0)  # a run that has failed need not be finished
        raise
    children.end()
    for process in children.all.values():
        if process.exitcode:
            raise RuntimeError(f"child process {process.pid} did its work, but then {how_it_ended(process.exitcode)}")
    checksums, counts, usages, gils = zip(*shares)
    check_gil(any(gils))
    return sample(begun, started, ended, sum(checksums), list(counts), together(used, *usages))


def share_in_child(pipe: Any, batch: Batch, worker: int) -> None:
    with batch.fresh_operation() as operation:
        pipe.send("ready")
        pipe.recv()
        pipe.send(do_share(batch, operation, worker))


def do_share(batch: Batch, operation: Operation, worker: int) -> tuple[int, int, dict, bool]:
    """One worker's share, one task after another: checksum, count, cost, and whether there is a GIL afterwards."""
    meter, indices = Meter(), batch.share(worker)
    checksum = sum(run_task(operation, index, batch.steps) for index in indices)
    return checksum, len(indices), meter.stop(), gil_is_enabled()


# The interpreters of a pool import this file.
FOLDER, FILE = os.path.split(os.path.abspath(__file__))
if FOLDER not in sys.path:  # as under PYTHONSAFEPATH
    sys.path.append(FOLDER)


def interpreters(batch: Batch) -> dict:
    """An InterpreterPoolExecutor, each of whose interpreters is given one share. They share descriptors, so pipes are the gate."""
    begun, meter = now_ns(), Meter()
    # By its own name, not as `__main__`, which in another interpreter is something else.
    share = importlib.import_module(FILE[: -len(".py")]).share_in_interpreter
    (arrived, arrive), (leave, let_go) = os.pipe(), os.pipe()
    try:
        with futures.InterpreterPoolExecutor(batch.workers, initializer=site.addsitedir, initargs=(FOLDER,)) as pool:
            try:
                given = (batch.job, batch.prefix, arrive, leave)
                shares = [pool.submit(share, worker, *given) for worker in range(batch.workers)]
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
    checksums, counts, _, _ = zip(*(share.result() for share in shares))
    return sample(begun, started, ended, sum(checksums), list(counts), meter.stop())


def raise_failure(shares: list[futures.Future]) -> None:
    """Raises what a share that has ended already has raised."""
    for share in shares:
        if share.done():
            share.result()


def share_in_interpreter(worker: int, job: dict, prefix: str, arrive: int, leave: int) -> tuple[int, int, dict, bool]:
    batch = Batch(job, prefix)
    with batch.fresh_operation() as operation:
        os.write(arrive, b"x")
        if not os.read(leave, 1):
            raise RuntimeError("another interpreter of the pool could not be started")
        return do_share(batch, operation, worker)


MODELS: dict[str, Callable[[Batch], dict]] = {
    "sequential": sequential,
    "threads": threads,
    "processes": processes,
    "async": one_loop,
    "loops": loops,
    "offload": offload,
}
if hasattr(futures, "InterpreterPoolExecutor"):  # from 3.14 on
    MODELS["interpreters"] = interpreters


# ---- The HTTP server: docs/protocol.md, "Servers" -----------------------------------------------------------------------
#
# One event loop on asyncio's streams, `Part`; two models, which are how many of them there are and where they run; and four ways
# in which connections reach them.

MAX_HEAD_BYTES, MAX_BODY_BYTES = 16 * 1024, 1024 * 1024


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
            raise RuntimeError(f"workers is {workers}: a server has 1 to 256, as two digits of an answer name no more")
        if listen is reuse_port and not hasattr(socket, "SO_REUSEPORT"):
            raise Unsupported("this system has no SO_REUSEPORT")
        self.hand_off = job["listen"] == "hand-off"
        if self.hand_off and isinstance(self, ServerOfProcesses):
            raise Unsupported("python-worker hands connections to loops only: choose those, or another way to listen")
        allow_many_descriptors()  # one for each connection
        self.parts = [Part(worker, io_ns, iterations) for worker in range(workers)]
        self.listeners = listen(workers)
        self.ports = list(dict.fromkeys(own.getsockname()[1] for own in self.listeners))
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
        self.running: list[tuple[Part, threading.Thread]] = []
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
    """The parts of a server as child processes with an event loop each."""

    meter_children = False

    def prepare(self) -> None:
        self.children = Children()
        for part, own in zip(self.parts, self.listeners):
            self.children.start(serve_in_child, part, own)
            own.close()  # as only its child accepts
        self.children.hear()

    def served(self) -> tuple[list, list]:
        self.children.tell("run")
        served, usages, gils = zip(*self.children.hear())
        check_gil(any(gils))
        return served, usages

    def close(self) -> None:
        self.children.tell("stop")
        self.children.end()


def serve_in_child(pipe: Any, part: Part, own: socket.socket) -> None:
    meter = Meter()

    def heard() -> None:
        nonlocal meter
        try:
            asked = pipe.recv()
        except EOFError:
            asked = "stop"
        if asked == "stop":
            part.loop.remove_reader(pipe.fileno())
            part.stop()
            return
        used, meter = meter.stop(), Meter()
        pipe.send((part.served(), used, gil_is_enabled()))

    def ready() -> None:
        part.loop.add_reader(pipe.fileno(), heard)
        pipe.send("ready")

    asyncio.run(part.serve(own, ready))


SERVERS: dict[str, type[Server]] = {"loops": ServerOfLoops, "processes": ServerOfProcesses}


# ---- What a run costs, the lock, and the parent process ----------------------------------------------------------------


class Meter:
    """Counts what this process uses from its making on; with children, those that it has waited for as well."""

    def __init__(self, with_children: bool = True) -> None:
        self.whose = [resource.RUSAGE_SELF] + [resource.RUSAGE_CHILDREN] * with_children
        self.before = self.read()

    def read(self) -> dict[str, int]:
        used = [resource.getrusage(who) for who in self.whose]
        disk = numbers_in("/proc/self/io")
        return {
            **{f"disk_{what}": disk[what] for what in ("read_bytes", "write_bytes") if disk},
            "user_ns": round(sum(one.ru_utime for one in used) * 1e9),
            "sys_ns": round(sum(one.ru_stime for one in used) * 1e9),
            "voluntary_switches": sum(one.ru_nvcsw for one in used),
            "involuntary_switches": sum(one.ru_nivcsw for one in used),
        }

    def stop(self) -> dict[str, Optional[int]]:
        # Not `ru_maxrss`, which begins with the peak of whoever started this process.
        peak_kib = numbers_in("/proc/self/status").get("VmHWM")
        used = {name: value - self.before[name] for name, value in self.read().items()}
        return {**used, "peak_rss_bytes": peak_kib and peak_kib * 1024, "processes": 1}


def numbers_in(path: str) -> dict[str, int]:
    """The numbers in a file of the kernel, by what stands before their colons. Nothing where there is no such file."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        words = [line.replace(":", " ").split() for line in file]
        return {line[0]: int(line[1]) for line in words if len(line) > 1 and line[1].isdigit()}
    return {}


def together(one: dict, *others: dict) -> dict:
    """The usage of processes together. Unknown plus anything is unknown."""
    every = {name: [one[name], *(other.get(name) for other in others)] for name in one}
    return {name: None if None in values else sum(values) for name, values in every.items()}


def allow_many_descriptors() -> None:
    """As many as this process may ask for."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def gil_is_enabled() -> bool:
    return getattr(sys, "_is_gil_enabled", lambda: True)()  # 3.13 and later can be without


GIL_AT_START = gil_is_enabled()


def check_gil(enabled: bool) -> None:
    if enabled and not GIL_AT_START:
        raise RuntimeError(
            "the GIL came back on during the run: a module was imported that does not say that it works without;"
            " set PYTHON_GIL=0 to keep it off, or do not import the module"
        )


def ask_to_die_with(parent: int) -> None:
    """Linux only: this process is killed when the one that started it ends."""
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it had ended before the call, so no signal would ever come


def die_with_worker() -> None:
    """For child processes of the worker."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    worker = multiprocessing.parent_process()
    if sys.platform.startswith("linux") and START_METHOD != "forkserver":
        ask_to_die_with(worker.pid)
    else:  # a server is between the worker and us, or the system does not tell: a thread waits for its end
        threading.Thread(target=lambda: (worker.join(), os._exit(1)), daemon=True).start()
    if Conversation.wire is not None:
        os.close(Conversation.wire)  # of a forked child: only the worker itself answers


# ---- The conversation: docs/protocol.md, "The conversation" ------------------------------------------------------------


def server_of(job: dict) -> Any:
    return word(job, "model", SERVERS, "model of a server")(job)


class Conversation:
    """Lines in, lines out."""

    wire: Any = None  # the real stdout

    def __init__(self) -> None:
        self.job: Any = None

    def answer(self, line: bytes) -> dict:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
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
        if number(job, "protocol") != 1:
            raise Malformed(f"the job speaks protocol {job['protocol']}, this worker protocol 1")
        self.close()
        self.job = word(job, "kind", {"batch": Batch, "serve": server_of}, "kind of job")(job)
        try:
            self.job.prepare()
        except BaseException:
            self.close()
            raise
        facts = {
            "usable_cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
            "free_threaded_build": FREE_THREADED_BUILD,
            "gil_enabled": gil_is_enabled(),
            "switch_interval_ns": round(sys.getswitchinterval() * 1e9),
            "start_method": START_METHOD,
            "sqlite": sqlite3.sqlite_version,
            "zlib": zlib.ZLIB_RUNTIME_VERSION,
        }
        return {"type": "ready", "protocol": 1, "worker": NAME, "runtime": runtime(), "facts": facts, "ports": self.job.ports}

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
                self.say({"type": "error", "message": in_words(error)})
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
    starter = os.environ.get("PARALLAX_PARENT_PID", "")
    if starter.isdigit():
        ask_to_die_with(int(starter))
    conversation = Conversation()

    def interrupted(*_: Any) -> None:
        # Not by an exception, which would wait until all threads have done what they are doing.
        try:
            conversation.close()
        finally:
            os._exit(128 + signal.SIGINT)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and nobody has asked to ignore it
        signal.signal(signal.SIGINT, interrupted)
    try:
        return conversation.go_on()
    finally:
        conversation.close()
        end_helpers()


if __name__ == "__main__":
    sys.exit(main())
