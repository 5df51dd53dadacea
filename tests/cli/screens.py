"""The command on a terminal: a pseudo-terminal of a given size."""

import fcntl
import os
import struct
import subprocess
import termios
from pathlib import Path

from tests.cli.conftest import COMMAND
from tests.conftest import ROOT, open_terminal


def on_terminal(
    environment: dict[str, str], *arguments: str, columns: int = 100, lines: int = 40, cwd: Path = ROOT / "captures"
) -> tuple[str, int]:
    """Give what the command shows on a terminal of that size, and its exit status; nothing is typed."""
    ours, theirs = open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=environment, close_fds=True
    )
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 65536):
            pieces.append(piece)
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n"), process.wait(60)
