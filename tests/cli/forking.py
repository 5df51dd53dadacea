"""Runs the command in processes forked from one that has loaded what commands use: a fourth of the time of a new one.

`python -m tests.cli.forking NUMBER` is that process; the file descriptor of this number is a socket. Each message there
has a folder and arguments, with the three standard streams; the exit status is the answer.
"""

import json
import os
import runpy
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

USUAL = (["read", "java-4.3.1-basic.pcap"], ["read", "java-4.3.1-basic.pcap", "--json"], ["diagnose", "vlan.pcap"])
"""What loads nearly all that commands use."""
LONGEST = 100_000
"""Bytes of a message."""


class Order:
    """Notes which modules are looked for, in order, and finds none."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        self.names.append(name)


def modules_of(arguments: Sequence[str]) -> list[str]:
    """Give the modules that a command loads, in the order in which it begins to."""
    ours, theirs = os.pipe()
    process = os.fork()
    if not process:
        order = Order()
        sys.meta_path.insert(0, order)  # type: ignore[arg-type]
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 2)
        try:
            run("captures", arguments)
        finally:
            with os.fdopen(theirs, "w") as names:
                names.write(" ".join(name for name in order.names if name in sys.modules))
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        names = lines.read().split()
    os.waitpid(process, 0)
    return names


def load() -> None:
    """Load what commands use, as they do it: typer at first (`kafkasniff.cli.light_typer`)."""
    from kafkasniff.cli.light_typer import import_typer

    import_typer()
    for arguments in USUAL:
        for name in modules_of(arguments):
            if name not in sys.modules:
                import_module(name)


def run(folder: str, arguments: Sequence[str]) -> NoReturn:
    """Be the command, which ends by SystemExit."""
    os.chdir(folder)
    sys.argv[1:] = arguments
    runpy.run_module("kafkasniff", run_name="__main__", alter_sys=True)
    raise AssertionError("the command gave no exit status")


def take_next(server: socket.socket) -> None:
    """Answer message after message; who was forked for one becomes the command, and ends as that does."""
    message, streams, _, _ = socket.recv_fds(server, LONGEST, 3)
    while message:
        process = os.fork()
        if not process:
            server.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            folder, *arguments = json.loads(message)
            run(folder, arguments)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(process, 0)
        server.send(str(os.waitstatus_to_exitcode(status)).encode())
        message, streams, _, _ = socket.recv_fds(server, LONGEST, 3)


if __name__ == "__main__":
    load()
    take_next(socket.socket(fileno=int(sys.argv[1])))
