"""Runs commands on what a case gives, and tells what is wrong with what they did."""

import os
import re
import signal
import sys
from base64 import b64encode
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tools.hostile.apart import apart
from tools.hostile.case import MARKER, WORD, Given

MOST_SECONDS = 3.0
MOST_MB = 300
ROOT = Path(__file__).resolve().parents[2]

TIMELINE = "--timeline"
COMMANDS = (
    "read",
    "read -v",
    "read -vv",
    "read --json",
    "read --json --records",
    "read --json --connections",
    "read --json --jobs 2",
    "diagnose",
    "diagnose --json",
    f"diagnose {TIMELINE}",
)
"""What runs on each case; the name of a timeline follows `--timeline`."""

_GUARD = 'ulimit -t 20; ulimit -v 6291456; exec "$@"'
"""No case may take the machine down: 20 s of CPU and 6 GiB of address space."""
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
"""What a terminal may obey: C0 other than tab and line feed, DEL, C1 in UTF-8."""


class Run(NamedTuple):
    """What a command took, and what was wrong."""

    command: str
    seconds: float
    mb: float
    status: int
    """Exit status; negative for a signal."""
    said: str
    """The last line of standard error."""
    faults: list[str]


def run(name: str, given: Given, folder: Path, *, timed: bool = True) -> Run:
    """Run a command in the folder of the case."""
    arguments = [*name.split(), *([given.timeline] if name.endswith(TIMELINE) else [])]
    out, err = folder / ".out", folder / ".err"
    words = [sys.executable, "-m", "kafkasniff", *arguments, *given.options, *given.files]
    # PYTHONPATH, as the working folder is the case's; -P would keep it off the path but leaves ours out too.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "COLUMNS": "200"}
    here = os.getcwd()
    os.chdir(folder)
    try:
        process = os.posix_spawn(
            "/bin/sh",
            ["/bin/sh", "-c", _GUARD, "sh", *words],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
                (os.POSIX_SPAWN_OPEN, 2, str(err), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            ],
        )
    finally:
        os.chdir(here)
    _, waited, usage = os.wait4(process, 0)
    status = os.waitstatus_to_exitcode(waited)
    seconds, mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6
    faults = apart(partial(_faults, name, status, out, err, given))
    # Each process of `--jobs` reads all of the capture.
    if timed and seconds > MOST_SECONDS * (2 if "--jobs 2" in name else 1):
        faults.append(f"{seconds:.1f} s")
    if timed and mb > MOST_MB:
        faults.append(f"{mb:.0f} MB")
    lines = err.read_text(errors="replace").splitlines()
    return Run(name, seconds, mb, status, lines[-1] if lines else "", faults)


def _faults(name: str, status: int, out: Path, err: Path, given: Given) -> list[str]:
    faults = []
    if status < 0:
        faults.append(signal.Signals(-status).name)
    elif status not in ((0, 1, 2) if given.refused else (0,)):
        faults.append(f"exit {status}")
    secrets = _forms()
    for path, where in ((out, "stdout"), (err, "stderr")):
        traced = controlled = leaked = False
        with path.open("rb") as stream:
            # A line may be as long as the output: pieces overlap by more than what is looked for.
            before = b""
            while piece := stream.read(1 << 20):
                text = before + piece
                traced |= b"Traceback (most recent" in text
                leaked |= any(secret in text for secret in secrets)
                controlled |= _CONTROL.search(text) is not None
                before = text[-200:]
        faults += [f"{what} on {where}" for what, is_so in _kinds(traced, leaked, controlled) if is_so]
    if "--json" in name:
        faults += _json_faults(out)
    return faults


def _kinds(traced: bool, leaked: bool, controlled: bool) -> list[tuple[str, bool]]:
    return [("traceback", traced), ("secret", leaked), ("control character", controlled)]


def _forms() -> list[bytes]:
    """Give what shows the planted secret: its word as text and in hexadecimal, and parts of its Base64."""
    word, marker = WORD.encode(), MARKER.encode()
    shifted = [b64encode(marker[start : start + 9]) for start in range(len(word))]
    return [word, word.hex(" ").encode(), word.hex().encode(), *shifted]


def _json_faults(out: Path) -> list[str]:
    import orjson

    with out.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                valid = isinstance(orjson.loads(line), dict)
            except ValueError:
                valid = False
            if not valid:
                return [f"line {number} is no JSON object"]
    return []
