import gzip
import json
import random
import shutil
from collections import defaultdict
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from kafkasniff.capture.files.pcap import FILE_HEADER_LENGTH
from kafkasniff.pipeline.inputs import find_inputs, run_id
from kafkasniff.pipeline.job import Index, run
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.output import Destination
from kafkasniff.pipeline.tasks import WriteTask, Wrote
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tables.rings import ring_of
from tests.pipeline.expected import COMPARED, comparable, expected_rows

CAPTURES = Path("captures")
RING = [str(path) for path in sorted(CAPTURES.glob("rotate-size/*.pcap"))]


def write(spark, sources, folder, options=None, resume=False):
    options = options or Options()
    inputs = find_inputs([str(source) for source in sources])
    return run(spark, inputs, Destination(str(folder), run_id(inputs, options.texts())), options, resume)


def rows(folder, table):
    return ds.dataset(f"{folder}/{table}", partitioning="hive").to_table().to_pylist()


def key_of(row):
    return tuple(row[name] for name in ("vantage", "connection", "epoch", "direction", "stream_offset"))


def by_vantage(folder):
    found = defaultdict(lambda: {table: [] for table in COMPARED})
    for table in COMPARED:
        for row in rows(folder, table):
            found[row["vantage"]][table].append(row)
    return {
        vantage: {table: comparable(table, of_table) for table, of_table in tables.items()}
        for vantage, tables in found.items()
    }


@pytest.fixture(scope="module")
def key_log(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "keys.log"
    path.write_bytes(b"\n".join(keys.read_bytes() for keys in sorted(CAPTURES.glob("*.keys"))))
    return path


OTHERS = [str(path) for path in (*CAPTURES.glob("*.pcap"), *CAPTURES.glob("*.pcapng"))]
SOME = [path for path in OTHERS if Path(path).stem in ("loss-reorder-client-side", "ipv6", "tls12-aes256-gcm-embedded")]


def shuffled(captures):
    sources = [*RING, *captures]
    random.Random(7).shuffle(sources)
    return sources


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory, key_log):
    """Those of all captures, which several tests look at."""
    folder = tmp_path_factory.mktemp("tables")
    outcome = write(spark, shuffled(OTHERS), folder, Options(key_log=key_log.read_bytes()))
    assert outcome.added
    return folder


def test_the_tables_equal_the_lines_of_read(tables, key_log):
    compare(tables, key_log, OTHERS)


@pytest.mark.parametrize(
    "options",
    [
        {"buckets": 1, "chunk_bytes": 70_000},
        {"range_bytes": 30_000, "buckets": 3},
        {"payload": True, "buckets": 5, "chunk_bytes": 8_192},
    ],
    ids=["one bucket", "split files", "payload shuffled, five buckets, small chunks"],
)
def test_however_files_are_shared_out_the_tables_are_the_same(spark, tmp_path, key_log, options):
    write(spark, shuffled(SOME), tmp_path, Options(key_log=key_log.read_bytes(), **options))

    compare(tmp_path, key_log, SOME)


def compare(folder, key_log, others):
    found = by_vantage(folder)
    captures = [[path] for path in others] + [RING]
    wanted = {ring_of(paths[0]): expected_rows(paths, str(key_log)) for paths in captures}
    assert found.keys() == wanted.keys()
    for vantage, tables in wanted.items():
        for table, rows_of_table in tables.items():
            assert found[vantage][table] == rows_of_table, (vantage, table)


def test_compressed_files_of_a_ring_are_joined_with_the_others(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    for number, path in enumerate(RING):
        if number % 2:
            shutil.copy(path, captures)
        else:
            (captures / f"{Path(path).name}.gz").write_bytes(gzip.compress(Path(path).read_bytes()))

    write(spark, [captures], tmp_path / "tables")

    files = sorted(str(path) for path in captures.iterdir())
    assert by_vantage(tmp_path / "tables") == {str(captures / "part"): expected_rows(files)}


def test_captures_of_the_same_time_are_kept_apart(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    paths = [str(captures / f"broker-{number}.pcap") for number in (1, 2)]
    for path in paths:
        shutil.copy(CAPTURES / "librdkafka.pcap", path)

    write(spark, [captures], tmp_path / "tables")

    assert by_vantage(tmp_path / "tables") == {path: expected_rows([path]) for path in paths}


def test_the_key_of_a_call_is_its_own(tables):
    calls = rows(tables, "calls")
    keys = {key_of(row) for row in calls}
    assert len(keys) == len(calls) > 100


def test_topics_partitions_and_groups_are_those_of_the_bodies(tables):
    path = str(CAPTURES / "java-4.3.1-basic.pcap")

    def found_in(table):
        return [row for row in rows(tables, table) if row["vantage"] == ring_of(path)]

    lines = [json.loads(JsonLines().line(call)) for call in Reading([path], two_pass=True)]
    names = {topic_id: name for line in lines for topic_id, name in line.get("topics", {}).items()}
    produced = sorted(
        (line["requestPacket"], topic.get("name") or names[topic["topicId"]], partition["index"])
        for line in lines
        if line["requestHeader"]["requestApiKeyName"] == "PRODUCE"
        for topic in line["request"]["topicData"]
        for partition in topic["partitionData"]
    )
    packets = {key_of(row): row["request_packet"] for row in found_in("calls")}
    assert len(produced) > 5
    found = [row for row in found_in("batches") if row["api_name"] == "PRODUCE"]
    assert sorted((packets[key_of(row)], row["topic"], row["partition"]) for row in found) == produced
    joins = [row for row in found_in("calls") if row["api_name"] == "JOIN_GROUP"]
    assert joins
    assert {tuple(row["groups"]) for row in joins} == {("billing",)}
    failed = [row for row in found_in("errors") if row["name"] == "GROUP_ID_NOT_FOUND"]
    assert {row["path"] for row in failed} == {"groups[0].errorCode"}


def test_records_are_those_of_read(spark, tmp_path):
    path = str(CAPTURES / "java-4.3.1-basic.pcap")

    write(spark, [path], tmp_path, Options(records=True))

    wanted = sorted(
        (record["offset"], record["timestamp"], record["value"].encode(), len(record["headers"]))
        for call in Reading([path], records=True)
        for batch in call.batches
        for record in batch["records"]
        if record.get("value") is not None
    )
    found = [(row["offset"], row["timestamp"], row["value"], len(row["headers"])) for row in rows(tmp_path, "records")]
    assert len(wanted) > 100
    assert [row for row in sorted(found, key=str) if row in wanted] == sorted(wanted, key=str)


def test_only_what_lies_in_the_time_asked_for_is_written(spark, tmp_path):
    path = str(CAPTURES / "java-4.3.1-basic.pcap")
    times = sorted(call.time.time for call in Reading([path]))
    begin, end = times[10], times[-10]

    write(spark, [path], tmp_path, Options(begin=begin, end=end))

    assert sorted(row["time_ns"] for row in rows(tmp_path, "calls")) == [time for time in times if begin <= time < end]


def test_a_second_run_adds_nothing(spark, tables, key_log):
    files = sorted(tables.rglob("*"))

    second = write(spark, [*RING, *OTHERS], tables, Options(key_log=key_log.read_bytes()))

    assert not second.added
    assert second.rows == {table: len(rows(tables, table)) for table in second.rows}
    assert sorted(tables.rglob("*")) == files


def test_what_cannot_be_read_stands_in_files_and_fails_nothing(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    shutil.copy(CAPTURES / "librdkafka.pcap", captures / "whole.pcap")
    content = (CAPTURES / "librdkafka.pcap").read_bytes()
    (captures / "cut.pcap").write_bytes(content[: len(content) // 2])
    (captures / "corrupt.pcap").write_bytes(content[:FILE_HEADER_LENGTH] + b"\xff" * 64)
    (captures / "empty.pcap").write_bytes(b"")
    (captures / "notes.txt").write_text("no capture")
    (captures / "gone.pcap").symlink_to(captures / "nowhere")

    outcome = write(spark, [captures], tmp_path / "tables")

    found = {Path(row["file"]).name: row for row in rows(tmp_path / "tables", "files")}
    assert {name: row["state"] for name, row in found.items()} == {
        "whole.pcap": "read",
        "cut.pcap": "damaged",
        "corrupt.pcap": "not read",
        "empty.pcap": "not read",
        "notes.txt": "not read",
        "gone.pcap": "not read",
    }
    assert found["whole.pcap"]["reason"] is None
    assert "cut: expected" in found["cut.pcap"]["reason"]
    assert "packet data" in found["corrupt.pcap"]["reason"]
    assert "not a capture" in found["notes.txt"]["reason"]
    assert len(outcome.unread) == 5
    tables = by_vantage(tmp_path / "tables")
    for name in ("whole", "cut"):
        assert tables[str(captures / name)] == expected_rows([str(captures / f"{name}.pcap")])


def test_spark_reads_the_tables_with_their_partitions(spark, tables):
    frame = spark.read.parquet(str(tables / "calls"))

    assert {"run_id", "date", "total_time_ms", "topics"} <= set(frame.columns)
    slow = frame.groupBy("api_name").agg({"total_time_ms": "max"}).collect()
    assert {row["api_name"] for row in slow} == {row["api_name"] for row in rows(tables, "calls")}


def test_a_table_without_rows_has_its_columns(spark, tmp_path):
    path = tmp_path / "empty.pcap"
    path.write_bytes((CAPTURES / "librdkafka.pcap").read_bytes()[:FILE_HEADER_LENGTH])

    write(spark, [path], tmp_path / "tables")

    assert spark.read.parquet(str(tmp_path / "tables" / "errors")).filter("code = 3").count() == 0


def test_a_killed_run_is_resumed_with_what_it_had_written(spark, tmp_path):
    options = Options(buckets=2)
    inputs = find_inputs(RING)
    destination = Destination(str(tmp_path), run_id(inputs, options.texts()))
    destination.begin(resume=False)
    index = Index(spark, inputs, options)
    written = index.map(WriteTask(index.known(), destination.staging, options, index.buckets), Wrote)
    index.close()
    before = {Path(file.path).name for each in written for file in each.files if file.table != "_events"}

    outcome = write(spark, RING, tmp_path, options, resume=True)

    assert outcome.added
    assert by_vantage(tmp_path) == {"captures/rotate-size/part": expected_rows(RING)}
    assert before <= {path.name for path in tmp_path.rglob("*.parquet")}
