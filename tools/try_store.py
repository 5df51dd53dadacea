"""Hold the pipeline's tables in a store against those on a disk: `python tools/try_store.py URI CAPTURES`.

    python tools/try_store.py s3://bucket/try captures/rotate-size       # AWS_ENDPOINT_URL names a MinIO, for example
    python tools/try_store.py hdfs://127.0.0.1:9000/try captures/rotate-size

URI is a folder that may be filled, and is empty; CAPTURES a folder with the files of one rotated capture. It prints a
line for each format, for a folder that grows a file at a time with a run after each, and for `--follow` in processes
that are killed with SIGKILL at random moments before `--finish`. Rows are compared by `kafkasniff sql`, findings too.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from kafkasniff.pipeline.destinations.files import begin_file
from kafkasniff.pipeline.follow.ledger import tables_of

SEED = 20261124
KILLS = 5
LONGEST_S = 25
"""A process is killed before that."""


def kafkasniff(*arguments: str) -> list[str]:
    """Give a command line."""
    return [sys.executable, "-m", "kafkasniff", *arguments]


def pipeline(*arguments: str) -> None:
    """Run the pipeline to its end. Raises RuntimeError where it fails."""
    done = subprocess.run(
        kafkasniff("pipeline", *arguments, "--master", "local[2]"), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


def rows(tables: str, captures: str) -> dict[str, Counter[str]]:
    """Give the rows of all tables, with files named from the folder of captures on."""
    found = {}
    for table in tables_of(records=False):
        asked = kafkasniff("sql", tables, f'SELECT * FROM "{table}"', "--format", "json")
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        lines = [json.loads(line.replace(captures, "")) for line in done.stdout.splitlines()]
        found[table] = Counter(
            json.dumps({name: value for name, value in line.items() if name not in ("run_id", "modified")}, default=str)
            for line in lines
        )
    return found


def compare(what: str, tables: str, captures: str, wanted: dict[str, Counter[str]]) -> None:
    """Print how many rows there are, lack, and are too many."""
    have = rows(tables, captures)
    lacking = {name: (wanted[name] - have[name]).total() for name in wanted}
    added = {name: (have[name] - wanted[name]).total() for name in wanted}
    differing = [name for name in wanted if lacking[name] or added[name]]
    print(
        f"| {what} | {have['calls'].total()} | {sum(each.total() for each in have.values())} |"
        f" {have['findings'].total()} | {sum(lacking.values())} | {sum(added.values())} | {', '.join(differing)} |",
        flush=True,
    )


def put(path: Path, folder: str) -> None:
    """Copy a file into a folder of the store."""
    with begin_file(f"{folder}/{path.name}") as file:
        file.write(path.read_bytes())


def main() -> None:
    """Try all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("uri")
    parser.add_argument("captures", type=Path)
    options = parser.parse_args()
    uri, paths, draw = options.uri.rstrip("/"), sorted(options.captures.glob("*.pcap*")), random.Random(SEED)
    captures = str(options.captures.resolve())
    with tempfile.TemporaryDirectory() as folder:
        pipeline(captures, f"{folder}/tables")
        wanted = rows(f"{folder}/tables", captures)
    print("| what | calls | rows of all tables | findings | lacking | too many | tables that differ |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for path in paths:
        put(path, f"{uri}/all")
    for form in ("parquet", "delta", "iceberg"):
        pipeline(f"{uri}/all", f"{uri}/{form}", *(["--format", form] if form != "parquet" else []))
        compare(form, f"{uri}/{form}", f"{uri}/all", wanted)
    for path in paths:
        put(path, f"{uri}/steps")
        pipeline(f"{uri}/steps", f"{uri}/of-steps")
    compare(f"{len(paths)} runs as files come", f"{uri}/of-steps", f"{uri}/steps", wanted)
    follow = ["--follow", f"{uri}/live", f"{uri}/followed", "--still", "1s"]
    for number, path in enumerate(paths):
        put(path, f"{uri}/live")
        if number % 2 or number // 2 >= KILLS:
            continue
        with subprocess.Popen(
            kafkasniff("pipeline", *follow, "--master", "local[2]"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(draw.uniform(5, LONGEST_S))
            process.kill()
    pipeline(*follow, "--finish")
    compare("--follow, killed", f"{uri}/followed", f"{uri}/live", wanted)


if __name__ == "__main__":
    main()
