"""Reads a capture, and writes it anew without what names anybody."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import taken_out
from kafkasniff.capture.files.merge import merge
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.capture.writer import PcapngWriter
from kafkasniff.reading import Reading
from kafkasniff.scrubbing.beginnings import Beginnings
from kafkasniff.scrubbing.handshakes import Handshakes
from kafkasniff.scrubbing.messages import Messages
from kafkasniff.scrubbing.names import Names
from kafkasniff.scrubbing.notes import LONGEST_START, Note, Notes
from kafkasniff.scrubbing.packets import Packets, Tcp, find_tcp, protocol_start
from kafkasniff.scrubbing.places import Direction, Places


class Scrubbed(NamedTuple):
    """What was written."""

    packets: int
    calls: int
    opaque_bytes: int
    """Bytes that were not understood, or may hold anything, and are blank."""


def scrub(paths: Sequence[str], stream: BinaryIO, key: bytes) -> Scrubbed:
    """Write captures anew; raises CaptureError."""
    names = Names(key)
    messages = Messages(names)
    places, notes = Places(), Notes()
    try:
        calls = _read(paths, messages, places, notes)
        beginnings, handshakes = Beginnings(), Handshakes(names)
        for data, interface, number, time in _packets(paths):
            found = find_tcp(data, interface.link_type)
            if found is not None:
                for each in notes.of(interface.file, number):
                    _place(places, messages, found, data, each)
                beginnings.take(found, data[found.payload : found.end], time)
        for direction, sequence, beginning in beginnings.end():
            places.add(direction, sequence, places.keep(handshakes.scrub(beginning)))
        places.begin()
        opaque = 0

        def payload(segment: Tcp, old: bytes, time: int) -> bytes:
            nonlocal opaque
            made, unknown = places.payload(segment.source, segment.destination, segment.sequence, len(old), time)
            kept = protocol_start(old) if unknown == len(old) else b""
            opaque += unknown - len(kept)
            return kept + made[len(kept) :]

        packets = Packets(names, payload)
        written = _write(paths, packets, stream)
    finally:
        places.close()
        notes.close()
    return Scrubbed(written, calls, opaque + packets.opaque_bytes + messages.opaque_bytes)


def _read(paths: Sequence[str], messages: Messages, places: Places, notes: Notes) -> int:
    """Scrub all messages, and note by which packets they begin; give the number of calls."""
    calls = 0
    sides: tuple[Side, Side] = ("request", "response")
    for items in Reading(paths, metrics=False, fetch_sessions=False).batches():
        for item in taken_out(items):
            if isinstance(item, RawToken):
                start = item.size.to_bytes(4, "big")
                notes.add(item.arrival.interface.file, item.arrival.packet, Note(item.connection, start, None))
            if not isinstance(item, Call):
                continue
            calls += 1
            # What was decrypted stands nowhere in the packets.
            if item.security_protocol.endswith("SSL"):
                continue
            for side in sides:
                frame = item.request if side == "request" else item.response
                if frame is not None:
                    start = frame.size.to_bytes(4, "big", signed=True) + frame.data[: LONGEST_START - 4]
                    kept = places.keep(messages.scrub(item, side))
                    notes.add(frame.first.interface.file, frame.first.packet, Note(item.connection, start, kept))
    notes.begin()
    return calls


def _place(places: Places, messages: Messages, found: Tcp, data: bytes, message: Note) -> None:
    """Note where a message begins in the packet that brought its first byte."""
    payload = data[found.payload : found.end]
    at = payload.find(message.start)
    if at < 0:
        # Its beginning may be cut off at the packet's end.
        ends = range(max(len(payload) - len(message.start), 0), len(payload))
        at = next((at for at in ends if message.start.startswith(payload[at:])), -1)
    if at < 0:
        return
    sequence = (found.sequence + at) & 0xFFFFFFFF
    kept = message.kept
    if kept is None:
        kept = places.keep(message.start + messages.token(payload[at + 4 :]))
    of = message.connection
    places.add(Direction(of.first.time, of.last.time, found.source, found.destination), sequence, kept)


def _packets(paths: Sequence[str]) -> Iterator[tuple[bytes, Interface, int, int]]:
    for batch in merge([CaptureReader(path) for path in paths]):
        for index in range(len(batch)):
            arrival = batch.arrival(index)
            offset = batch.offsets[index]
            yield batch.data[offset : offset + batch.captured[index]], arrival.interface, arrival.packet, arrival.time


def _write(paths: Sequence[str], packets: Packets, stream: BinaryIO) -> int:
    writer = PcapngWriter(stream)
    interfaces: dict[Interface, Interface] = {}
    count = 0
    for batch in merge([CaptureReader(path) for path in paths]):
        for index in range(len(batch)):
            arrival = batch.arrival(index)
            offset, original = batch.offsets[index], batch.original[index]
            data = batch.data[offset : offset + batch.captured[index]]
            made = packets.rewrite(data, original, arrival.interface.link_type, arrival.time)
            interface = interfaces.get(arrival.interface)
            if interface is None:
                # The name of an interface may tell whose it is.
                old = arrival.interface
                interface = Interface(old.file, old.link_type, old.time_digits, old.snap_length)
                interfaces[old] = interface
            writer.write(made, original, arrival.time, interface)
            count += 1
    return count
