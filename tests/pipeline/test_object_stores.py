"""Captures in a store that speaks S3 into the tables that their files give, also when the store fails now and then."""

import os
import subprocess
import sys

import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.ledger import Ledger
from kafkasniff.pipeline.follow.state import State
from tests.conftest import CAPTURES
from tests.pipeline.expected import COMPARED, comparable
from tests.pipeline.runs import rows, write
from tests.stores import BUCKET, client_of, fetch, store

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
        asked = f"s3://{BUCKET}/rotate-size", f"s3://{BUCKET}/*.pcap"
        first = pipeline(environment, *asked, tmp_path / "store")
        there = pipeline(environment, *asked, f"s3a://{BUCKET}/tables/")
        again = pipeline(environment, *asked, f"s3://{BUCKET}/tables")
        fetch(environment, tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    assert (there.stdout, there.stderr) == (first.stdout, "")
    assert again.stdout.endswith("; nothing is new\n")
    write(spark, [CAPTURES / "rotate-size", JAVA], tmp_path / "files")
    wanted = tables(tmp_path / "files", f"{CAPTURES}/")
    # As the last lines of `read` say.
    assert wanted["calls"].total() == 99 + 108
    for folder in ("store", "tables"):
        assert tables(tmp_path / folder, f"s3://{BUCKET}/") == wanted
    said = [
        sorted((row["rule"], row["summary"]) for row in rows(tmp_path / of, "findings"))
        for of in ("store", "tables", "files")
    ]
    assert said[0] == said[1] == said[2]


def test_what_comes_later_is_added_in_the_store(spark, tmp_path):
    """Also where captures and tables lie in one folder, and where another process had taken over."""
    with store({path.name: path for path in RING[:4]}) as environment:
        place = f"s3://{BUCKET}"
        first = pipeline(environment, place, f"{place}/tables")
        for path in RING[4:]:
            client_of(environment).upload_file(str(path), BUCKET, path.name)
        second = pipeline(environment, place, f"{place}/tables")
        fetch(environment, tmp_path)
    assert (first.returncode, second.returncode, first.stderr + second.stderr) == (0, 0, "")
    write(spark, [CAPTURES / "rotate-size"], tmp_path / "files")
    assert tables(tmp_path / "tables", f"s3://{BUCKET}/") == tables(tmp_path / "files", f"{CAPTURES}/rotate-size/")
    assert not [path for path in (tmp_path / "tables").glob("_state-*/work/calls/**/*") if path.is_file()]


def test_only_the_latest_process_commits(tmp_path, monkeypatch):
    with store({}) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        first, second = (Ledger(f"s3://{BUCKET}/another", "r1", ["files"]) for _ in range(2))
        assert (first.open(), second.open()) == (None, None)
        with pytest.raises(PipelineError, match="another process"):
            first.commit(State(buckets=1, batch=1))
        second.commit(State(buckets=2, batch=1))
        found = first.open()
    assert found is not None
    assert found.buckets == 2
