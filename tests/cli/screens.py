"""The command on a terminal: a pseudo-terminal of a given size."""

import fcntl
import os
import struct
import subprocess
import termios

from tests.cli.forks import COMMAND, Forks
from tests.conftest import ROOT, open_terminal


def on_terminal(
    environment: dict[str, str], *arguments: str, columns: int = 100, lines: int = 40, forks: Forks | None = None
) -> tuple[str, int]:
    """Give what the command shows on a terminal of that size, and its exit status; nothing is typed.

    It runs in a new interpreter of this environment, or by `forks` in one of theirs.
    """
    ours, theirs = open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    folder = ROOT / "captures"
    if forks is not None:
        forks.start(arguments, folder, [theirs] * 3)
        wait = forks.wait
    else:
        wait = subprocess.Popen(
            [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
        ).wait
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 65536):
            pieces.append(piece)
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n"), wait()
