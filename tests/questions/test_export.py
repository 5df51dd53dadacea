"""Tables as files: what is added up while rows come equals what DuckDB adds up of all of them."""

from pathlib import Path

import duckdb
import pytest

from kafkasniff.questions.export import Export
from kafkasniff.questions.named import text_of
from kafkasniff.reading import Reading
from tests.cli.hostile_calls import named_heartbeats
from tests.conftest import CAPTURES


@pytest.mark.parametrize("most_clients", [1, 100_000])
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_clients_are_those_of_the_calls(tmp_path: Path, form: str, most_clients: int) -> None:
    captures = [CAPTURES / "kraft3-admin-all.pcap", named_heartbeats(tmp_path / "named.pcap", ["a", "b", "c"] * 2)]
    with Export(["calls"], str(tmp_path / "out"), form, most_clients) as export:
        filler = export.filler(["calls"], "*")
        for capture in captures:
            filler.take([*Reading([str(capture)], metrics=False)])
            filler.flush()
        export.finish()
    with duckdb.connect() as database:
        for name in ("calls", "clients"):
            database.sql(f"CREATE VIEW {name} AS SELECT * FROM read_{form}('{tmp_path}/out/{name}.{form}')")
        found = database.sql("SELECT * FROM clients").fetchall()
        expected = database.sql(text_of("clients")).fetchall()
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert len(found) > 3
