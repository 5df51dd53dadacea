"""Runs whose tables are those of Delta Lake and Iceberg: rows and findings are those of plain files, and of `read`."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from kafkasniff.lakes.formats import FORMATS
from kafkasniff.lakes.tables import rows_of
from kafkasniff.pipeline import compaction
from kafkasniff.pipeline.asking import answers
from kafkasniff.pipeline.compaction import compact
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.ledger import PARQUET, Ledger, tables_of
from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.loading import load
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.questions.database import Database
from tests.conftest import CAPTURES
from tests.pipeline.expected import COMPARED, comparable, expected_rows

RING = sorted((CAPTURES / "rotate-size").glob("*.pcap"))
JAVA = CAPTURES / "java-4.3.1-basic.pcap"
TABLES = tables_of(records=False)
CALLS = 99 + 108
"""As the last lines of `read` say."""


def written(spark, sources, folder, form):
    ledger = Ledger(str(folder), "r1", TABLES, form=form)
    state = ledger.open()
    try:
        inputs = find_inputs([str(source) for source in sources], leave_out=str(folder))
        return load(spark, ledger, state, inputs, Options(buckets=2), Observer()).state
    finally:
        ledger.close()


def rows(folder, table):
    return rows_of(f"{folder}/{table}").to_table().to_pylist()


def all_rows(folder):
    return {table: sorted(json.dumps(row, default=str) for row in rows(folder, table)) for table in TABLES}


@pytest.fixture(scope="module")
def steps(spark, tmp_path_factory):
    """Tables of each format, of a directory that grew: rows were replaced on the way."""
    root = tmp_path_factory.mktemp("formats")
    captures = root / "captures"
    captures.mkdir()
    for step in (RING[:3], [*RING[3:], JAVA]):
        for path in step:
            shutil.copy(path, captures)
        for form in (PARQUET, *FORMATS):
            written(spark, [captures], root / form, form)
    return root


@pytest.mark.parametrize("form", FORMATS)
def test_rows_are_those_of_plain_files_and_of_read(steps, form):
    assert all_rows(steps / form) == all_rows(steps / PARQUET)
    ring = sorted(str(path) for path in (steps / "captures").glob("part-*"))
    wanted = expected_rows(ring)
    for table in COMPARED:
        of_ring = [row for row in rows(steps / form, table) if row["vantage"].endswith("/part")]
        assert comparable(table, of_ring) == wanted[table], table
    # Files that were replaced lie there yet: only the log says what is of a table.
    lying = sum(pq.read_metadata(path).num_rows for path in (steps / form / "files").rglob("*.parquet"))
    assert lying > len(rows(steps / form, "files")) == len(RING) + 1


@pytest.mark.parametrize("form", FORMATS)
def test_sql_sees_them(steps, form):
    with Database() as database:
        database.use(str(steps / form))
        [(calls,)] = database.ask("SELECT count(*) FROM calls WHERE date = '2026-11-21'").rows
    assert calls == CALLS


def test_questions_have_the_answers_that_plain_files_give(spark, steps):
    found = {
        form: {
            heading: sorted(repr(row) for row in answer.rows)
            for heading, answer in answers(spark, str(steps / form), "r1", "4.0.1")
        }
        for form in (PARQUET, *FORMATS)
    }

    assert len(found[PARQUET]["stats by api_name"]) > 5
    for form in FORMATS:
        assert found[form] == found[PARQUET], form


def test_a_folder_has_tables_of_one_format(spark, steps):
    for form, other in ((PARQUET, "delta"), ("delta", "iceberg"), ("iceberg", PARQUET)):
        with pytest.raises(PipelineError, match=f"has tables as {other}: say so by --format"):
            written(spark, [JAVA], steps / other, form)


@pytest.mark.parametrize("form", [PARQUET, *FORMATS])
def test_small_files_are_put_together(spark, steps, tmp_path, form, monkeypatch):
    captures, tables = tmp_path / "captures", tmp_path / "tables"
    captures.mkdir()
    for path in RING[:4]:
        shutil.copy(path, captures)
    written(spark, [captures], tables, form)
    before = all_rows(tables)
    ledger = Ledger(str(tables), "r1", TABLES, form=form)
    state = ledger.open()
    files = len(ledger.shown())
    state = compact(spark, ledger, state)
    assert all_rows(tables) == before
    fewer = len(ledger.shown())
    assert fewer < files
    assert compact(spark, ledger, state) is state
    ledger.close()
    # What is provisional was left apart, so that what comes later takes its place.
    for path in RING[4:]:
        shutil.copy(path, captures)
    shutil.copy(JAVA, captures)
    written(spark, [captures], tables, form)
    wanted = {table: len(found) for table, found in all_rows(steps / PARQUET).items()}
    assert {table: len(found) for table, found in all_rows(tables).items()} == wanted


def test_large_files_are_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(compaction, "LARGE_BYTES", 1)
    monkeypatch.setattr(compaction, "_GROUP_ROWS", 8)
    folder = tmp_path / "calls"
    folder.mkdir()
    columns = compaction.schema_of(compaction.TABLES["calls"])
    for number in range(3):
        rows = [{"time_ns": number * 10 + each} for each in range(8)]
        pq.write_table(compaction.pa.Table.from_pylist(rows, columns), folder / f"{number}.parquet")
    small = compaction.Small("calls/date=2026-11-20", sorted(str(path) for path in folder.iterdir()))
    found = [*compaction.CompactTask(str(tmp_path / "work"))._write(small)]
    assert [each.rows for each in found] == [8, 8, 8]
    written_rows = [pq.read_table(tmp_path / "work" / each.path) for each in found]
    times = [time for rows in written_rows for time in rows["time_ns"].to_pylist()]
    assert sorted(times) == [number * 10 + each for number in range(3) for each in range(8)]
