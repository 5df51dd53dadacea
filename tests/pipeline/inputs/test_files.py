import os
import shutil

import pytest

from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.inputs.files import find_inputs, look_at, path_of
from kafkasniff.tables.rings import ring_of


@pytest.mark.parametrize(
    ("names", "ring"),
    [
        # tcpdump -w trace.pcap -C 100
        (["trace.pcap", "trace.pcap1", "trace.pcap17"], "trace"),
        # tcpdump -w trace -C 100 -W 20
        (["trace00", "trace01", "trace19"], "trace"),
        # tcpdump -w trace-%Y%m%dT%H%M%S.pcap -G 60
        (["trace-20261120T120000.pcap", "trace-20261120T120100.pcap.gz"], "trace"),
        (["trace_2026-11-20_12:00:00.pcap", "trace_2026-11-20_12:01:00.pcap"], "trace"),
        # dumpcap -w trace.pcapng -b filesize:1000
        (["trace_00001_20261120120000.pcapng", "trace_00002_20261120120100.pcapng.zst"], "trace"),
        (["broker1.pcap"], "broker1"),
        (["java-4.3.1-basic.pcap"], "java-4.3.1-basic"),
        (["0001.pcap"], "0001"),
    ],
)
def test_what_rotation_adds_to_a_name_is_left_out(names, ring):
    assert {ring_of(f"captures/{name}") for name in names} == {f"captures/{ring}"}


def test_a_directory_is_read_with_all_below_it_but_the_tables(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "tables" / "calls").mkdir(parents=True)
    for path in ("b.pcap", "deep/a.pcap", ".hidden", "tables/calls/part.parquet"):
        (tmp_path / path).write_bytes(b"")

    inputs = find_inputs([str(tmp_path)], leave_out=str(tmp_path / "tables"))

    assert {os.path.relpath(each.path, tmp_path) for each in inputs} == {"b.pcap", "deep/a.pcap"}


def test_a_file_named_twice_is_one_input(tmp_path):
    path = tmp_path / "a.pcap"
    path.write_bytes(b"")

    assert len(find_inputs([str(path), str(tmp_path), str(tmp_path / "*.pcap")])) == 1


def test_a_source_that_names_nothing_is_refused(tmp_path):
    with pytest.raises(PipelineError, match=r"no\.pcap: there is no such file"):
        find_inputs([str(tmp_path / "no.pcap")])


def test_files_come_in_the_order_of_their_first_packets():
    # tcpdump -W begins again at 0: the name says nothing.
    paths = [f"captures/rotate-size/part-0{number}.pcap" for number in (5, 0, 8, 3)]

    inputs = find_inputs(paths)

    assert [each.path[-6] for each in inputs] == ["0", "3", "5", "8"]
    assert [each.first_time for each in inputs] == sorted(each.first_time for each in inputs)


def test_what_cannot_be_read_has_a_reason(tmp_path):
    text, empty, gone = tmp_path / "notes.txt", tmp_path / "empty.pcap", tmp_path / "gone.pcap"
    text.write_text("no capture")
    empty.write_bytes(b"")
    gone.symlink_to(tmp_path / "nowhere")

    reasons = {name: look_at(str(tmp_path / name)).reason for name in ("notes.txt", "empty.pcap", "gone.pcap")}

    assert "not a capture" in reasons["notes.txt"]
    assert "empty" in reasons["empty.pcap"]
    assert "No such file" in reasons["gone.pcap"]


def test_names_that_are_no_utf_8_are_read_and_told_apart(tmp_path):
    for name in (b"\xff", b"\xfe"):
        shutil.copy("captures/librdkafka.pcap", os.fsencode(tmp_path) + b"/" + name + b".pcap")
    found = find_inputs([str(tmp_path)])
    assert [each.reason for each in found] == [None, None]
    assert [each.ring for each in found] == [f"{tmp_path}/\\xfe", f"{tmp_path}/\\xff"]


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("captures/a b.pcap", "captures/a b.pcap"),
        ("file:///captures/a%20b.pcap", "/captures/a b.pcap"),
        ("file:/captures/*.pcap", "/captures/*.pcap"),
        ("file://localhost/captures", "/captures"),
        ("trace:1.pcap", "trace:1.pcap"),
    ],
)
def test_a_file_uri_is_a_path(place, path):
    assert path_of(place) == path


@pytest.mark.parametrize("place", ["http://bucket/captures", "ftp://name/captures", "file://elsewhere/captures"])
def test_other_uris_are_refused(place):
    with pytest.raises(PipelineError, match="expected a path that all workers have, or a URI of s3, s3a, "):
        path_of(place)
