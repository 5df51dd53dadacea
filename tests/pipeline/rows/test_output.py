import resource

import pyarrow.parquet as pq
import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.rows import output
from kafkasniff.pipeline.rows.output import TableWriter
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import FILES

DAY_NS = 86_400_000_000_000
NOON = 20_777 * DAY_NS + DAY_NS // 2
"""Of 2026-11-20."""


def file_rows(*names, time=NOON):
    return [("files", time, ("ring", name, 1, None, b"", None, None, 0, 0, 0, "read", None)) for name in names]


def names_in(folder):
    paths = sorted(folder.glob("files/date=*/*.parquet"))
    return [name for path in paths for name in pq.ParquetFile(path).read().column("file").to_pylist()]


def test_rows_lie_by_date(tmp_path):
    writer = TableWriter(str(tmp_path), "part-0")
    writer.add(file_rows("a"))
    writer.add(file_rows("b", time=NOON + DAY_NS))

    assert [each.rows for each in writer.close()] == [1, 1]
    folders = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("*.parquet")}
    assert folders == {"files/date=2026-11-20", "files/date=2026-11-21"}


def test_many_rows_of_many_days_keep_few_files_open(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_BUFFERED_ROWS", 2)
    monkeypatch.setattr(output, "_MOST_OPEN", 3)
    writer = TableWriter(str(tmp_path), "part-0")
    names = [f"{number:03}" for number in range(60)]
    for number, name in enumerate(names):
        writer.add(file_rows(name, time=NOON + number % 7 * DAY_NS))
        assert len(writer._open) <= 3

    writer.close()

    assert sorted(names_in(tmp_path)) == names


def test_a_full_disk_is_said(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    writer = TableWriter(str(tmp_path), "part-0")
    writer.add(file_rows("a"))
    # No file may grow, as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(PipelineError, match=r"cannot be written: File too large"):
            writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_the_columns_of_a_file_are_those_declared(tmp_path):
    writer = TableWriter(str(tmp_path), "part-0")
    writer.add(file_rows("a"))
    writer.close()

    (path,) = tmp_path.glob("files/*/*.parquet")
    assert pq.read_schema(path).equals(schema_of(FILES))
