"""Processes beside the one that has the screen, and what they send each other: JSON values, a line each."""

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from kafkasniff.wording import failure_text

NICENESS = 5
"""Of processes whose work can wait (nice(2)), so that the processor is the screen's."""
_PIECE = 1 << 16
_LOOKS, _LOOK_S = 20, 0.05
"""How often it is looked whether a process has ended, and what is waited in between."""


class Channel:
    """One end of a connection between two processes."""

    def __init__(self, end: socket.socket) -> None:
        """Send and receive through a connected socket."""
        self._socket = end
        self._received = bytearray()
        self.closed = False
        """Whether the other process has gone."""

    def send(self, **message: Any) -> None:
        """Send a message; raises OSError where the other process has gone."""
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, seconds: float = 0.0) -> list[dict[str, Any]]:
        """Give the messages that came, after waiting for some for so long; none when the other process has gone."""
        while select.select([self._socket], [], [], seconds)[0]:
            seconds = 0.0
            try:
                piece = self._socket.recv(_PIECE)
            except OSError:
                piece = b""
            if not piece:
                self.closed = True
                break
            self._received += piece
        *lines, rest = self._received.split(b"\n")
        self._received = rest
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """Send and receive nothing more."""
        self._socket.close()


class Helper:
    """A copy of this process that does some work, and the channel to it."""

    def __init__(self, work: Callable[[Channel], None]) -> None:
        """Start it; what goes wrong in it comes as a message `failed`. Raises OSError when the system grants none."""
        mine, its = socket.socketpair()
        self._process = os.fork()
        if not self._process:
            mine.close()
            _do(work, Channel(its))
        its.close()
        self.channel = Channel(mine)

    def stop(self) -> None:
        """End it, whatever it does; it has a moment to remove what it keeps on disk."""
        self.channel.close()
        with suppress(ChildProcessError, ProcessLookupError):
            for _ in range(_LOOKS):
                if os.waitpid(self._process, os.WNOHANG)[0]:
                    return
                time.sleep(_LOOK_S)
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def _do(work: Callable[[Channel], None], channel: Channel) -> NoReturn:
    """Do the work and end the process, which has nothing to say on the screen."""
    try:
        # Ctrl-C is a key of the screen; when that goes, so does the channel.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (sys.stdout.fileno(), sys.stderr.fileno()):
            os.dup2(nowhere, descriptor)
        work(channel)
    except BrokenPipeError:
        pass
    except Exception as error:
        with suppress(OSError):
            channel.send(failed=failure_text(error))
    finally:
        os._exit(0)
