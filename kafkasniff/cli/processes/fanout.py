"""Several processes for interfaces (`live --jobs`): the kernel gives each its share of the connections.

The process that was started captures nothing: it starts the others, hands on signals and what they say, and waits. What
one connection tells of others (names of topic ids, brokers) is known in its process only.
"""

import ctypes
import fcntl
import io
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from kafkasniff.cli.exit_status import ExitStatus

_PR_SET_PDEATHSIG = 1
_READY, _GO = b"r", b"g"


class Share:
    """Which share of the connections falls to a process."""

    def __init__(self, group: int, ready: int, go: int) -> None:
        """Take the number of the group of sockets, and pipes: to say that they are open, and to hear that all are."""
        self.group = group
        self._ready = ready
        self._go = go

    def wait_for_others(self) -> None:
        """Wait until the sockets of all processes are in the group, so that no packet comes to two of them."""
        os.write(self._ready, _READY)
        os.close(self._ready)
        if not os.read(self._go, 1):
            # Another process has said why.
            raise SystemExit(ExitStatus.FAILED)


class _SharedOutput(io.RawIOBase):
    """Standard output of several processes: what one writes at once stands together."""

    def __init__(self, lock: int) -> None:
        """Lock the file descriptor `lock` while writing."""
        self._lock = lock

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    def fileno(self) -> int:
        """Give the descriptor."""
        return 1

    def write(self, data: Any, /) -> int:
        """Write all of `data`; raises OSError."""
        left = memoryview(data)
        size = len(left)
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            while left:
                left = left[os.write(1, left) :]
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)
        return size


def share_out(jobs: int) -> Share:
    """Let `jobs` copies of this process go on from here, each with its share; this process ends when they have.

    Raises OSError when the system grants no more processes.
    """
    ready_here, ready_there = os.pipe()
    go_there, go_here = os.pipe()
    lock = os.memfd_create("kafkasniff")
    processes: list[int] = []
    relays: list[threading.Thread] = []
    sys.stderr.flush()
    for number in range(1, jobs + 1):
        said_here, said_there = os.pipe()
        process = os.fork()
        if not process:
            # Ctrl-C comes from the first process, once; and none stays when that is killed.
            os.setpgid(0, 0)
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            os.dup2(said_there, 2)
            sys.stdout = io.TextIOWrapper(_SharedOutput(lock), "utf-8", write_through=True)
            os.close(ready_here)
            os.close(go_here)
            return Share(os.getppid() & 0xFFFF, ready_there, go_there)
        os.close(said_there)
        processes.append(process)
        relays.append(threading.Thread(target=_relay, args=(said_here, f"process {number} of {jobs}: "), daemon=True))

    def hand_on(signum: int, _: FrameType | None) -> None:
        for process in processes:
            os.kill(process, signum)

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, hand_on)
    for relay in relays:
        relay.start()
    os.close(ready_there)
    os.close(go_there)
    opened = 0
    while opened < jobs and (said := os.read(ready_here, jobs)):
        opened += len(said)
    if opened == jobs:
        os.write(go_here, _GO * jobs)
    os.close(go_here)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
    for relay in relays:
        relay.join()
    # One that a signal ended has a negative one.
    raise SystemExit(max(status if status >= 0 else ExitStatus.FAILED for status in statuses))


def _relay(descriptor: int, before: str) -> None:
    """Write the lines of a process to standard error, each behind `before`."""
    with os.fdopen(descriptor, "rb") as stream:
        for line in stream:
            sys.stderr.write(before + line.decode(errors="backslashreplace"))
            sys.stderr.flush()
