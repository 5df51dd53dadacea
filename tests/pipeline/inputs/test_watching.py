import gzip
import os
import shutil
import time
from pathlib import Path

import pytest

from kafkasniff.pipeline.inputs.files import Input
from kafkasniff.pipeline.inputs.read_files import Read
from kafkasniff.pipeline.inputs.watching import Watch
from tests.pipeline.runs import RING

STILL_S = 60.0


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def put(folder, number, *, age, name=None, size=None):
    """Let tcpdump have written a file of the ring, `age` seconds ago."""
    path = folder / (name or f"trace.pcap{number}")
    path.write_bytes(Path(RING[number]).read_bytes()[:size])
    os.utime(path, (time.time() - age,) * 2)
    return path


def watch(folder):
    return Watch([str(folder)], str(folder / "tables"), STILL_S)


def names(sources):
    return [Path(each.path).name for each in sources]


def read(source: Input, packets=100):
    return Read(
        source.path, source.size, source.modified_ns, source.head, source.ring, source.first_time, packets, source.ring
    )


def test_a_file_is_whole_once_a_newer_one_of_its_ring_is_there(folder):
    put(folder, 0, age=30)
    put(folder, 1, age=20)
    put(folder, 2, age=10)
    put(folder, 3, age=10, name="other.pcap0")

    assert names(watch(folder).find({}).whole) == ["trace.pcap0", "trace.pcap1"]


def test_what_was_just_written_is_not_whole_though_a_newer_one_is_there(folder):
    put(folder, 0, age=30)
    put(folder, 1, age=0)
    put(folder, 2, age=0)

    assert names(watch(folder).find({}).whole) == ["trace.pcap0"]


def test_the_newest_is_whole_once_it_stands_still(folder):
    put(folder, 0, age=STILL_S + 1)

    assert names(watch(folder).find({}).whole) == ["trace.pcap0"]


def test_the_order_is_that_of_packets_and_not_of_names(folder):
    # As tcpdump -W goes round.
    put(folder, 4, age=90, name="trace.pcap2")
    put(folder, 5, age=80, name="trace.pcap0")
    put(folder, 6, age=70, name="trace.pcap1")

    assert names(watch(folder).find({}).whole) == ["trace.pcap2", "trace.pcap0", "trace.pcap1"]


def test_a_file_without_packets_is_waited_for(folder):
    put(folder, 0, age=90, size=24)

    assert watch(folder).find({}).whole == []
    assert names(watch(folder).find({}, everything=True).whole) == ["trace.pcap0"]


def test_a_file_that_was_read_is_read_no_more(folder):
    put(folder, 0, age=90)
    (source,) = watch(folder).find({}).whole

    assert watch(folder).find({source.path: read(source)}).whole == []


def test_of_a_file_that_goes_on_the_rest_is_read(folder):
    put(folder, 0, age=90, size=50_000)
    (source,) = watch(folder).find({}).whole
    put(folder, 0, age=70)

    (rest,) = watch(folder).find({source.path: read(source, packets=55)}).whole

    assert rest.skipped == 55
    assert rest.size > source.size


def test_another_file_of_the_same_name_is_read_whole(folder):
    put(folder, 0, age=90)
    (source,) = watch(folder).find({}).whole
    put(folder, 7, age=70, name="trace.pcap0")

    (other,) = watch(folder).find({source.path: read(source)}).whole

    assert other.skipped == 0
    assert other.first_time > source.first_time


def test_a_file_that_was_compressed_is_the_same(folder):
    path = put(folder, 0, age=90)
    (source,) = watch(folder).find({}).whole
    compressed = folder / "trace.pcap0.gz"
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    os.utime(compressed, (time.time() - 80,) * 2)

    # While gzip writes, both are there.
    assert names(watch(folder).find({}).whole) == ["trace.pcap0"]
    path.unlink()
    assert watch(folder).find({source.path: read(source)}).whole == []
    assert names(watch(folder).find({}).whole) == ["trace.pcap0.gz"]


def test_what_is_overwritten_or_gone_before_it_was_read_is_said(folder):
    put(folder, 0, age=0)
    put(folder, 1, age=0)
    watching = watch(folder)
    assert watching.find({}).whole == []

    put(folder, 5, age=0, name="trace.pcap0")
    (folder / "trace.pcap1").unlink()

    lost = watching.find({}).lost
    assert names(lost) == ["trace.pcap0", "trace.pcap1"]
    assert all("removed or overwritten" in each.reason for each in lost)
    assert watching.find({}).lost == []


def test_what_was_read_and_is_gone_is_forgotten(folder):
    path = put(folder, 0, age=90)
    watching = watch(folder)
    (source,) = watching.find({}).whole
    known = {source.path: read(source)}
    watching.find(known)
    path.unlink()

    sight = watching.find(known)

    assert sight.gone == [str(path)]
    assert sight.lost == []


def test_what_is_no_capture_stands_in_the_tables_once_it_stands_still(folder):
    (folder / "notes.txt").write_text("no capture")
    assert watch(folder).find({}).whole == []
    os.utime(folder / "notes.txt", (time.time() - 90,) * 2)

    (source,) = watch(folder).find({}).whole

    assert "not a capture" in source.reason


def test_the_tables_below_a_directory_are_left_out(folder):
    (folder / "tables").mkdir()
    put(folder / "tables", 0, age=90)
    shutil.copy(RING[1], folder / ".hidden.pcap")

    assert watch(folder).find({}, everything=True).whole == []
