"""Compare the output of two installed versions of kafkasniff, byte for byte, on captures.

    python tools/compare_versions.py OLD NEW CAPTURE…

OLD and NEW are the versions' `kafkasniff` commands. Each form of output is made by both for each capture; what differs
is said with its first differing line. With `--keep FOLDER` the output of OLD is kept there and not made again.
"""

import argparse
import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

FORMS = {
    "list": ["read"],
    "json": ["read", "--json"],
    "verbose": ["read", "-v"],
    "offsets": ["read", "-vv"],
    "connections": ["read", "--connections"],
    "connections-json": ["read", "--connections", "--json"],
    "records": ["read", "--json", "--records"],
    "errors": ["read", "--errors"],
    "fetches": ["read", "--api", "fetch,produce", "--time", "delta"],
    "diagnose": ["diagnose"],
    "diagnose-json": ["diagnose", "--json"],
}


def output(command: str, form: str, capture: Path) -> bytes:
    """Give what a version prints: standard output, and behind it standard error."""
    done = subprocess.run([command, *FORMS[form], str(capture)], capture_output=True, check=False)
    return done.stdout + b"--- stderr\n" + done.stderr


def first_difference(old: bytes, new: bytes) -> str:
    """Say in which line two outputs begin to differ."""
    lines = old.splitlines(), new.splitlines()
    for number, (before, after) in enumerate(zip(*lines, strict=False), 1):
        if before != after:
            place = next((i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
            shown = slice(max(place - 60, 0), place + 140)
            return f"line {number}, column {place}:\n    {before[shown]!r}\n    {after[shown]!r}"
    return f"{len(lines[0])} lines, and {len(lines[1])} lines"


def main() -> None:
    """Compare, and exit with 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, help="where the output of OLD is kept for the next comparison")
    parser.add_argument("--forms", default=",".join(FORMS), help="which forms of output to compare")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    def compare(case: tuple[str, Path]) -> str | None:
        form, capture = case
        kept = None
        if options.keep is not None:
            kept = options.keep / f"{form}-{hashlib.sha256(str(capture).encode()).hexdigest()[:24]}"
        if kept is not None and kept.exists():
            old = kept.read_bytes()
        else:
            old = output(options.old, form, capture)
            if kept is not None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(old)
        new = output(options.new, form, capture)
        return None if old == new else f"{form} of {capture}: {first_difference(old, new)}"

    cases = list(product(options.forms.split(","), options.captures))
    different = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(compare, cases):
            if found is not None:
                different += 1
                print(found, flush=True)
    print(f"{len(cases) - different} of {len(cases)} outputs are equal")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
