"""Fuzz bodies, streams or packets, guided by the coverage of the engine's Python code (atheris).

    pip install atheris
    python -m tools.guided_fuzz bodies|streams|packets [FOLDER] [-max_total_time=SECONDS] [other options of libFuzzer]

The engine runs uncompiled here, so that each branch of it is seen. FOLDER keeps what reached new code; an empty one is
filled from the vectors of Kafka's own classes. An exception ends the run, and libFuzzer writes the input to a file
`crash-…`, which is given as FOLDER to play it again.
"""

import gc
import os
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

os.environ["KAFKASNIFF_PURE"] = "1"

import atheris

from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies import decode_body
from tests.robustness.conversations import vectors
from tests.robustness.mutate import LINK_TYPES
from tests.robustness.packets import ACK, ETHERNET, SYN, Packet, batches, encode
from tests.robustness.running import look_at

CLIENT, SERVER = ("10.0.0.1", 40000), ("10.0.0.2", 9092)
MILLISECOND = 1_000_000
"""Nanoseconds."""


def take_body(data: bytes) -> None:
    """Decode a body; the first three bytes choose API, version and side."""
    if len(data) < 3:
        return
    api = sorted(APIS.values(), key=lambda each: each.key)[data[0] % len(APIS)]
    version = api.first_version + data[1] % (api.last_version - api.first_version + 1)
    decode_body(api.key, version, "response" if data[2] & 1 else "request", data[3:], 0)


def _chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Give each piece behind its control byte and its 2 bytes of length."""
    at = 0
    while at + 3 <= len(data):
        length = int.from_bytes(data[at + 1 : at + 3], "big")
        yield data[at], data[at + 3 : at + 3 + length]
        at += 3 + length


def take_stream(data: bytes) -> None:
    """Send pieces over one connection; the control byte has direction, loss and repetition."""
    packets = [
        Packet(MILLISECOND, 0, 0, CLIENT, SERVER, 0, 0, SYN),
        Packet(MILLISECOND, 0, 1, SERVER, CLIENT, 0, 1, 18),
    ]
    sent = [1, 1]
    for number, (control, payload) in enumerate(_chunks(data), 2):
        side = control & 1
        ends = (CLIENT, SERVER) if side == 0 else (SERVER, CLIENT)
        packet = Packet(number * MILLISECOND, 0, side, *ends, sent[side], sent[1 - side], ACK, payload)
        if not control & 4:
            sent[side] += len(payload)
        if not control & 2:
            packets.append(packet)
    look_at(batches(packets))


def take_packets(data: bytes) -> None:
    """Give pieces as packets as they are; the control byte chooses the link type among those that are read."""
    pieces = list(_chunks(data))
    interfaces = [Interface("composed.pcap", link) for link in LINK_TYPES]
    offsets, captured = array("q"), array("q")
    for _, piece in pieces:
        offsets.append(sum(captured))
        captured.append(len(piece))
    times = array("q", [number * MILLISECOND for number in range(1, len(pieces) + 1)])
    links = array("q", [control % len(LINK_TYPES) for control, _ in pieces])
    whole = b"".join(piece for _, piece in pieces)
    look_at([PacketBatch(whole, 1, offsets, captured, captured, times, links, interfaces)])


TARGETS: dict[str, Callable[[bytes], None]] = {"bodies": take_body, "streams": take_stream, "packets": take_packets}
"""What takes an input, by the name of its kind."""


def _piece(control: int, payload: bytes) -> bytes:
    return bytes([control]) + len(payload).to_bytes(2, "big") + payload


def seeds(kind: str) -> Iterator[bytes]:
    """Give inputs of a kind from whole messages."""
    places = {key: place for place, key in enumerate(sorted(APIS))}
    for requests, responses in vectors():
        for request, response in zip(requests, responses, strict=False):
            pair = [
                (side, bytes.fromhex(row["header_hex"]), bytes.fromhex(row["body_hex"]))
                for side, row in enumerate((request, response))
            ]
            if kind == "bodies":
                api = APIS[request["api_key"]]
                for side, _, body in pair:
                    yield bytes([places[api.key], request["api_version"] - api.first_version, side]) + body
                continue
            frames = [
                (side, (len(header) + len(body)).to_bytes(4, "big") + header + body) for side, header, body in pair
            ]
            if kind == "streams":
                yield b"".join(_piece(side, frame) for side, frame in frames)
            else:
                some = Packet(MILLISECOND, 0, 0, CLIENT, SERVER, 1, 1, ACK, frames[0][1])
                yield _piece(LINK_TYPES.index(ETHERNET), encode(some)[0])


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(__doc__)
    # Not by atheris's own import hook, which would find the compiled modules.
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and (each.__module__ or "").startswith("kafkasniff"):
            atheris.instrument_func(each)
    kind, *others = sys.argv[1:]
    folders = [Path(each) for each in others if not each.startswith("-")]
    if folders and not folders[0].is_file():
        folders[0].mkdir(parents=True, exist_ok=True)
        if not any(folders[0].iterdir()):
            for number, seed in enumerate(seeds(kind)):
                (folders[0] / f"vector-{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], *others], TARGETS[kind])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
