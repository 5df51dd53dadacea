"""Traffic that asks for much memory, through the command: `python -m benchmarks.bounds [CASE...]`.

Each case of tests/robustness/bounds.py is written to a capture in full, and read with `kafkasniff read --json`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path

# Imports nothing large: until it executes its command a child counts this process's memory as its own.
from benchmarks.measure import machine

CASES = (
    "half_open",
    "full_connections",
    "large_message",
    "large_first",
    "announced",
    "many_unfinished",
    "undecided",
    "holes",
)


def write(case: str, path: Path) -> str:
    """Write the capture of a case in a process of its own; give what the case is."""
    code = (
        "import pathlib, random, sys; from tests.robustness.bounds import CASES, write_capture;"
        " name, path = sys.argv[1:];"
        " write_capture(pathlib.Path(path), CASES[name](1.0, random.Random(name))); print(CASES[name].__doc__)"
    )
    return subprocess.run(
        [sys.executable, "-c", code, case, str(path)], capture_output=True, text=True, check=True
    ).stdout.strip()


def read(path: Path, folder: Path) -> tuple[float, float, Path, str]:
    """Read a capture; give CPU seconds, peak MiB, the file of lines, and what was said on standard error."""
    lines, said = folder / "lines", folder / "said"
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "kafkasniff", "read", str(path), "--json"],
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, stream, str(file), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            for stream, file in ((1, lines), (2, said))
        ],
    )
    _, status, usage = os.wait4(process, 0)
    if status:
        raise RuntimeError(said.read_text())
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, lines, said.read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], metavar="CASE", help=", ".join(CASES))
    cases = parser.parse_args().cases or CASES
    print(machine(), end="\n\n")
    print("| case | packets | answered | problems | peak MiB | CPU s | µs a packet | said |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: | --- |")
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / f"{case}.pcap"
            what = write(case, path)
            cpu, peak, lines, said = read(path, folder)
            outcomes, problems = Counter(), []
            with lines.open() as stream:
                for line in stream:
                    item = json.loads(line)
                    outcomes[item.get("outcome")] += 1
                    problems += [problem["message"] for problem in item.get("problems", ())]
            *notes, closing = said.splitlines()
            packets = int(closing.split(" ")[0].replace(",", ""))
            shown = "; ".join(textwrap.shorten(problem, 80) for problem in problems[:2])
            cells = [what, f"{packets:,}", f"{outcomes['answered']:,}", shown, f"{peak:.0f}", f"{cpu:.1f}"]
            cells += [f"{cpu / packets * 1e6:.1f}", "; ".join(note.removeprefix("kafkasniff: ") for note in notes)]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
