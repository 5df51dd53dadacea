"""Writing to standard output and standard error."""

import os
import sys
from typing import Any, Protocol

from kafkasniff.cli.exit_status import ExitStatus

_BUFFERED = 65536
"""Bytes that are gathered before they are written."""


class Stream(Protocol):
    """What bytes are written to: a binary stream, or a pipe to another process."""

    def write(self, data: bytes, /) -> int:
        """Write all of `data`; raises OSError."""

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

    def write(self, line: bytes) -> None:
        """Write a line, now or soon."""
        self._pieces.append(line)
        self._size += len(line)
        if self._size > _BUFFERED:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered; where that fails the command ends, silently when the reader has gone."""
        pieces, self._pieces, self._size = self._pieces, [], 0
        try:
            self._stream.write(b"".join(pieces))
            self._stream.flush()
        except OSError as error:
            # Python flushes standard output once more when it exits, which must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
            if isinstance(error, BrokenPipeError):
                raise SystemExit(ExitStatus.BROKEN_PIPE) from None
            print_message(f"kafkasniff: standard output cannot be written: {error.strerror}")
            raise SystemExit(ExitStatus.FAILED) from None


def print_text(text: str) -> None:
    """Write text to standard output."""
    output = Output(sys.stdout.buffer)
    output.write(text.encode())
    output.flush()


def print_json(*objects: Any) -> None:
    """Write objects to standard output, one a line."""
    import orjson

    output = Output(sys.stdout.buffer)
    for item in objects:
        output.write(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))
    output.flush()


def print_message(text: str) -> None:
    """Write a line to standard error."""
    print(text, file=sys.stderr, flush=True)
