import io
import random
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkasniff.capture.files.merge import merge
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch
from tests.capture.samples import contents, pcap_header, pcap_record
from tests.conftest import SHARED, needs_shared


def reader_of(times: list[int], name: str, chunk_bytes: int = 1 << 20) -> CaptureReader:
    """Make a capture whose packets say in which file they are, and which they are of it."""
    records = [pcap_record(f"{name}{number}".encode(), time) for number, time in enumerate(times, 1)]
    return CaptureReader(io.BytesIO(pcap_header() + b"".join(records)), chunk_bytes=chunk_bytes)


def order(readers: list[CaptureReader]) -> list[str]:
    return [packet.decode() for packet in contents(merge(readers))]


def test_interleaved_files() -> None:
    assert order([reader_of([1, 4, 5], "a"), reader_of([2, 3, 6], "b")]) == ["a1", "b1", "b2", "a2", "a3", "b3"]


def test_runs_are_batches_and_keep_numbers_and_times() -> None:
    batches = list(merge([reader_of([1, 4, 5], "a"), reader_of([2, 3, 6], "b")]))
    assert [(batch.first_packet, len(batch)) for batch in batches] == [(1, 1), (1, 2), (2, 2), (3, 1)]
    assert [time for batch in batches for time in batch.times] == [second * 10**9 for second in range(1, 7)]
    assert [batches[2].arrival(index).packet for index in range(2)] == [2, 3]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_equal_times_come_in_the_order_of_the_files(names: str) -> None:
    first, second = names
    found = order([reader_of([1, 2, 2], first), reader_of([1, 2, 2], second)])
    assert found == [f"{first}1", f"{second}1", f"{first}2", f"{first}3", f"{second}2", f"{second}3"]


def test_clock_that_steps_back_does_not_reorder_a_file() -> None:
    # a's clock steps back to 1 behind 5: by then it is a's turn at once.
    assert order([reader_of([2, 5, 1, 6], "a"), reader_of([3, 4, 7], "b")]) == [
        "a1",
        "b1",
        "b2",
        "a2",
        "a3",
        "a4",
        "b3",
    ]


def test_no_file_one_file_and_files_without_packets() -> None:
    assert order([]) == []
    assert order([reader_of([3, 1], "a")]) == ["a1", "a2"]
    assert order([reader_of([], "a"), reader_of([2], "b"), reader_of([], "c")]) == ["b1"]


def test_damaged_file_ends_and_the_others_go_on() -> None:
    cut = CaptureReader(io.BytesIO(pcap_header() + pcap_record(b"a1", 1) + pcap_record(b"a2", 3)[:-1]))
    whole = reader_of([2, 4], "b")
    assert order([cut, whole]) == ["a1", "b1", "b2"]
    assert "packet 2: cut" in str(cut.damage)
    assert whole.damage is None


def test_damaged_regular_files(tmp_path: Path) -> None:
    paths = write_captures(tmp_path, [[1, 3], [2, 4]])
    for path in paths:
        with open(path, "ab") as stream:
            stream.write(b"\xff" * 20)
    readers = [CaptureReader(path) for path in paths]
    assert times_of(merge(readers)) == [1, 2, 3, 4]
    assert all("packet 3: expected at most" in str(reader.damage) for reader in readers)


def expected_order(times_of_files: list[list[int]]) -> list[str]:
    """Merge in the plainest way: always the earliest of the next packets."""
    rest = [
        [(time, f"{chr(97 + place)}{number}") for number, time in enumerate(times, 1)]
        for place, times in enumerate(times_of_files)
    ]
    found = []
    while any(rest):
        place = min((file[0][0], place) for place, file in enumerate(rest) if file)[1]
        found.append(rest[place].pop(0)[1])
    return found


def test_random_files_in_small_chunks() -> None:
    source = random.Random(5)
    for _ in range(200):
        times_of_files = [
            [source.randrange(20) for _ in range(source.randrange(8))] for _ in range(source.randrange(1, 6))
        ]
        readers = [
            reader_of(times, chr(97 + place), source.choice([1, 50, 1000]))
            for place, times in enumerate(times_of_files)
        ]
        assert order(readers) == expected_order(times_of_files)


@pytest.fixture
def few_files() -> Iterator[None]:
    """Let the process open few files, fewer than the captures of the test."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def write_captures(folder: Path, times_of_files: list[list[int]]) -> list[str]:
    paths = []
    for place, times in enumerate(times_of_files):
        path = folder / f"{place:04}.pcap"
        path.write_bytes(pcap_header() + b"".join(pcap_record(bytes(500), time) for time in times))
        paths.append(str(path))
    return paths


def times_of(batches: Iterator[PacketBatch]) -> list[int]:
    return [time // 10**9 for batch in batches for time in batch.times]


@pytest.mark.usefixtures("few_files")
def test_rotated_files_in_any_order_with_few_file_descriptors(tmp_path: Path) -> None:
    paths = write_captures(tmp_path, [list(range(file * 10, file * 10 + 10)) for file in range(400)])
    random.Random(3).shuffle(paths)
    assert times_of(merge([CaptureReader(path) for path in paths])) == list(range(4000))


@pytest.mark.usefixtures("few_files")
def test_overlapping_files_with_few_file_descriptors(tmp_path: Path) -> None:
    paths = write_captures(tmp_path, [list(range(file, 8000, 400)) for file in range(400)])
    readers = [CaptureReader(path, chunk_bytes=1500) for path in paths]
    assert times_of(merge(readers)) == list(range(8000))
    assert all(reader.damage is None for reader in readers)


@needs_shared
@pytest.mark.parametrize("name", ["rotate-size", "rotate-time"])
def test_recorded_rotation_comes_in_time_order(name: str) -> None:
    paths = sorted(map(str, (SHARED / "captures" / "healthy" / name).iterdir()))
    shuffled = random.Random(1).sample(paths, len(paths))
    batches = list(merge([CaptureReader(path) for path in shuffled]))
    assert list(dict.fromkeys(batch.interfaces[0].file for batch in batches)) == paths
    times = [time for batch in batches for time in batch.times]
    assert times == sorted(times)
