import socket
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.interfaces.live import LiveCapture
from kafkasniff.capture.writer import PcapngWriter
from kafkasniff.listening import Listening
from kafkasniff.reading import read
from tests.conftest import CAPTURES
from tests.networks import NEAR, own_pair

CAPTURE = str(CAPTURES / "java-4.3.1-basic.pcap")
SECOND = 1_000_000_000


def replay(sender: socket.socket) -> int:
    count = 0
    for batch in CaptureReader(CAPTURE):
        for at, length in zip(batch.offsets, batch.captured, strict=True):
            sender.send(batch.data[at : at + length])
            count += 1
    return count


def essence(call: Call) -> tuple[object, ...]:
    return call.client, call.header, call.outcome, call.request_body, call.response_body


def test_what_is_sent_again_gives_the_same_calls(tmp_path: Path) -> None:
    path = tmp_path / "out.pcapng"
    said: list[str] = []
    with own_pair() as sender, path.open("wb") as stream:
        capture = LiveCapture([NEAR], file=str(path))
        sent = replay(sender)
        listening = Listening(
            capture, said.append, connections=True, duration_ns=SECOND // 2, writer=PcapngWriter(stream)
        )
        counted: list[int] = []
        listening.watchers.append(lambda _: counted.append(listening.summary.packets))
        items = [item for found in listening.batches() for item in found]
        capture.close()
    # Whoever shows calls shows the packets that brought them.
    assert min(counted) > 0
    recorded = list(read(CAPTURE, connections=True))
    calls, expected = ([each for each in source if isinstance(each, Call)] for source in (items, recorded))
    assert [essence(call) for call in calls] == [essence(call) for call in expected]
    reports = [each for each in items if isinstance(each, ConnectionReport)]
    assert len(reports) == sum(isinstance(each, ConnectionReport) for each in recorded)
    assert said == []
    summary = listening.summary
    assert (summary.packets, summary.counts.calls, summary.dropped_packets) == (sent, len(expected), 0)
    assert [essence(call) for call in read(str(path)) if isinstance(call, Call)] == [essence(call) for call in expected]


def test_drops_are_said_while_they_happen() -> None:
    said: list[str] = []
    with own_pair() as sender:
        capture = LiveCapture([NEAR], ring_bytes=2 << 20)
        for _ in range(6_000):
            sender.send(b"\2" * 12 + b"\x88\xb5" + bytes(1_000))
        listening = Listening(capture, said.append, duration_ns=SECOND // 5)
        assert [item for found in listening.batches() for item in found] == []
        capture.close()
    summary = listening.summary
    assert summary.packets + summary.dropped_packets == 6_000
    assert said == [
        f"{summary.dropped_packets:,} packets dropped by the kernel: they came faster than they were read;"
        " a larger --buffer or a --bpf filter helps"
    ]


def test_a_key_log_must_be_one(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    path.write_text("no key\n")
    with own_pair():
        capture = LiveCapture([NEAR])
        with pytest.raises(CaptureError, match="not a TLS key log"):
            Listening(capture, print, key_log=str(path))
        capture.close()
