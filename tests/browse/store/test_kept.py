import os
from collections.abc import Iterator

import pytest

from kafkasniff.browse.store.keeping import CallKeeper
from kafkasniff.browse.store.kept import KeptCalls, Wanted
from kafkasniff.browse.store.layout import CallFiles
from kafkasniff.calls.call import Call
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from tests.conftest import CAPTURES

NAMES = [
    "java-4.3.1-basic.pcap",
    "kraft3-admin-all.pcap",
    "sasl-plain-java.pcap",
    "snaplen-96.pcap",
    "mid-stream-start.pcap",
    "loss-reorder-client-side.pcap",
    "tls12-aes256-gcm-embedded.pcapng",
    "rebalance-storm.pcap",
]


@pytest.fixture
def files() -> Iterator[CallFiles]:
    made = CallFiles()
    yield made
    made.close()


def keep(files: CallFiles, *paths: str, step: int = 1) -> list[Call]:
    keeper, calls = CallKeeper(files), [*Reading([*paths], keep_packets=True).calls()]
    for call in calls:
        keeper.keep(call)
        if call.number % step == 0:
            keeper.write()
    keeper.write()
    return calls


def packets(call: Call) -> list[tuple[str, int]]:
    frames = [frame for frame in (call.request, call.response) if frame is not None]
    return [(arrival.interface.file, arrival.packet) for frame in frames for arrival in frame.packets]


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_call_has_the_line_that_the_call_had(files: CallFiles, name: str) -> None:
    calls = keep(files, str(CAPTURES / name), step=7)
    lines = JsonLines()
    expected = [lines.line(call) for call in calls]
    kept = KeptCalls(files)
    assert len(kept) == len(calls)
    assert [lines.line(call) for call in kept.calls(1, len(kept))] == expected
    assert [packets(call) for call in kept.calls(1, len(kept))] == [packets(call) for call in calls]
    # In any order, one by one.
    again = KeptCalls(files)
    assert [lines.line(again.call(number)) for number in range(len(calls), 0, -1)] == expected[::-1]


def test_packets_of_several_files(files: CallFiles) -> None:
    paths = sorted(str(path) for path in (CAPTURES / "rotate-size").glob("*.pcap*"))
    calls = keep(files, *paths)
    assert len({file for call in calls for file, _ in packets(call)}) == len(paths) > 1
    kept = KeptCalls(files)
    assert [packets(call) for call in kept.calls(1, len(kept))] == [packets(call) for call in calls]


def test_calls_are_seen_when_they_are_written(files: CallFiles) -> None:
    kept, keeper = KeptCalls(files), CallKeeper(files)
    first, second, *_ = Reading(str(CAPTURES / "vlan.pcap")).calls()
    keeper.keep(first)
    assert len(kept) == 0
    with pytest.raises(IndexError, match="no call has the number 1"):
        kept.call(1)
    keeper.write()
    keeper.keep(second)
    keeper.write()
    assert [call.correlation_id for call in kept.calls(1, 9)] == [first.correlation_id, second.correlation_id]
    assert kept.call(2).client_id == second.client_id


def test_messages_longer_than_a_piece(files: CallFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkasniff.browse.store.kept._READ_BYTES", 300)
    calls = keep(files, str(CAPTURES / "java-4.3.1-basic.pcap"))
    assert any(call.request is not None and call.request.size > 1000 for call in calls)
    lines = JsonLines()
    expected = [lines.line(call) for call in calls]
    kept = KeptCalls(files)
    assert [lines.line(call) for call in kept.calls(1, len(kept))] == expected
    assert [lines.line(kept.call(number)) for number in range(1, len(kept) + 1)] == expected


def test_records_are_read_where_they_are_wanted(files: CallFiles) -> None:
    calls = keep(files, str(CAPTURES / "java-4.3.1-basic.pcap"))
    number = next(call.number for call in calls if call.api_name == "PRODUCE")
    assert "records" not in KeptCalls(files).call(number).batches[0]
    assert KeptCalls(files, Wanted(records=True)).call(number).batches[0]["records"][0]["offset"] == 0


def test_nobody_else_can_open_the_files(files: CallFiles) -> None:
    for descriptor in (files.calls, files.places, files.facts):
        status = os.fstat(descriptor)
        assert (status.st_nlink, status.st_mode & 0o777) == (0, 0o600)
