"""What commands in pages of docs print: run in a terminal of 100 columns, and written below them.

A block is of the language `console`; its lines that begin with `$ ` are commands, the others what they print.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def with_output(page: str) -> str:
    """Give a page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "captures").symlink_to(ROOT / "captures")
        command = place / "kafkasniff"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m kafkasniff "$@"\n')
        command.chmod(0o755)
        return _BLOCK.sub(lambda block: f"```console\n{_block(block[1], place)}```", page)


def _block(text: str, place: Path) -> str:
    commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{_output(command, place)}" for command in commands)


def _output(command: str, place: Path) -> str:
    environment = {
        "PATH": f"{place}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "TZ": "UTC",
        "HOME": str(place),
    }
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(["sh", "-c", command], stdout=theirs, stderr=theirs, cwd=place, env=environment)
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 1 << 16):
            pieces.append(piece)
    except OSError:  # nobody has the other end open any more
        pass
    os.close(ours)
    process.wait()
    shown = b"".join(pieces).decode().replace("\r\n", "\n")
    # How far a slow machine was is no part of the output.
    shown = re.sub(r"\r[^\r\n]*\x1b\[K", "", shown)
    if "Traceback" in shown or "compile_engine.py" in shown:
        raise SystemExit(f"{command}\n{shown}")
    return "\n".join(line.rstrip() for line in shown.split("\n"))
