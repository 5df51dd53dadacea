"""Captures in a store that speaks S3 into the tables that their files give, also when the store fails now and then."""

import os
import subprocess
import sys

from tests.conftest import CAPTURES
from tests.pipeline.expected import COMPARED, comparable
from tests.pipeline.test_loading import rows, write
from tests.stores import BUCKET, store

RING = sorted((CAPTURES / "rotate-size").glob("*.pcap"))
JAVA = CAPTURES / "java-4.3.1-basic.pcap"


def pipeline(environment, *arguments):
    command = [sys.executable, "-m", "kafkasniff", "pipeline", "--master", "local[2]", *map(str, arguments)]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def tables(folder, root):
    """Give the rows of each table, with paths as they are below `root`."""

    def placed(value):
        return value.replace(root, "") if isinstance(value, str) else value

    return {
        table: comparable(table, [{name: placed(value) for name, value in row.items()} for row in rows(folder, table)])
        for table in COMPARED
    }


def test_tables_are_those_of_the_files(spark, tmp_path):
    files = {f"rotate-size/{path.name}": path for path in RING} | {JAVA.name: JAVA}
    with store(files, fails_every=50) as environment:
        first = pipeline(environment, f"s3://{BUCKET}/rotate-size", f"s3://{BUCKET}/*.pcap", tmp_path / "store")
        again = pipeline(environment, f"s3://{BUCKET}/rotate-size", f"s3://{BUCKET}/*.pcap", tmp_path / "store")
        refused = pipeline(environment, f"s3://{BUCKET}/", f"s3://{BUCKET}/tables")
    assert (first.returncode, first.stderr) == (0, "")
    assert again.stdout.endswith("; nothing is new\n")
    assert f"s3://{BUCKET}/tables: expected a path that all workers have" in refused.stderr
    write(spark, [CAPTURES / "rotate-size", JAVA], tmp_path / "files")
    found = tables(tmp_path / "store", f"s3://{BUCKET}/")
    assert found == tables(tmp_path / "files", f"{CAPTURES}/")
    # As the last lines of `read` say.
    assert found["calls"].total() == 99 + 108
    said = [
        sorted((row["rule"], row["summary"]) for row in rows(tmp_path / of, "findings")) for of in ("store", "files")
    ]
    assert said[0] == said[1]
