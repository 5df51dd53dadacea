"""Tables of Delta Lake and Iceberg, read by the formats' own libraries."""

import datetime
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyiceberg.table import StaticTable

from kafkasniff.lakes.formats import FORMATS, LakeError
from kafkasniff.lakes.tables import PARTITIONS, Change, format_of, lake_named, rows_of
from tests.stores import BUCKET, client_of, store

OLD = pa.schema([("time_ns", pa.int64()), ("client_id", pa.string()), ("api_key", pa.int16())])
NEW = pa.schema([*OLD, ("topics", pa.list_(pa.string()))])
DAY = datetime.date(2026, 11, 20)


def written(table, name, schema, first, run="r1"):
    path = f"run_id={run}/date={DAY.isoformat()}/{name}.parquet"
    (table / path).parent.mkdir(parents=True, exist_ok=True)
    (table / path).write_bytes(content(schema, first))
    return path


def content(schema, first):
    rows = {"time_ns": [first, first + 1], "client_id": ["a", None], "api_key": [0, 1], "topics": [["t"], []]}
    file = io.BytesIO()
    pq.write_table(pa.table({name: rows[name] for name in schema.names}, schema=schema), file)
    return file.getvalue()


def read(form, table):
    """Give the rows as the format's own library reads them."""
    if form == "delta":
        found = DeltaTable(str(table)).to_pyarrow_table()
    else:
        found = StaticTable.from_metadata(table.as_uri()).scan().to_arrow()
    return sorted(found.to_pylist(), key=lambda row: row["time_ns"])


def row(number, run="r1", **more):
    second = number % 10
    values = {"time_ns": number, "client_id": None if second else "a", "api_key": second}
    return values | {"run_id": run, "date": DAY} | more


def change(form, table, schema, added, removed=(), run="r1"):
    lake_named(form).commit(str(table), pa.schema([*schema, *pa.schema(PARTITIONS)]), Change(added, [*removed]), run)


@pytest.fixture(params=FORMATS)
def form(request):
    return request.param


def test_a_change_is_one_version_that_can_be_told_again(form, tmp_path):
    table = tmp_path / "calls"
    first, second, other = (written(table, name, OLD, at) for name, at in (("a", 10), ("b", 20), ("c", 30)))
    change(form, table, OLD, [first, second])
    assert read(form, table) == [row(10), row(11), row(20), row(21)]
    for _ in range(2):
        # As where a process was killed before it knew that it had done so.
        change(form, table, OLD, [other], [first])
        assert read(form, table) == [row(20), row(21), row(30), row(31)]
        assert sorted(lake_named(form).files(str(table), "r1")) == [second, other]
    assert lake_named(form).files(str(table), "r2") == []
    assert format_of(str(table)) == form


def test_runs_share_a_table(form, tmp_path):
    table = tmp_path / "calls"
    paths = {run: written(table, "a", OLD, at, run) for run, at in (("r1", 10), ("r2", 20))}
    for run, path in paths.items():
        change(form, table, OLD, [path], run=run)
    change(form, table, OLD, [], [paths["r1"]])
    assert read(form, table) == [row(20, "r2"), row(21, "r2")]


def test_a_column_that_comes_later_is_null_in_older_rows(form, tmp_path):
    table = tmp_path / "calls"
    change(form, table, OLD, [written(table, "a", OLD, 10)])
    change(form, table, NEW, [written(table, "b", NEW, 20)])
    wanted = [row(10, topics=None), row(11, topics=None), row(20, topics=["t"]), row(21, topics=[])]
    assert read(form, table) == wanted
    assert sorted(rows_of(str(table)).to_table().to_pylist(), key=lambda row: row["time_ns"]) == wanted


def test_what_another_program_rewrote_is_not_lost(form, tmp_path):
    table = tmp_path / "calls"
    change(form, table, OLD, [written(table, "a", OLD, 10)])
    with pytest.raises(LakeError, match="did another program rewrite it"):
        change(form, table, OLD, [written(table, "b", OLD, 20)], ["run_id=r1/date=2026-11-20/rewritten.parquet"])
    assert read(form, table) == [row(10), row(11)]


def test_a_store_that_fails_now_and_then_loses_and_doubles_nothing(form, monkeypatch):
    with store({}, fails_every=50) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        table = f"s3://{BUCKET}/tables/calls"
        paths = [f"run_id=r1/date={DAY.isoformat()}/{number}.parquet" for number in range(6)]
        for number, path in enumerate(paths):
            client_of(environment).put_object(Bucket=BUCKET, Key=f"tables/calls/{path}", Body=content(OLD, 10 * number))
            # Each takes the place of the one before it, but for the first.
            change(form, table, OLD, [path], paths[number - 1 : number] if number > 1 else ())
            assert set(lake_named(form).files(table, "r1")) == {paths[0], path}
        found = rows_of(table).to_table().to_pylist()
    assert sorted(found, key=lambda row: row["time_ns"]) == [row(0), row(1), row(50), row(51)]


def test_a_table_without_rows_has_its_columns(form, tmp_path):
    change(form, tmp_path / "calls", OLD, [])
    assert rows_of(str(tmp_path / "calls")).schema.names == ["time_ns", "client_id", "api_key", "run_id", "date"]


def test_readers_pass_over_files_by_their_statistics(tmp_path):
    table = tmp_path / "calls"
    change("delta", table, OLD, [written(table, "a", OLD, 10), written(table, "b", OLD, 20)])
    actions = pa.table(DeltaTable(str(table)).get_add_actions(flatten=True)).to_pylist()
    found = sorted((each["num_records"], each["min.time_ns"], each["max.time_ns"]) for each in actions)
    assert found == [(2, 10, 11), (2, 20, 21)]
    change("iceberg", table, OLD, [written(table, "a", OLD, 10), written(table, "b", OLD, 20)])
    tasks = StaticTable.from_metadata(table.as_uri()).scan("time_ns >= 20").plan_files()
    assert [Path(task.file.file_path).name for task in tasks] == ["b.parquet"]
