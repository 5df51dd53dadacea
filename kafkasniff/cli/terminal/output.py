"""Writing to standard output and standard error."""

import os
import sys
from io import TextIOWrapper
from typing import Any, BinaryIO, NoReturn, Protocol

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.render.terminal import message_width, terminal_width
from kafkasniff.render.words import escape
from kafkasniff.render.wrapping import fold

_BUFFERED = 65536
"""Bytes that are gathered before they are written."""


class Stream(Protocol):
    """What bytes are written to: a binary stream, or a pipe to another process."""

    def write(self, data: bytes | memoryview, /) -> int:
        """Write `data`, or as much of it as can be; give how many bytes. Raises OSError."""

    def flush(self) -> None:
        """Let nothing wait; raises OSError."""

    def fileno(self) -> int:
        """Give the descriptor behind it."""


class Output:
    """Standard output, buffered in our hands so that it can be flushed when packets stop coming."""

    def __init__(self, stream: Stream) -> None:
        """Write to `stream`."""
        self._stream = stream
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, lines: bytes | memoryview) -> None:
        """Write lines, now or soon; no view of them is kept."""
        if len(lines) > _BUFFERED:
            self.flush()
            self._write(memoryview(lines))
            return
        self._pieces.append(bytes(lines))
        self._size += len(lines)
        if self._size > _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered; where that fails the command ends, silently when the reader has gone."""
        pieces, self._pieces, self._size = self._pieces, [], 0
        self._write(memoryview(b"".join(pieces)))

    def _write(self, left: memoryview) -> None:
        try:
            while left:
                # Without a buffer of Python's (PYTHONUNBUFFERED), a signal ends a write early.
                left = left[self._stream.write(left) :]
            self._stream.flush()
        except OSError as error:
            _fail(error, self._stream.fileno())


class StandardOutput(TextIOWrapper):
    """Standard output for what the library of the command line prints: help, versions and completion."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write UTF-8 to `stream`; what it cannot express is escaped."""
        super().__init__(stream, "utf-8", "backslashreplace", line_buffering=True)

    def write(self, text: str, /) -> int:
        """Write text; where that fails the command ends."""
        try:
            return super().write(text)
        except OSError as error:
            _fail(error, self.fileno())

    def flush(self) -> None:
        """Let nothing wait; where that fails the command ends."""
        try:
            super().flush()
        except OSError as error:
            _fail(error, self.fileno())


class StandardError(TextIOWrapper):
    """Standard error, which may be full or closed: what is read must be shown all the same."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write UTF-8 to `stream`; what it cannot express is escaped."""
        super().__init__(stream, "utf-8", "backslashreplace", line_buffering=True)
        self.failed = False
        """Whether something could not be written, so that the command must not end as if all were well."""

    def write(self, text: str, /) -> int:
        """Write text, as long as that succeeds."""
        try:
            return super().write(text)
        except OSError:
            return self._give_up(text)

    def flush(self) -> None:
        """Let nothing wait."""
        try:
            super().flush()
        except OSError:
            self._give_up("")

    def _give_up(self, text: str) -> int:
        self.failed = True
        _discard(self.fileno())
        return len(text)


def guard_streams() -> StandardError:
    """Have all that is printed go through streams that stand a full disk; give the one for messages."""
    sys.stdout = StandardOutput(sys.stdout.buffer)
    sys.stderr = guarded = StandardError(sys.stderr.buffer)
    return guarded


def _fail(error: OSError, descriptor: int) -> NoReturn:
    """End the command as standard output cannot be written, silently when its reader has gone."""
    _discard(descriptor)
    if isinstance(error, BrokenPipeError):
        raise SystemExit(ExitStatus.BROKEN_PIPE) from None
    print_message(f"kafkasniff: standard output cannot be written: {error.strerror}")
    raise SystemExit(ExitStatus.FAILED) from None


def _discard(descriptor: int) -> None:
    """Let go of what is written from now on: Python writes what it holds once more when it exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    os.close(null)


def fail(error: Exception) -> NoReturn:
    """End the command with what it could not read or write, silently when a named pipe's reader has gone."""
    if isinstance(error, BrokenPipeError):
        raise SystemExit(ExitStatus.BROKEN_PIPE) from None
    print_message(f"kafkasniff: {error}")
    raise SystemExit(ExitStatus.FAILED) from None


def print_text(text: str) -> None:
    """Write text to standard output; on a terminal no line is longer than it."""
    output = Output(sys.stdout.buffer)
    output.write(fold(text, terminal_width()).encode(errors="backslashreplace"))
    output.flush()


def print_json(*objects: Any) -> None:
    """Write objects to standard output, one a line."""
    import orjson

    output = Output(sys.stdout.buffer)
    for item in objects:
        output.write(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))
    output.flush()


def print_message(text: str) -> None:
    """Write one line to standard error; names of files and all else in it that does not print is escaped."""
    print(fold(escape(text), message_width()), file=sys.stderr, flush=True)
