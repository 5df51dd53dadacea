import struct
from pathlib import Path

import pytest

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.pipeline.indexes.indexing import FileReport
from kafkasniff.pipeline.indexes.ranges import Range, RangeStream, split
from kafkasniff.pipeline.indexes.reports import doubtful_files, whole_reports
from kafkasniff.pipeline.inputs.files import find_inputs

HEADERS = [
    struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262_144, 1)
    for order in "<>"
    for magic in (0xA1B2C3D4, 0xA1B23C4D)
]


def capture(path, header, records=3_000):
    """Write a capture whose payloads hold captures; give where its records begin."""
    order = "<" if header[0] in (0xD4, 0x4D) else ">"
    nested = (
        header
        + b"".join(struct.pack(order + "IIII", 1_795_000_000, 5, 40, 40) + bytes(40) for _ in range(20))
        + b"tail"
    )
    data, starts = bytearray(header), []
    for number in range(records):
        payload = nested if number % 3 else bytes([number % 256]) * 90
        starts.append(len(data))
        data += struct.pack(order + "IIII", 1_795_000_000 + number, number, len(payload), len(payload)) + payload
    path.write_bytes(data)
    return starts


@pytest.mark.parametrize("header", HEADERS, ids=["little", "little, ns", "big", "big, ns"])
def test_the_first_record_behind_any_place_is_found(tmp_path, header):
    path = tmp_path / "a.pcap"
    starts = capture(path, header)

    for place in range(0, starts[-200], 50_021):
        stream = RangeStream(str(path), place)
        wanted = next(start for start in starts if start >= place)
        assert stream.first == wanted
        batch = next(iter(CaptureReader(stream)))
        assert batch.times[0] // 10**9 == 1_795_000_000 + starts.index(wanted)
        stream.close()


def test_where_no_records_are_none_is_found(tmp_path):
    path = tmp_path / "a.pcap"
    path.write_bytes(HEADERS[0] + struct.pack("<IIII", 1, 0, 9, 9) + bytes(9) + b"\xff" * 300_000)

    assert RangeStream(str(path), 1_000).first is None


def test_only_large_files_of_the_plain_format_are_split():
    inputs = find_inputs(["captures/rotate-size/part-00.pcap", "captures/dumpcap-pcapng.pcapng"])
    sizes = {Path(each.path).name: number for number, each in enumerate(inputs)}
    plain, block = sizes["part-00.pcap"], sizes["dumpcap-pcapng.pcapng"]

    ranges = split(inputs, 30_000, frozenset())

    assert Range(block, 0, None) in ranges
    of_plain = [each for each in ranges if each.file == plain]
    assert [each.start for each in of_plain] == [0, 33_660, 67_320]
    assert [each.end for each in of_plain] == [33_660, 67_320, None]
    assert split(inputs, 30_000, frozenset({plain})) == [Range(0, 0, None), Range(1, 0, None)]


def report(part, start, end, **more):
    return FileReport(part, packets=10, start=start, end=end, **{"opening_time": part, "last_time": part + 1, **more})


RANGES = [Range(0, 0, None), Range(1, 0, 100), Range(1, 100, 200), Range(1, 200, None)]


@pytest.mark.parametrize(
    "second",
    [
        report(2, 111, 205),
        report(2, 108, 215),
        report(2, None, 0),
        report(2, 108, 205, reason="damage"),
        report(2, 108, 205, opening_time=1),
        report(2, 108, 205, unjoined_fragments=1),
    ],
    ids=["begins elsewhere", "ends elsewhere", "not found", "damaged", "clock steps back", "fragments"],
)
def test_ranges_that_may_not_make_up_their_file_are_doubted(second):
    first, third = report(1, 24, 108), report(3, 205, 300)

    assert doubtful_files(RANGES, [report(0, 24, 50), first, report(2, 108, 205), third]) == frozenset()
    assert doubtful_files(RANGES, [report(0, 24, 50), first, second, third]) == {1}


def test_the_reports_of_ranges_are_added_up():
    reports = [report(0, 24, 50), report(1, 24, 108), report(2, 108, 205), report(3, 205, 300, cut_packets=2)]

    first, second = whole_reports(RANGES, reports)

    assert (first.part, first.packets) == (0, 10)
    assert (second.part, second.packets, second.cut_packets, second.last_time) == (1, 30, 2, 4)
