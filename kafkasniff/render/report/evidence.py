"""The calls that findings cite, decoded: the captures are read once more for them."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from kafkasniff.calls.call import Call
from kafkasniff.calls.items import Item
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.wording import file_name

_MOST_CALLS = 300
_A_FINDING = 3
"""Calls that are decoded of one finding; `show` gives the others."""
_LONGEST = 20_000
"""Bytes of a call's JSON; of longer ones there is the header alone."""
_HEAD = ("time", "client", "server", "requestHeader", "outcome", "totalTimeMs", "errors")

Packet = tuple[str, int]
"""The name of a file, and the number of a packet in it."""


def cited(findings: Iterable[dict[str, Any]]) -> set[Packet]:
    """Give the packets whose calls are to be decoded."""
    found: dict[Packet, None] = {}
    for finding in findings:
        for each in finding["evidence"][:_A_FINDING]:
            found[each["file"], each["packet"]] = None
    return set(list(found)[:_MOST_CALLS])


def decoded_calls(batches: Iterator[list[Item]], packets: set[Packet], lines: JsonLines) -> list[dict[str, Any]]:
    """Give for each cited packet the call whose request or response ended with it; reads until all are found."""
    left = set(packets)
    numbers = {packet for _, packet in packets}
    found = []
    for items in batches:
        for item in items:
            if not isinstance(item, Call):
                continue
            for frame in (item.request, item.response):
                for arrival in () if frame is None else (frame.first, frame.last):
                    if arrival.packet not in numbers:
                        continue
                    packet = (file_name(arrival.interface.file), arrival.packet)
                    if packet in left:
                        left.discard(packet)
                        found.append({"file": packet[0], "packet": packet[1], "call": _decoded(lines.line(item))})
        if not left:
            break
    return found


def _decoded(line: bytes) -> dict[str, Any]:
    call: dict[str, Any] = orjson.loads(line)
    return call if len(line) <= _LONGEST else {name: call[name] for name in _HEAD if name in call}
