"""Read the records of a large batch of magic 2 by columns: all lengths at once, all keys at once, and so on."""

from typing import TYPE_CHECKING, Any

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.loop import read_headers
from kafkasniff.protocol.records.raw import RawRecords

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Positions = NDArray[np.int64]

LEAST_COUNT = 100
"""From how many records on this is faster than reading them one by one (benchmarks/records.py)."""


def read_by_columns(
    content: bytes | bytearray, count: int, base_offset: int, base_timestamp: int, most: int
) -> RawRecords | None:
    """Read `count` records, `most` at most; None for anything unusual, be it an error or a varint of three bytes."""
    import numpy as np

    ends = _record_ends(content)
    if ends is None or not len(ends) == count <= most:
        return None
    # Eight bytes from each position on, seven of them perhaps behind the end.
    words = np.ndarray(len(content) + 1, "<u8", content + bytes(8), 0, (1,))
    end = np.array(ends)
    start = np.zeros_like(end)
    start[1:] = end[:-1]
    text = content.decode("latin-1")
    texts: list[str] = []
    headers = {}
    try:
        _, at = _read_varints(words, start)
        # One byte of attributes, in which no bit is in use.
        timestamp_deltas, at = _read_varints(words, at + 1)
        offset_deltas, at = _read_varints(words, at)
        key_lengths, key_start = _read_varints(words, at)
        key_end = key_start + key_lengths
        value_lengths, value_start = _read_varints(words, np.maximum(key_start, key_end))
        value_end = value_start + value_lengths
        at = np.maximum(value_start, value_end)
        header_counts = words[at] & 0xFF
        at += 1
        for index in np.flatnonzero(header_counts).tolist():
            headers[index], at[index] = read_headers(content, int(at[index]) - 1, text, texts, most)
    except (IndexError, ProtocolError):
        return None
    if not np.array_equal(at, end):
        return None

    keys = _slices(text, key_start, key_end)
    values = _slices(text, value_start, value_end)
    offsets = (offset_deltas + base_offset).tolist()
    timestamps = (timestamp_deltas + base_timestamp).tolist()
    records: list[dict[str, Any]] = [
        {"offset": offset, "timestamp": timestamp, "key": key, "value": value, "headers": ()}
        for offset, timestamp, key, value in zip(offsets, timestamps, keys, values, strict=True)
    ]
    for index, found in headers.items():
        records[index]["headers"] = found
    texts += filter(None, keys)
    texts += filter(None, values)
    return RawRecords(records, texts, [])


def _record_ends(content: bytes | bytearray) -> list[int] | None:
    """Give the positions behind each record; None when lengths of one and two bytes do not lead to the end."""
    ends: list[int] = []
    add = ends.append
    position = 0
    size = len(content)
    try:
        while position < size:
            length = content[position]
            if length > 127:
                position += 2 + ((length & 127 | content[position + 1] << 7) >> 1)
            else:
                position += 1 + (length >> 1)
            add(position)
    except IndexError:
        return None
    return ends if position == size else None


def _read_varints(words: "NDArray[np.uint64]", at: "Positions") -> tuple["Positions", "Positions"]:
    """Read a zigzag varint of one or two bytes at each position; give them and the positions behind.

    Raises IndexError when one is longer or lies behind the end.
    """
    import numpy as np

    word = words[at]
    number = word & 0x7F
    after = at + 1
    more = word >> 7 & 1
    if more.any():
        number |= (word >> 1 & 0x3F80) * more
        after += more.view(np.int64)
        if (word >> 15 & more).any():
            raise IndexError
    signed = number.view(np.int64)
    return signed >> 1 ^ -(signed & 1), after


def _slices(text: str, start: "Positions", end: "Positions") -> list[str | None]:
    """Give the slices of a text; None where the end lies before the start."""
    return [
        text[first:last] if first <= last else None for first, last in zip(start.tolist(), end.tolist(), strict=True)
    ]
