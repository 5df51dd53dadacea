import gzip
import json
import os
import random
import shutil
from pathlib import Path

import pytest

from kafkasniff.capture.files.pcap import FILE_HEADER_LENGTH
from kafkasniff.pipeline import loading
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.loading import load
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tables.rings import ring_of
from tests.pipeline.expected import COMPARED, expected_rows
from tests.pipeline.runs import CALLS_OF_EMBEDDED, CAPTURES, RING, all_rows, by_vantage, key_log_in, rows, split, write


def key_of(row):
    return tuple(row[name] for name in ("vantage", "connection", "epoch", "direction", "stream_offset"))


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
    write(spark, shuffled(OTHERS), folder, Options(key_log=key_log.read_bytes()))
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


def test_secrets_in_one_capture_open_connections_in_another(spark, tmp_path):
    """A secret names the connection that it opens: where it lies does not matter, and `read` takes it so too."""
    paths = split(tmp_path / "captures")

    write(spark, [tmp_path / "captures"], tmp_path / "tables")

    (shown,) = by_vantage(tmp_path / "tables").values()
    assert shown == expected_rows([*paths])
    assert not expected_rows([paths[0]])["calls"]
    assert sum(shown["calls"].values()) == CALLS_OF_EMBEDDED


def test_secrets_that_come_later_let_all_be_read_again(spark, tmp_path):
    traffic, secrets = split(tmp_path / "split")
    captures, tables = tmp_path / "captures", tmp_path / "tables"
    captures.mkdir()
    shutil.copy(traffic, captures / "a.pcapng")
    assert write(spark, [captures], tables).renewed is None
    assert not rows(tables, "calls")
    shutil.copy(secrets, captures / "b.pcapng")

    assert write(spark, [captures], tables).renewed == "secrets of TLS connections came after their packets"
    second = write(spark, [captures], tables)

    assert second.renewed is None
    (shown,) = by_vantage(tables).values()
    assert shown == expected_rows([str(captures / "a.pcapng"), str(captures / "b.pcapng")])
    assert len(rows(tables, "calls")) == CALLS_OF_EMBEDDED


def test_so_do_those_of_a_key_log_that_grew(spark, tmp_path):
    secrets = split(tmp_path / "captures")[1]
    options = Options(key_log_in(secrets))
    os.unlink(secrets)
    write(spark, [tmp_path / "captures"], tmp_path / "tables")

    renewed = [write(spark, [tmp_path / "captures"], tmp_path / "tables", options).renewed for _ in range(2)]

    assert renewed == ["secrets of TLS connections came after their packets", None]
    assert len(rows(tmp_path / "tables", "calls")) == CALLS_OF_EMBEDDED


def test_only_what_lies_in_the_time_asked_for_is_written(spark, tmp_path):
    path = str(CAPTURES / "java-4.3.1-basic.pcap")
    times = sorted(call.time.time for call in Reading([path]))
    begin, end = times[10], times[-10]

    write(spark, [path], tmp_path, Options(begin=begin, end=end))

    assert sorted(row["time_ns"] for row in rows(tmp_path, "calls")) == [time for time in times if begin <= time < end]


def test_a_second_run_adds_nothing(spark, tables, key_log):
    """Nor where files were touched."""
    files = sorted(tables.rglob("*.parquet"))
    os.utime(RING[2])

    second = write(spark, [*RING, *OTHERS], tables, Options(key_log=key_log.read_bytes()))

    assert second.renewed is None
    assert second.state.counts(COMPARED) == {table: len(rows(tables, table)) for table in COMPARED}
    assert sorted(tables.rglob("*.parquet")) == files


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
    assert len(outcome.state.reasons()) == 5
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


def same(folder, once):
    found, wanted = all_rows(folder), all_rows(once)
    for table in wanted:
        assert found[table] == wanted[table], table


def test_a_directory_that_grows_gives_what_one_run_gives(spark, tmp_path, key_log):
    """Connections that span files of several runs are carried on, and rows of an end that was none are replaced."""
    captures, options = tmp_path / "captures", Options(key_log=key_log.read_bytes())
    captures.mkdir()
    loss = next(path for path in OTHERS if Path(path).stem == "loss-reorder-client-side")
    runs = []
    for step in ([*RING[:2], loss], RING[2:5], RING[5:], []):
        for path in step:
            shutil.copy(path, captures)
        runs.append(write(spark, [captures], tmp_path / "tables", options))

    write(spark, [captures], tmp_path / "once", options)
    same(tmp_path / "tables", tmp_path / "once")
    assert [each.renewed for each in runs] == [None] * 4
    assert runs[2].state.files_read == len(RING) + 1
    assert runs[3].state.batch == runs[2].state.batch


def test_a_file_that_goes_on_is_read_from_where_it_was(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    content = (CAPTURES / "librdkafka.pcap").read_bytes()
    (captures / "empty.pcap").write_bytes(b"")
    for length in (len(content) // 3, len(content) // 2, len(content)):
        (captures / "trace.pcap").write_bytes(content[:length])
        found = write(spark, [captures], tmp_path / "tables")
        assert found.renewed is None
    (captures / "empty.pcap").write_bytes(content)
    write(spark, [captures], tmp_path / "tables")

    write(spark, [captures], tmp_path / "once")
    same(tmp_path / "tables", tmp_path / "once")


def test_what_comes_late_lets_all_be_read_again(spark, tmp_path):
    captures, tables = tmp_path / "captures", tmp_path / "tables"
    captures.mkdir()
    for path in RING[3:5]:
        shutil.copy(path, captures)
    write(spark, [captures], tables)
    shutil.copy(RING[1], captures)

    found = write(spark, [captures], tables)

    assert found.renewed is not None
    assert "begins before what was read of" in found.renewed
    write(spark, [captures], tmp_path / "once")
    same(tables, tmp_path / "once")
    for path in captures.iterdir():
        path.unlink()
    shutil.copy(RING[0], captures)
    with pytest.raises(PipelineError, match="must be read again; but 3 files that were read are gone"):
        write(spark, [captures], tables)
    same(tables, tmp_path / "once")


def test_captures_of_the_same_time_are_told_apart_when_the_second_comes(spark, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    for number in (1, 2):
        shutil.copy(CAPTURES / "librdkafka.pcap", captures / f"broker-{number}.pcap")
        write(spark, [captures], tmp_path / "tables")

    write(spark, [captures], tmp_path / "once")
    same(tmp_path / "tables", tmp_path / "once")


def test_a_run_in_several_steps_shows_all_at_once(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "MOST_BYTES", 1)
    monkeypatch.setattr(loading, "_BYTES_A_TASK", 1)
    steps = []

    class Interrupting(Observer):
        def done(self, record):
            steps.append(record["number"])
            if len(steps) == 4:
                raise KeyboardInterrupt

    ledger = Ledger(str(tmp_path / "tables"), run_id([], []), tables_of(records=False))
    with pytest.raises(KeyboardInterrupt):
        load(spark, ledger, ledger.open(), find_inputs(RING), Options(), Interrupting())
    ledger.close()
    assert not (tmp_path / "tables" / "calls").exists()

    write(spark, RING, tmp_path / "tables")

    monkeypatch.undo()
    write(spark, RING, tmp_path / "once")
    assert steps == [1, 2, 3, 4]
    same(tmp_path / "tables", tmp_path / "once")


def test_carried_state_of_another_version_lets_all_be_read_again(spark, tmp_path):
    write(spark, RING[:3], tmp_path / "tables")
    for path in (tmp_path / "tables").glob("_state-*/work/carry/*"):
        path.write_bytes(path.read_bytes().replace(b"aligned", b"Aligned"))

    found = write(spark, RING[:5], tmp_path / "tables")

    assert "has a FrameCutter with other fields than this kafkasniff's" in found.renewed
    write(spark, RING[:5], tmp_path / "once")
    same(tmp_path / "tables", tmp_path / "once")


def test_without_its_state_a_run_reads_all_again_and_doubles_nothing(spark, tmp_path):
    write(spark, RING[:3], tmp_path / "tables")
    (state,) = (tmp_path / "tables").glob("_state-*")
    shutil.rmtree(state)

    with pytest.raises(
        PipelineError, match="is gone, so that all must be read again; but 1 files that were read are gone"
    ):
        write(spark, RING[1:3], tmp_path / "tables")
    found = write(spark, RING[:4], tmp_path / "tables")

    assert "what was known of the run" in found.renewed
    write(spark, RING[:4], tmp_path / "once")
    same(tmp_path / "tables", tmp_path / "once")


def test_names_that_are_no_utf_8_are_read(spark, tmp_path):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    for number, path in enumerate(RING[:2]):
        shutil.copy(path, folder + b"/trace\xfe.pcap%d" % number)
    shutil.copy(CAPTURES / "librdkafka.pcap", folder + b"/a.pcap")

    write(spark, [os.fsdecode(folder)], tmp_path / "tables")

    files = {row["file"]: (row["vantage"], row["state"]) for row in rows(tmp_path / "tables", "files")}
    shown = f"{tmp_path}/\ufffd"
    ring = f"{tmp_path}/\\xff/trace\\xfe"
    assert files == {
        f"{shown}/trace\ufffd.pcap0": (ring, "read"),
        f"{shown}/trace\ufffd.pcap1": (ring, "read"),
        f"{shown}/a.pcap": (f"{tmp_path}/\\xff/a", "read"),
    }
    assert {row["request_file"] for row in rows(tmp_path / "tables", "calls")} <= {*files, None}
    assert len(rows(tmp_path / "tables", "calls")) > 100


def test_tables_are_for_their_owner_unless_told_otherwise(spark, tmp_path):
    """Whatever the umask is."""
    for mode, folders in ((0o600, 0o700), (0o640, 0o750)):
        ledger = Ledger(str(tmp_path / f"{mode:o}"), run_id([], []), tables_of(records=False), mode)
        before = os.umask(0)
        try:
            load(spark, ledger, ledger.open(), find_inputs(RING[:1]), Options(), Observer())
        finally:
            os.umask(before)
            ledger.close()
        found = [path for path in (tmp_path / f"{mode:o}").rglob("*") if "_state" not in str(path)]
        assert {path.stat().st_mode & 0o777 for path in found if path.is_file()} == {mode}
        assert {path.stat().st_mode & 0o777 for path in found if path.is_dir()} == {folders}
        (state,) = (tmp_path / f"{mode:o}").glob("_state-*")
        assert state.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_rows_are_not_put_where_others_chose(spark, tmp_path, kind):
    tables = tmp_path / "tables"
    tables.mkdir()
    tables.chmod(0o1777)
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        (tables / "calls").symlink_to(tmp_path / "elsewhere")
    else:
        (tables / "calls").mkdir()
        os.chown(tables / "calls", 65534, 65534)

    with pytest.raises(PipelineError, match="calls: expected a folder of this user, found another"):
        write(spark, RING[:1], tables)
    assert not [*tmp_path.rglob("elsewhere/*")]
