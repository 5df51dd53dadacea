import os

import numpy as np
import pytest

from kafkasniff.capture.packets import Interface
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexes.merging import Merger, PacketFiles
from kafkasniff.pipeline.indexes.pieces import Piece

INTERFACES = [[Interface("a", 1)], [Interface("b", 113), Interface("b", 1)]]


def piece(file, times, numbers, offsets, interface=0):
    times = np.array(times, np.int64)
    count = len(times)
    columns = (np.array(numbers), np.array(offsets), np.full(count, 2), np.full(count, 4), np.full(count, interface))
    return Piece(file, np.maximum.accumulate(times), times, *columns, None)


def two_files(tmp_path):
    (tmp_path / "a").write_bytes(b"headA1A2A3")
    (tmp_path / "b").write_bytes(b"headB1" + bytes(10_000) + b"B2")
    return PacketFiles([str(tmp_path / "a"), str(tmp_path / "b")], [b"head", b"head"])


def packets(batch):
    return [
        (batch.times[index], batch.arrival(index).interface.file, batch.arrival(index).packet, batch.data[at : at + 2])
        for index, at in enumerate(batch.offsets)
    ]


def test_packets_of_several_files_come_by_time(tmp_path):
    merger = Merger(two_files(tmp_path), INTERFACES.__getitem__)
    assert merger.add(piece(0, [10, 30, 50], [1, 4, 5], [4, 6, 8])) is None
    assert merger.add(piece(1, [20, 40], [2, 9], [4, 10_006], interface=1)) is None

    batch = merger.flush()

    assert packets(batch) == [
        (10, "a", 1, b"A1"),
        (20, "b", 2, b"B1"),
        (30, "a", 4, b"A2"),
        (40, "b", 9, b"B2"),
        (50, "a", 5, b"A3"),
    ]
    assert [batch.arrival(index).interface.link_type for index in range(5)] == [1] * 5
    assert list(batch.captured) == [2] * 5
    assert list(batch.original) == [4] * 5


def test_a_file_keeps_its_order_where_its_clock_steps_back(tmp_path):
    merger = Merger(two_files(tmp_path), INTERFACES.__getitem__)
    merger.add(piece(0, [30, 10, 40], [1, 2, 3], [4, 6, 8]))
    merger.add(piece(1, [20, 35], [1, 2], [4, 10_006]))

    assert [(file, number) for _, file, number, _ in packets(merger.flush())] == [
        ("b", 1),
        ("a", 1),
        ("a", 2),
        ("b", 2),
        ("a", 3),
    ]


def test_what_may_still_be_preceded_waits(tmp_path, monkeypatch):
    monkeypatch.setattr("kafkasniff.pipeline.indexes.merging.BATCH_PACKETS", 1)
    merger = Merger(two_files(tmp_path), INTERFACES.__getitem__)
    merger.add(piece(0, [10, 30, 50], [1, 4, 5], [4, 6, 8]))

    first = merger.add(piece(1, [30, 40], [2, 9], [4, 10_006]))

    assert [time for time, *_ in packets(first)] == [10]
    assert [time for time, *_ in packets(merger.flush())] == [30, 30, 40, 50]
    assert merger.flush() is None


@pytest.mark.parametrize("change", ["cut", "replaced", "gone"])
def test_a_file_that_is_not_what_it_was_is_said(tmp_path, change):
    files = two_files(tmp_path)
    path = tmp_path / "a"
    if change == "cut":
        path.write_bytes(b"headA1")
    elif change == "replaced":
        path.write_bytes(b"tailA1A2A3")
    else:
        os.unlink(path)

    with pytest.raises(PipelineError, match=r"/a: (changed while it was read|cannot be opened again)"):
        files.read(0, np.array([4, 6, 8]), np.array([2, 2, 2]))


def test_a_file_that_changes_after_it_was_read_is_said_at_the_end(tmp_path):
    files = two_files(tmp_path)
    files.read(0, np.array([4]), np.array([2]))
    (tmp_path / "a").write_bytes(b"tailA1A2A3")

    with pytest.raises(PipelineError, match="changed while it was read"):
        files.close()
