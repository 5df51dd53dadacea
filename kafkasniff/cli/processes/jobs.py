"""Several processes for one capture (`--jobs`): each reads all of it, and shows or judges its share.

What one call tells of others (names of topics, Fetch sessions, TLS keys, which connection is whose) is so the same in
all of them. The first process is the one that was started; the others send it what they have through pipes.
"""

import fcntl
import os
import signal
import stat
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType, TracebackType

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.object_store import is_object
from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.terminal.output import Output, print_message

LEAST_BYTES = 2 << 20
"""Captures smaller than this are read before another process is of use."""

_PIPE_BYTES = 1 << 20
"""What a process may be ahead of the first; the most that Linux grants without privileges (pipe(7))."""

_LENGTH = struct.Struct("<I")
_MARK = struct.Struct("<QQ")

Mark = tuple[int, int]
"""Packets and calls at the end of a turn: processes that do not agree have not read the same."""


def usable_jobs(jobs: int, files: Sequence[str]) -> int:
    """Give how many processes to use for these files: one where they are small, or cannot be read more than once."""
    size = 0
    for file in files:
        if file == "-" or is_object(file):
            return 1
        # What cannot be opened is said when it is opened.
        with suppress(OSError, ValueError):
            status = os.stat(file)
            if not stat.S_ISREG(status.st_mode):
                return 1
            size += status.st_size
    return jobs if size >= LEAST_BYTES else 1


class Pipe:
    """Where a worker process writes: pieces with their lengths, and marks behind its turns."""

    def __init__(self, descriptor: int) -> None:
        """Write to an open pipe."""
        self._descriptor = descriptor

    def fileno(self) -> int:
        """Give the descriptor."""
        return self._descriptor

    def write(self, data: bytes | memoryview) -> int:
        """Write a piece; raises OSError, BrokenPipeError when the first process has gone."""
        if data:
            self._write(_LENGTH.pack(len(data)) + data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: all was written."""

    def end_turn(self, mark: Mark) -> None:
        """Say that a turn is over; raises OSError."""
        self._write(_LENGTH.pack(0) + _MARK.pack(*mark))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]


class Worker:
    """A process that was started here, and what it sends."""

    def __init__(self, number: int, work: Callable[[int, Pipe], None], before: "Sequence[Worker]") -> None:
        """Let a copy of this process do `work` and end. Raises OSError when the system grants none.

        `before`: the workers that were started before, whose pipes are none of its business.
        """
        self._number = number
        reading, writing = os.pipe()
        with suppress(OSError, AttributeError):  # more than the system grants, or a system other than Linux
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._stream = os.fdopen(reading, "rb")
        try:
            self._process = os.fork()
        except OSError:
            self._stream.close()
            os.close(writing)
            raise
        if not self._process:
            _do(work, number, Pipe(writing), [*before, self])
        os.close(writing)

    def copy_turn(self, output: Output, mark: Mark) -> None:
        """Write what the worker has to show for its turn; ends the command when it has died or read something else."""
        while length := self._read_length(output):
            output.write(self._read(length, output))
        if _MARK.unpack(self._read(_MARK.size, output)) != mark:
            _fail("captures changed while they were read; use one process", output)

    def rest(self, output: Output) -> bytes:
        """Give the piece that the worker sends at its end; ends the command when it has died instead."""
        return self._read(self._read_length(output), output)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self._process:
            os.kill(self._process, number)

    def stop(self) -> None:
        """End it, whatever it does."""
        self.close()
        self.send(signal.SIGKILL)
        if self._process:
            self._wait()

    def close(self) -> None:
        """Read nothing more of it."""
        self._stream.close()

    def _read_length(self, output: Output) -> int:
        length: int = _LENGTH.unpack(self._read(_LENGTH.size, output))[0]
        return length

    def _read(self, length: int, output: Output) -> bytes:
        data = self._stream.read(length)
        if len(data) < length:
            status = self._wait()
            how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
            _fail(f"process {self._number + 1} of --jobs {how}; what follows is missing", output)
        return data

    def _wait(self) -> int:
        process, self._process = self._process, 0
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _fail(text: str, output: Output) -> None:
    output.flush()
    print_message(f"kafkasniff: {text}")
    raise SystemExit(ExitStatus.FAILED)


def _do(work: Callable[[int, Pipe], None], number: int, pipe: Pipe, workers: "Sequence[Worker]") -> None:
    """Do `work` as a worker process and end it."""
    status = ExitStatus.FAILED
    try:
        for worker in workers:
            worker.close()
        work(number, pipe)
        status = ExitStatus.OK
    except (CaptureError, BrokenPipeError, SystemExit):
        pass  # The first process has found the same, or wants no more.
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


class Workers:
    """The processes beside the first, as long as they are wanted; Ctrl-C is noted meanwhile."""

    def __init__(self, count: int, work: Callable[[int, Pipe], None]) -> None:
        """Start `count` processes; each does `work` with its number, from 1 on, and its pipe."""
        self._count = count
        self._work = work
        self.all: list[Worker] = []
        """In the order of their numbers."""
        self.interrupted = False
        """Whether Ctrl-C was pressed, in all processes; pressed again it raises KeyboardInterrupt in the first."""
        self._first = os.getpid()

    def __enter__(self) -> "Workers":
        """Start them; ends the command when the system grants none."""
        self._handler = signal.signal(signal.SIGINT, self._interrupt)
        sys.stderr.flush()
        try:
            for number in range(1, self._count + 1):
                self.all.append(Worker(number, self._work, self.all))
        except OSError as error:
            self._stop()
            print_message(f"kafkasniff: no {self._count} processes more: {error.strerror}")
            raise SystemExit(ExitStatus.FAILED) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End them."""
        self._stop()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True
        if os.getpid() == self._first:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _stop(self) -> None:
        for worker in self.all:
            worker.stop()
        signal.signal(signal.SIGINT, self._handler)
