"""Whether the pipeline's tables are those of `read` and `diagnose`, whatever happens to it while it makes them.

    python -m benchmarks.left_alone recordings FOLDER
    python -m benchmarks.left_alone steps CAPTURE [--steps 10]
    python -m benchmarks.left_alone small CAPTURE [--steps 2000]
    python -m benchmarks.left_alone follow CAPTURE [--steps 10] [--kills 20] [--seed 0]
    python -m benchmarks.left_alone clocks FOLDER

`recordings`: all captures below a folder, in one run. `steps`: a capture in the classic format, cut into a ring of
files that come one by one, with a run of the pipeline behind each. `small`: such files all at once, with the time that
`read` takes. `follow`: such files one by one, with `--follow`, each process of which is killed with SIGKILL at a moment
drawn at random, then `--finish`. `clocks`: each capture below a folder as two capture points have it, of which one is
0.3 ms farther away and has a clock that is 3.25 s ahead; its findings must be those of one side. What differs is told
by table: rows that lack and rows that are too many.
"""

import argparse
import itertools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.pipeline.session import open_session
from kafkasniff.tables.rings import ring_of
from tests.pipeline.expected import COMPARED, expected_rows
from tests.pipeline.findings.compared import AHEAD_NS, elsewhere, farther, found, later, wanted, what
from tests.pipeline.runs import by_vantage, rows, write

MASTER = "local[2]"
MICROSECONDS = bytes.fromhex("d4c3b2a1")
"""How a capture in the classic format begins, little-endian, with times in microseconds."""


def parts(capture: Path, count: int) -> list[bytes]:
    """Cut a capture of little-endian records into files of as many packets each."""
    data, place, starts = capture.read_bytes(), 24, []
    while place < len(data):
        starts.append(place)
        place += 16 + struct.unpack_from("<I", data, place + 8)[0]
    cuts = [starts[number * len(starts) // count] for number in range(count)] + [len(data)]
    return [data[:24] + data[begin:end] for begin, end in pairwise(cuts)]


def command(*arguments: object) -> list[str]:
    """Give the command line of a run of the pipeline."""
    return [sys.executable, "-m", "kafkasniff", "pipeline", *map(str, arguments), "--master", MASTER]


def run(*arguments: object) -> float:
    """Run the pipeline to its end, and give the seconds that it took."""
    begun = time.monotonic()
    done = subprocess.run(command(*arguments), check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return time.monotonic() - begun


def secrets_of(rings: list[list[str]]) -> bytes:
    """Give the secrets of TLS in captures: those of one may open connections in another."""
    found = []
    for path in itertools.chain.from_iterable(rings):
        reader = CaptureReader(path)
        for _ in reader:
            found += reader.take_secrets()
    return b"\n".join(found)


def judge(tables: Path, rings: list[list[str]]) -> None:
    """Tell how the tables differ from what `read` and `diagnose` say of the same files, a ring of them at a time."""
    of_vantages = by_vantage(tables)
    key_log = tables.with_name("keys.log")
    key_log.write_bytes(secrets_of(rings))
    lacking: Counter[str] = Counter()
    added: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for paths in rings:
        truth, shown = expected_rows(paths, str(key_log)), of_vantages.pop(ring_of(paths[0]), None)
        for table in COMPARED:
            have = shown[table] if shown else Counter()
            differing = (truth[table] - have).total(), (have - truth[table]).total()
            if any(differing):
                print(f"{ring_of(paths[0])}: {table}: lacking {differing[0]}, too many {differing[1]}")
            lacking[table] += differing[0]
            added[table] += differing[1]
            totals[table] += truth[table].total()
    for name in of_vantages:
        print(f"{name}: no such capture point")
    for table in COMPARED:
        added[table] += sum(shown[table].total() for shown in of_vantages.values())
        print(f"{table}: {totals[table]:,} rows; lacking {lacking[table]}, too many {added[table]}", flush=True)
    by_vantages = found(tables)
    alone = [paths for paths in rings if all(len(each) == 1 for each in by_vantages if ring_of(paths[0]) in each)]
    truths = {ring_of(paths[0]): wanted(*paths) for paths in alone}
    shown_of = {name: by_vantages.get((name,), Counter()) for name in truths}
    print(
        f"findings of {len(alone)} capture points that are clusters of their own:"
        f" {sum(each.total() for each in truths.values())};"
        f" lacking {sum((truths[name] - shown_of[name]).total() for name in truths)},"
        f" too many {sum((shown_of[name] - truths[name]).total() for name in truths)}"
    )
    for names, of_names in by_vantages.items():
        if len(names) > 1:
            print(f"findings of {len(names)} capture points of one cluster together: {of_names.total()}")
    states = Counter(row["state"] for row in rows(tables, "files"))
    print(f"files: {dict(states)}", flush=True)


def recordings(folder: Path, options: argparse.Namespace) -> None:
    """Read all captures from one directory."""
    captures = folder / "captures"
    rings: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(options.source.rglob("*.pcap*")):
        copy = captures / path.relative_to(options.source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        rings[ring_of(str(copy))].append(str(copy))
    print(f"{sum(map(len, rings.values()))} captures: {run(captures, folder / 'tables'):.1f} s")
    judge(folder / "tables", list(rings.values()))


def steps(folder: Path, options: argparse.Namespace) -> None:
    """Let a directory grow."""
    captures = folder / "captures"
    captures.mkdir()
    taken = []
    for number, content in enumerate(parts(options.source, options.steps)):
        (captures / f"part_{number:03}.pcap").write_bytes(content)
        taken.append(run(captures, folder / "tables"))
    print("seconds of each run:", ", ".join(f"{each:.1f}" for each in taken))
    judge(folder / "tables", [sorted(map(str, captures.iterdir()))])


def follow(folder: Path, options: argparse.Namespace) -> None:
    """Follow a directory, with processes that are killed."""
    rng = random.Random(options.seed)
    captures, tables = folder / "captures", folder / "tables"
    captures.mkdir()
    arguments = command("--follow", captures, tables, "--still", "1s")
    moments = []
    longest = run(Path(__file__).parents[1] / "captures" / "rotate-size", folder / "first") * 2
    kills = [number * options.steps // options.kills for number in range(options.kills)]
    for number, content in enumerate(parts(options.source, options.steps)):
        (captures / f"part_{number:03}.pcap").write_bytes(content)
        for _ in range(kills.count(number)):
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moment = rng.uniform(0, longest)
            time.sleep(moment)
            ended = process.poll()
            process.kill()
            process.wait()
            batches = len(list(tables.glob("calls/run_id=*/date=*/*"))) if tables.is_dir() else 0
            moments.append(f"{moment:.1f} s{'' if ended is None else f' (had ended: {ended})'}: {batches}")
    print("killed after, and files of calls then:", ", ".join(moments))
    print(f"--finish: {run('--follow', '--finish', captures, tables):.1f} s")
    judge(tables, [sorted(map(str, captures.iterdir()))])


def small(folder: Path, options: argparse.Namespace) -> None:
    """Read many small files at once, and hold the time against that of `read`."""
    captures = folder / "captures"
    captures.mkdir()
    for number, content in enumerate(parts(options.source, options.steps)):
        (captures / f"part_{number:04}.pcap").write_bytes(content)
    paths = sorted(map(str, captures.iterdir()))
    size = sum(os.path.getsize(path) for path in paths)
    begun = time.monotonic()
    subprocess.run([sys.executable, "-m", "kafkasniff", "read", *paths], check=True, stdout=subprocess.DEVNULL)
    alone = time.monotonic() - begun
    took = run(captures, folder / "tables")
    print(f"{len(paths)} files, {size / 1e6:.1f} MB: read {alone:.1f} s, pipeline {took:.1f} s", end=" ")
    print(f"(5 x read + 15 s: {5 * alone + 15:.1f} s)", flush=True)
    judge(folder / "tables", [paths])


def clocks(folder: Path, options: argparse.Namespace) -> None:
    """Read captures of two capture points each, whose clocks differ."""
    session = open_session(MASTER)
    told, same, count = 0, 0, 0
    for number, path in enumerate(sorted(options.source.rglob("*.pcap"))):
        content = elsewhere(path.read_bytes())
        if content[:4] != MICROSECONDS:
            continue
        captures, tables = folder / f"captures-{number}", folder / f"tables-{number}"
        captures.mkdir()
        (captures / "broker.pcap").write_bytes(content)
        (captures / "client.pcap").write_bytes(later(farther(content, 300), AHEAD_NS))
        outcome = write(session, [captures], tables)
        sides = [sorted(map(what, wanted(str(each)))) for each in sorted(captures.iterdir())]
        shown = [sorted(map(what, findings)) for findings in found(tables).values()]
        count += 1
        told += bool(outcome.state.shifts)
        same += shown in ([side] for side in sides) or not (shown or any(sides))
        if shown not in ([side] for side in sides) and (shown or any(sides)):
            print(f"{path.name}: shifts {outcome.state.shifts}; findings {[*map(len, shown)]} of {[*map(len, sides)]}")
    print(f"{count} captures: the difference of the clocks told of {told}; findings as from one side: {same}")


PARTS = {"recordings": recordings, "steps": steps, "small": small, "follow": follow, "clocks": clocks}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("source", type=Path)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        PARTS[options.part](Path(folder), options)


if __name__ == "__main__":
    main()
