"""Find the next batch behind one whose size is wrong."""

import re
from typing import Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.checksums import computed_crc, stated_crc
from kafkasniff.protocol.records.layout import batch_size

MAX_SEARCHED_BYTES: Final = 16 << 20
"""How far a search goes; a broker takes batches of at most 1 MiB unless told otherwise (message.max.bytes)."""

MAX_CANDIDATES: Final = 50_000
"""Most places at which a search looks closely."""

# Places that can be a header at a glance: offset, size, CRC (in magic 2 leader epoch), magic, (in magic 2 CRC,)
# attributes, and in magic 2 last offset delta, timestamps, producer, and a record count that is not negative.
_CANDIDATE = re.compile(
    rb"(?=[\0-\x7f].{7}[\0-\x07].{7}(?:\x02.{4}\0[\0-\x7f][\0-\x7f].{33}[\0-\x7f]|[\0\x01][\0-\x0f]))", re.DOTALL
)


def is_proven(data: bytes, start: int, end: int) -> bool:
    """Tell whether a whole batch begins at `start`, on the evidence of its CRC."""
    try:
        size = batch_size(data, start, end)
    except ProtocolError:
        return False
    if size is None or size > end - start:
        return False
    return computed_crc(data, start, start + size) == stated_crc(data, start)


def find_batch(data: bytes, start: int, end: int) -> int | None:
    """Find the first place from `start` on where a whole batch begins, on the evidence of its CRC."""
    checked = 0
    stop = min(end, start + MAX_SEARCHED_BYTES)
    for tried, found in enumerate(_CANDIDATE.finditer(data, start, stop)):
        place = found.start()
        try:
            size = batch_size(data, place, end)
        except ProtocolError:
            size = None
        if size is not None and size <= end - place:
            if computed_crc(data, place, place + size) == stated_crc(data, place):
                return place
            checked += size
        # Hostile bytes could have every place checked to the end.
        if tried == MAX_CANDIDATES or checked > 4 * MAX_SEARCHED_BYTES:
            break
    return None
