"""`python -m tools.hostile [CASE...] [--scale FACTOR] [--command NAME]...`: run cases and checks, and print tables."""

import argparse
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

from tools.hostile.apart import apart
from tools.hostile.case import Case, Given
from tools.hostile.cases import CASES
from tools.hostile.run import COMMANDS, Run, run
from tools.hostile.surroundings import CHECKS


def size_of(folder: Path, given: Given) -> int:
    """Give the bytes of the captures."""
    return sum((folder / name).stat().st_size for name in given.files if (folder / name).is_file())


def row(case: Case, size: int, runs: list[Run]) -> str:
    """Lay out what came of a case."""
    seconds, mb = max(runs, key=lambda run: run.seconds), max(runs, key=lambda run: run.mb)
    faults = "; ".join(f"{one.command}: {', '.join(one.faults)}" for one in runs if one.faults) or "none"
    cells = (
        case.name,
        case.what,
        f"{size / 1000:,.0f}",
        f"{seconds.seconds:.1f}",
        f"{mb.mb:.0f}",
        faults,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join([*CASES, *CHECKS]))
    parser.add_argument("--scale", type=float, default=1.0, help="make captures larger or smaller")
    parser.add_argument("--command", action="append", choices=COMMANDS, help="run only this; may be repeated")
    parser.add_argument("--keep", type=Path, help="leave the files of each case below this folder")
    parser.add_argument("--verbose", action="store_true", help="also say of each run what it took")
    options = parser.parse_args()
    if unknown := [name for name in options.cases if name not in CASES and name not in CHECKS]:
        parser.error(f"no such case: {', '.join(unknown)}")
    faults = 0
    wanted = options.cases or [*CASES, *CHECKS]
    print("| case | what | kB | most CPU s | most MB | faults |\n| --- | --- | ---: | ---: | ---: | --- |", flush=True)
    for name in [each for each in wanted if each in CASES]:
        folder = options.keep / name if options.keep else Path(tempfile.mkdtemp())
        folder.mkdir(parents=True, exist_ok=True)
        try:
            given = Given(*apart(partial(CASES[name].build, folder, options.scale)))
            runs = [run(command, given, folder) for command in options.command or COMMANDS]
            print(row(CASES[name], size_of(folder, given), runs), flush=True)
        finally:
            if not options.keep:
                shutil.rmtree(folder)
        faults += sum(bool(one.faults) for one in runs)
        for one in runs if options.verbose else ():
            print(
                f"    {one.command:26} {one.seconds:6.2f} s {one.mb:6.0f} MB  exit {one.status}  {one.said[:150]!a}",
                file=sys.stderr,
            )
    if checks := [CHECKS[each] for each in wanted if each in CHECKS]:
        print("\n| check | faults |\n| --- | --- |")
    for check in checks:
        with tempfile.TemporaryDirectory() as work:
            found = check.faults(Path(work))
        print(f"| {check.what} | {'; '.join(found) or 'none'} |", flush=True)
        faults += bool(found)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
