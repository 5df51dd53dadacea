"""Find the next batch behind one whose size is wrong."""

import re
from typing import Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.checksums import computed_crc, stated_crc
from kafkasniff.protocol.records.layout import MAGIC_AT, batch_size

MAX_SEARCHED_BYTES: Final = 4 << 20
"""How far the searches in one field go; a broker takes batches of 1 MiB unless told otherwise (message.max.bytes)."""

MAX_CHECKED_BYTES: Final = 256 << 20
"""Of how many bytes the searches in one field compute CRCs."""

CANDIDATE_BYTES: Final = 4 << 10
"""A closer look at a candidate costs as much as computing the CRC of so many bytes."""

# The magic byte of what can be a header at a glance. Before it: offset, size, and CRC or leader epoch. Behind it in
# magic 2: CRC, attributes, last offset delta, timestamps, producer, and a record count that is not negative; else
# attributes. The pattern starts with one set of bytes, since re scans fast for that.
_CANDIDATE = re.compile(
    rb"[\0-\x02](?<=[\0-\x7f].{7}[\0-\x07].{7}.)"
    rb"(?=(?<=\x02).{4}\0[\0-\x7f][\0-\x7f].{33}[\0-\x7f]|(?<=[\0\x01])[\0-\x0f])",
    re.DOTALL,
)


class BatchSearch:
    """The search for whole batches in the bytes of one field, bounded over all of them."""

    def __init__(self, data: bytes, end: int) -> None:
        """Search in `data[:end]`."""
        self._data = data
        self._end = end
        self._barren_until = 0
        self._search_left = MAX_SEARCHED_BYTES
        self._check_left = MAX_CHECKED_BYTES

    def is_proven(self, start: int) -> bool:
        """Tell whether a whole batch begins at `start`, on the evidence of its CRC."""
        try:
            size = batch_size(self._data, start, self._end)
        except ProtocolError:
            return False
        if size is None or size > self._end - start:
            return False
        return computed_crc(self._data, start, start + size) == stated_crc(self._data, start)

    def find(self, start: int) -> int | None:
        """Find the first place from `start` on where a whole batch begins, on the evidence of its CRC."""
        start = max(start, self._barren_until)
        stop = min(start + self._search_left, self._end)
        for found in _CANDIDATE.finditer(self._data, start + MAGIC_AT, stop):
            place = found.start() - MAGIC_AT
            self._check_left -= CANDIDATE_BYTES
            try:
                size = batch_size(self._data, place, self._end) or self._end
            except ProtocolError:
                size = self._end
            if size <= self._end - place:
                if computed_crc(self._data, place, place + size) == stated_crc(self._data, place):
                    self._search_left -= place - start
                    return place
                self._check_left -= size
            # Hostile bytes could have every place checked up to the end.
            if self._check_left < 0:
                break
        self._barren_until = self._end
        return None
