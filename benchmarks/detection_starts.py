"""Recordings read from a packet in their middle on: what is found of what can be had, and what is invented.

    python -m benchmarks.detection_starts RECORDINGS [--starts 50] [--seed 0]

The calls that can be had from a packet on are those that the whole recording gives, as tests hold them against the
brokers' own logs, and whose packets all come from there on. What is shown and is no message of the whole recording is
invented. Calls inside TLS are left out: they cannot be had without the connection's beginning.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.options import CallOptions
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import PacketBatch

AIM = 0.99
Message = tuple[str, str, str, bytes]
"""Client, server, side and content."""


def from_packet(batches: Sequence[PacketBatch], first: int) -> Iterator[PacketBatch]:
    """Give the packets from number `first` on."""
    for batch in batches:
        left_out = max(first - batch.first_packet, 0)
        if left_out < len(batch):
            columns = (batch.offsets, batch.captured, batch.original, batch.times, batch.interface_ids)
            kept = (column[left_out:] for column in columns)
            yield PacketBatch(batch.data, batch.first_packet + left_out, *kept, batch.interfaces)


def calls(batches: Iterator[PacketBatch] | Sequence[PacketBatch], keep_packets: bool = False) -> list[Call]:
    """Give the calls that the engine finds, without those inside TLS."""
    engine = Engine(options=CallOptions(keep_packets=keep_packets))
    items = [item for batch in batches for item in engine.feed(batch)] + engine.flush()
    return [item for item in items if isinstance(item, Call) and "SSL" not in item.security_protocol]


def messages(call: Call) -> list[tuple[Message, Frame]]:
    """Give the whole messages of a call."""
    sides = (("request", call.request), ("response", call.response))
    return [
        ((call.client, call.server, side, frame.data), frame)
        for side, frame in sides
        if frame is not None and (frame.whole or frame.limited)
    ]


def identity(call: Call) -> tuple[Message, ...]:
    """Give what tells a call from others."""
    return tuple(message for message, _ in messages(call))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--starts", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    had, there, below, invented, contradicted, played = 0, 0, 0, 0, 0, 0
    for path in sorted(options.recordings.rglob("*.pcap*")):
        rng = Random(f"{options.seed} {path.name}")
        batches = list(CaptureReader(str(path)))
        whole = calls(batches, keep_packets=True)
        if not whole:
            continue
        known = Counter(message for call in whole for message, _ in messages(call))
        answered = Counter(identity(call)[0] for call in whole if call.outcome == "answered" and identity(call))
        last = batches[-1].first_packet + len(batches[-1]) - 1
        found_of_path, there_of_path = 0, 0
        for _ in range(options.starts):
            first = rng.randint(2, last)
            shown = calls(from_packet(batches, first))
            complete = [
                (call, min(arrival.packet for _, frame in messages(call) for arrival in frame.packets))
                for call in whole
                if call.outcome == "answered" and len(messages(call)) == 2
            ]
            expected = Counter(identity(call) for call, begun in complete if begun >= first)
            lacking = expected - Counter(map(identity, shown))
            there_of_path += expected.total()
            found_of_path += expected.total() - lacking.total()
            made_up = Counter(message for call in shown for message, _ in messages(call)) - known
            for message in made_up:
                print(f"{path.name} from packet {first}: invented: {message}", flush=True)
            invented += made_up.total()
            for call in shown:
                if call.outcome == "unanswered" and identity(call) and answered[identity(call)[0]]:
                    contradicted += 1
                    print(f"{path.name} from packet {first}: {call.header} unanswered", flush=True)
            played += 1
            if lacking:
                told = f"lacking {lacking.total()} of {expected.total()}"
                print(f"{path.name} from packet {first}: {told}", flush=True)
        had, there = had + found_of_path, there + there_of_path
        if found_of_path < AIM * there_of_path:
            below += 1
            print(f"{path.name}: {found_of_path} of {there_of_path}", flush=True)
    print(f"\n{played} starts with seed {options.seed}: {had} of {there} calls ({had / there:.4%});", end=" ")
    print(f"{below} recordings below {AIM:.0%}; {invented} messages invented,", end=" ")
    print(f"{contradicted} answered calls called unanswered")


if __name__ == "__main__":
    main()
