# cython: language_level=3, annotation_typing=False, boundscheck=True, wraparound=False, initializedcheck=False
"""Finds the records of a pcap file one by one."""

from array import array

from kafkasniff.capture.files.walk import MAX_BATCH_PACKETS, Columns

_SPARE: "list[tuple[array[int], ...]]" = []
"""Columns that a walk fills anew, so that none has to make room for as many packets as there could be; of all files, as
each takes two megabytes."""


class RecordWalker:
    """Goes from record header to record header (draft-ietf-opsawg-pcap, 5)."""

    __slots__ = (
        "_big_endian",
        "_captured_limit",
        "_fraction_ns",
        "_header_length",
        "_lengths_swapped",
    )

    def __init__(
        self, big_endian: bool, header_length: int, fraction_ns: int, captured_limit: int, lengths_swapped: bool
    ) -> None:
        """Know the form of a file's record headers.

        Their fractions of seconds count `fraction_ns` ns; no more than `captured_limit` bytes of a packet are believed;
        `lengths_swapped`: the original length comes first where it is the smaller one.
        """
        self._big_endian = big_endian
        self._header_length = header_length
        self._fraction_ns = fraction_ns
        self._captured_limit = captured_limit
        self._lengths_swapped = lengths_swapped

    def walk(self, data: bytes, position: int, columns: Columns) -> tuple[int, int, str | None]:
        """Put packets into `columns`, which have none; give position, need and damage as in `Walk`."""
        view = data
        size = len(data)
        header_length = self._header_length
        try:
            room = _SPARE.pop()
        except IndexError:
            room = tuple([array("q", bytes(8 * MAX_BATCH_PACKETS)) for _ in range(4)])
        offsets, captureds, originals, times = room
        need, damage, count, most = header_length, None, 0, MAX_BATCH_PACKETS
        # The one check of what `_little` and `_big` read; a header has 16 bytes or more.
        while count < most and 0 <= position <= size - header_length:
            if self._big_endian:
                seconds = _big(view, position)
                fraction = _big(view, position + 4)
                captured = _big(view, position + 8)
                original = _big(view, position + 12)
            else:
                seconds = _little(view, position)
                fraction = _little(view, position + 4)
                captured = _little(view, position + 8)
                original = _little(view, position + 12)
            if captured > original:
                if self._lengths_swapped:
                    captured, original = original, captured
                else:
                    original = captured
            offset = position + header_length
            if captured > self._captured_limit:
                damage = f"expected at most {self._captured_limit} bytes of packet data, found a length of {captured}"
                break
            if offset + captured > size:
                need = header_length + captured
                break
            offsets[count] = offset
            captureds[count] = captured
            originals[count] = original
            times[count] = seconds * 1_000_000_000 + fraction * self._fraction_ns
            count += 1
            position = offset + captured
        columns.offsets, columns.captured, columns.original, columns.times = [each[:count] for each in room]
        _SPARE.append(room)
        return position, need, damage


def _little(view: bytes, at: int) -> int:
    # The caller checks: compiled, `view` is a pointer.
    value = view[at + 3]
    return value << 24 | view[at + 2] << 16 | view[at + 1] << 8 | view[at]


def _big(view: bytes, at: int) -> int:
    # As in `_little`.
    value = view[at]
    return value << 24 | view[at + 1] << 16 | view[at + 2] << 8 | view[at + 3]
