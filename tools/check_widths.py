"""Look whether what is printed fits terminals: commands on recordings, in a real pseudo-terminal of each width.

Use: `python -m tools.check_widths PATH... [--widths 60,80] [--commands read,stats] [--jobs N] [--every N]`. Exits
1 where a line is longer than the terminal, a word is broken that fits, or the name of an error is cut; says where.
"""

import argparse
import contextlib
import fcntl
import gc
import json
import os
import pkgutil
import pty
import re
import shlex
import struct
import sys
import termios
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path

from rich.cells import cell_len

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import kafkasniff
from kafkasniff.cli.app import COMMANDS as COMMAND_NAMES
from kafkasniff.cli.app import run
from kafkasniff.cli.commands.reference.help import TOPICS
from kafkasniff.cli.main import COLLECTION_THRESHOLDS
from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.error_codes.codes import ERROR_CODES

WIDTHS = (60, 80, 120, 160, 240)
SUFFIXES = (".pcap", ".pcapng", ".pcap.gz", ".pcap.zst")
COMMANDS = (
    "read FILE",
    "read FILE --errors --connections",
    "read FILE --columns number,time,client_id,api,latency,error,topic,group,request.acks --limit 300",
    "read FILE -vv --limit 3",
    "show FILE 1 --context 2",
    "diagnose FILE",
    "diagnose FILE --brief",
    "diagnose FILE --lag",
    "diagnose FILE --explain 1",
    "stats FILE",
    "stats FILE --by client_id,api_name,error --more",
    "stats FILE --by server --every 1s",
    "who FILE",
    "who FILE --matrix",
    "audit FILE --target 4.0",
    "audit FILE --about security",
    "audit FILE --about cost",
    "compare FILE FILE",
    "sql FILE 'SELECT * FROM calls LIMIT 20'",
    "pipeline FILE none --dry-run",
)
"""What is asked of each recording."""
OTHERS = (
    "--help",
    *(f"{name} --help" for name in COMMAND_NAMES),
    *(f"help {name}" for name in TOPICS),
    "apis",
    *(f"apis {key}" for key in APIS),
    *(f"apis {api.key} {api.last_version}" for api in APIS.values()),
    "errors",
    *(f"errors {code}" for code in ERROR_CODES if code >= 0),
    "explain",
    *(f"explain {rule}" for rule in RULES_BY_ID),
)
"""What needs no recording."""
_CLEARED = "\x1b[K"
"""What a line of progress ends with."""
_COLOUR = r"\x1b\[[\d;]*m"
_SPARE = 24
"""Columns of a line that its indentation may take: a longer word than what is left may be broken."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--widths", default=",".join(map(str, WIDTHS)))
    parser.add_argument("--commands", help="only these, such as read,stats")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="take every N-th recording only")
    given = parser.parse_args()
    paths = sorted(
        path.resolve()
        for given_path in given.paths
        for path in ([given_path] if given_path.is_file() else given_path.rglob("*"))
        if path.name.endswith(SUFFIXES)
    )
    paths = paths[:: given.every]
    wanted = given.commands and given.commands.split(",")
    commands, others = (
        [command for command in known if not wanted or command.split()[0] in wanted] for known in (COMMANDS, OTHERS)
    )
    widths = [int(width) for width in given.widths.split(",")]
    asked = [("", [command]) for command in others]
    asked += [(str(path), commands) for path in paths if commands]
    screens = lines = wrong = 0
    import_all()
    with ProcessPoolExecutor(given.jobs) as pool:
        for shown, of_path, faulty in pool.map(partial(check, widths=widths), *zip(*asked, strict=True)):
            screens, lines, wrong = screens + shown, lines + of_path, wrong + len(faulty)
            for text in faulty[:20]:
                print(text, flush=True)
    print(f"{len(paths)} recordings, {len(commands)} commands of each, {len(others)} without, widths {given.widths}")
    print(f"{screens:,} screens of {lines:,} lines: {wrong:,} wrong")
    return 1 if wrong else 0


def import_all() -> None:
    """Import what commands import when they run: the processes that run them have it then, with half the CPU."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads must not be copied
    import_module("duckdb")
    for module in pkgutil.walk_packages(kafkasniff.__path__, "kafkasniff."):
        # What an extra brings need not be there.
        with contextlib.suppress(ModuleNotFoundError):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    # A search for cycles touches all that is imported, and so copies it.
    gc.set_threshold(*COLLECTION_THRESHOLDS)


def check(path: str, commands: Sequence[str], widths: Sequence[int]) -> tuple[int, int, list[str]]:
    """Give how many screens and lines were looked at, and what is wrong with them."""
    found: list[str] = []
    screens = lines = 0
    for command in commands:
        arguments = [path if word == "FILE" else word for word in shlex.split(command)]
        whole = piped(*arguments)
        for width in widths:
            shown = on_terminal(arguments, width)
            screens += 1
            lines += shown.count("\n")
            place = f"{Path(path).name}: {command} at {width}"
            found += [f"{place}: {text}" for text in faults(shown, whole, width)]
        if command == "read FILE":
            found += [f"{Path(path).name}: {text}" for text in cut_errors(arguments, widths)]
    return screens, lines, found


def on_terminal(arguments: Sequence[str], columns: int) -> str:
    """Give what a command prints on a terminal; it runs in a copy of this process, which has all imported."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    return _output(arguments, ours, theirs, {"TERM": "xterm-256color", "PAGER": "cat", "TZ": "UTC"})


def piped(*arguments: str) -> str:
    """Give what a command prints where no line is cut."""
    wide = ["--wide"] if arguments[0] in ("read", "show") else []
    return _output([*arguments, *wide], *os.pipe(), {"COLUMNS": "99999", "TZ": "UTC"})


def _output(arguments: Sequence[str], ours: int, theirs: int, environment: dict[str, str]) -> str:
    child = os.fork()
    if not child:
        os.close(ours)
        for number in (1, 2):
            os.dup2(theirs, number)
        os.environ.pop("COLUMNS", None)
        os.environ.update(environment)
        try:
            run(arguments)
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.close(theirs)
    pieces = []
    try:
        while piece := os.read(ours, 1 << 16):
            pieces.append(piece)
    except OSError:  # the terminal has nobody at its other end any more
        pass
    os.close(ours)
    os.waitpid(child, 0)
    return re.sub(_COLOUR, "", b"".join(pieces).decode().replace("\r\n", "\n").replace(_CLEARED, ""))


def faults(shown: str, whole: str, width: int) -> Iterator[str]:
    """Give the lines that are too long, and the words that are broken though a line has room for them."""
    if "Traceback" in shown:
        yield "a traceback"
    words = set(whole.split())
    before = ""
    lines = shown.splitlines()
    headings = _headings(lines)
    for number, line in enumerate(lines):
        if cell_len(line) > width:
            yield f"{cell_len(line)} columns: {line}"
        found = line.split()
        joined = before + found[0] if before and found else ""
        # Headings are broken behind underscores on purpose.
        is_folded = before.endswith("_") and number in headings
        if joined in words and before not in words and len(joined) <= width - _SPARE and not is_folded:
            yield f"{joined!r} is broken: {line}"
        before = found[-1] if found else ""


def _headings(lines: Sequence[str]) -> set[int]:
    """Give the numbers of the lines with the names of columns: those above a rule, up to an empty line."""
    found: set[int] = set()
    for number, line in enumerate(lines):
        if line and not line.strip("─"):
            above = number - 1
            while above >= 0 and lines[above] and lines[above].strip("─"):
                found.add(above)
                above -= 1
    return found


def cut_errors(arguments: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Give the widths at which the names of errors are not all there, whole and in order."""
    lines = [line for line in piped(*arguments, "--json", "--errors").splitlines() if line.startswith("{")]
    names = [[error["name"] for error in json.loads(line).get("errors", ())] for line in lines]
    expected = [name for each in names for name in dict.fromkeys(each)]
    known = set(expected)
    for width in widths:
        shown = on_terminal([*arguments, "--errors"], width)
        found = [word.strip(",") for word in shown.split() if word.strip(",") in known]
        missing = len(expected) - len(found)
        if missing > 0 and not any(len(set(each)) > 3 for each in names):
            yield f"at {width} {missing} of {len(expected)} names of errors are not whole"


if __name__ == "__main__":
    sys.exit(main())
