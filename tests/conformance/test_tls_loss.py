"""Lost packets of TLS connections on our recordings: the calls whose records are whole come out, and no more."""

import gzip
import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import accumulate, chain
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.options import CallOptions
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch
from kafkasniff.tcp.events import StreamData
from kafkasniff.tcp.reassembler import Reassembler
from kafkasniff.tcp.tls.key_log import KeyLog
from tests.conftest import CAPTURES

RECORDINGS = ["tls13-aes128-gcm.pcap", "tls12-aes128-cbc-sha256.pcap", "tls12-aes256-gcm-embedded.pcapng"]


class Capture:
    """A recording in memory, with its secrets and what is in it when nothing is lost."""

    def __init__(self, name: str) -> None:
        reader = CaptureReader(str(CAPTURES / name))
        self.batch = joined(list(reader))
        self.key_log = KeyLog()
        keys = (CAPTURES / name).with_suffix(".keys")
        for text in [*reader.take_secrets(), *([keys.read_bytes()] if keys.exists() else [])]:
            self.key_log.add(text)
        self.calls = self.read(self.batch)
        with gzip.open(CAPTURES / f"{Path(name).stem}.requestlog.jsonl.gz", "rt") as lines:
            self.logged = [json.loads(line) for line in lines]

    def read(self, batch: PacketBatch) -> list[Call]:
        engine = Engine(options=CallOptions(keep_packets=True), key_log=self.key_log)
        return [item for item in [*engine.feed(batch), *engine.flush()] if isinstance(item, Call)]

    def without(self, packets: set[int]) -> PacketBatch:
        """Give the batch without some packets; those that stay are numbered anew."""
        batch = self.batch
        kept = [index for index in range(len(batch)) if index + 1 not in packets]
        columns = (batch.offsets, batch.captured, batch.original, batch.times, batch.interface_ids)
        return PacketBatch(
            batch.data, 1, *(array("q", [column[index] for index in kept]) for column in columns), batch.interfaces
        )

    def data_packets(self) -> list[list[set[int]]]:
        """Give, by connection, each packet with data from that of the first call on, with those that repeat it."""
        first = {call.client: call.time.packet for call in reversed(self.calls)}
        found: dict[str, list[set[int]]] = {client: [] for client in first}
        reassembler = Reassembler()
        for index in range(len(self.batch)):
            # Packet by packet, so that every event stands for one.
            for event in reassembler.feed(self.without({*range(1, len(self.batch) + 1)} - {index + 1})):
                if isinstance(event, StreamData):
                    client = next(str(end) for end in event.connection.endpoints if str(end) in first)
                    if index + 1 >= first[client]:
                        found[client].append(self.carriers(event.data))
        return list(found.values())

    def carriers(self, payload: bytes) -> set[int]:
        """Give the packets with this payload: encrypted, no two are alike unless one repeats the other."""
        batch = self.batch
        ends = (at + length for at, length in zip(batch.offsets, batch.captured, strict=True))
        return {index + 1 for index, end in enumerate(ends) if batch.data.endswith(payload, 0, end)}


def joined(batches: list[PacketBatch]) -> PacketBatch:
    """Make one batch of several."""
    data = b"".join(batch.data for batch in batches)
    starts = accumulate((len(batch.data) for batch in batches), initial=0)
    offsets = array("q", [start + at for start, batch in zip(starts, batches, strict=False) for at in batch.offsets])
    columns = zip(*((each.captured, each.original, each.times, each.interface_ids) for each in batches), strict=True)
    return PacketBatch(
        data, 1, offsets, *(array("q", chain(*parts)) for parts in columns), interfaces=batches[-1].interfaces
    )


def contents(calls: Iterable[Call]) -> Counter[tuple[str, bytes, bytes | None]]:
    """Count calls that are whole on both sides, by their client and bytes."""
    return Counter(
        (call.client, call.request.data, call.response.data if call.response else None)
        for call in calls
        if call.outcome in ("answered", "no-response-expected")
        and call.request is not None
        and call.request.whole
        and (call.response is None or call.response.whole)
    )


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_lost_packet_costs_the_calls_in_its_records_alone(name: str, add_figure: Callable[..., None]) -> None:
    capture = Capture(name)
    assert len(capture.calls) == len(capture.logged)
    connections = capture.data_packets()
    possible = found = 0
    for turn in range(max(map(len, connections))):
        dropped = set().union(*(packets[turn] for packets in connections if turn < len(packets)))
        expected = contents(
            call
            for call in capture.calls
            if not any(
                arrival.packet in dropped
                for frame in (call.request, call.response)
                if frame is not None
                for arrival in frame.packets
            )
        )
        calls = contents(capture.read(capture.without(dropped)))
        missing, others = expected - calls, calls - expected
        assert not missing, f"without packets {sorted(dropped)}: {[(key[0], key[1][:12]) for key in missing]}"
        assert not others, f"without packets {sorted(dropped)}: {[(key[0], key[1][:12]) for key in others]}"
        possible += expected.total()
        found += (calls & expected).total()
    dropped_in_all = sum(map(len, connections))
    add_figure("TLS, a packet lost per connection", name, dropped=dropped_in_all, possible=possible, found=found)
