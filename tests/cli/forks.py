"""Runs the command in processes forked from one that has loaded it (`tests.cli.forking`)."""

import atexit
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.cli.forking import LONGEST
from tests.conftest import ROOT, kill_descendants

COMMAND = [sys.executable, "-m", "kafkasniff"]
SECONDS = 120
"""How long a command may take."""


def network() -> int:
    """Give the number of the network namespace."""
    return os.stat("/proc/thread-self/ns/net").st_ino


NETWORK = network()


class Forks:
    """Runs the command in an environment, in processes forked from one that has loaded it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self._threads = ThreadPoolExecutor(3)
        self._process: subprocess.Popen[bytes] | None = None

    def fit(self, environment: dict[str, str]) -> bool:
        """Tell whether the test that runs has changed neither environment nor network."""
        return environment == self.environment and network() == NETWORK

    def _start(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(SECONDS)
        with theirs:
            # Python's streams are made for what they are at its start: for pipes, as tests give.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.cli.forking", str(theirs.fileno())],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )

    def run(self, arguments: Sequence[str], folder: Path, stdin: bytes | None) -> subprocess.CompletedProcess[bytes]:
        """Run the command in a folder; without `stdin` its standard input is that of the tests."""
        outputs, errors = os.pipe(), os.pipe()
        inputs = None if stdin is None else os.pipe()
        theirs = [0 if inputs is None else inputs[0], outputs[1], errors[1]]
        self.start(arguments, folder, theirs)
        for stream in theirs[inputs is None :]:
            os.close(stream)
        if inputs is not None:
            self._threads.submit(write, inputs[1], stdin or b"")
        stdout, stderr = self._threads.submit(read, outputs[0]), self._threads.submit(read, errors[0])
        status = self.wait()
        return subprocess.CompletedProcess([*COMMAND, *arguments], status, stdout.result(), stderr.result())

    def start(self, arguments: Sequence[str], folder: Path, streams: list[int]) -> None:
        """Start the command in a folder, with its three standard streams; one at a time."""
        if self._process is None or self._process.poll() is not None:
            # The first command, or the time limit of a test ended it.
            self._start()
        message = json.dumps([str(folder), *arguments]).encode()
        assert len(message) < LONGEST
        socket.send_fds(self._socket, [message], streams)

    def wait(self) -> int:
        """Give the exit status, when the command ended."""
        try:
            answer = self._socket.recv(LONGEST)
        except TimeoutError:
            kill_descendants()
            raise
        assert answer, self._process and self._process.communicate()[1].decode()
        return int(answer)

    def close(self) -> None:
        if self._process is not None:
            self._socket.close()
            self._process.communicate(timeout=SECONDS)
        self._threads.shutdown()


def read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()


def write(descriptor: int, content: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as stream:
        stream.write(content)


def usual_environment() -> dict[str, str]:
    """The environment without what would change output."""
    without = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "PYTEST_CURRENT_TEST")
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return {**kept, "PYTHONPATH": str(ROOT), "TZ": "UTC", "TERM": "xterm-256color", "PAGER": "cat"}


@cache
def shared_forks() -> Forks:
    """Give what all tests of this process use, in the usual environment."""
    made = Forks(usual_environment())
    atexit.register(made.close)
    return made
