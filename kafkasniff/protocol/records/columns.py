"""Read the records of a large batch of magic 2 by columns: all keys at once, all values at once, and so on."""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.records.loop import read_headers
from kafkasniff.protocol.records.raw import RawRecords

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Positions = NDArray[np.int64]

LEAST_COUNT: Final = 75
"""From how many records on this is faster than reading them one by one (benchmarks/records.py)."""

_NOWHERE: Final = 1 << 40
"""Added to a position, it gives one behind any end."""


def read_by_columns(
    content: bytes | bytearray, count: int, base_offset: int, base_timestamp: int, most: int
) -> RawRecords | None:
    """Read `count` records, `most` at most; None for anything unusual, be it an error or a varint of three bytes."""
    import numpy as np

    bounds = _record_bounds(content)
    if bounds is None or not len(bounds) - 1 == count <= most:
        return None
    # Two bytes from each position on, also from that behind the end.
    pairs = np.ndarray(len(content) + 1, "<u2", content + bytes(2), 0, (1,))
    numbers, lengths = _varint_tables()
    positions = np.array(bounds)
    start, end = positions[:-1], positions[1:]
    text = content.decode("latin-1")
    texts: list[str] = []
    headers = []
    behind_headers = []
    try:
        # The length is a varint of one byte up to 63, else of two; behind it the attributes, where no bit is in use.
        at = start + 2 + (end - start > 64)
        pair = pairs[at]
        timestamps = numbers[pair] + base_timestamp
        at += lengths[pair]
        pair = pairs[at]
        offsets = numbers[pair] + base_offset
        at += lengths[pair]
        pair = pairs[at]
        key_start = at + lengths[pair]
        key_end = key_start + numbers[pair]
        at = np.maximum(key_start, key_end)
        pair = pairs[at]
        value_start = at + lengths[pair]
        value_end = value_start + numbers[pair]
        at = np.maximum(value_start, value_end)
        (with_headers,) = (pairs[at] & 0xFF).nonzero()
        for position in at[with_headers].tolist():
            found, behind = read_headers(content, position, text, texts, most)
            headers.append(found)
            behind_headers.append(behind)
    except (IndexError, ProtocolError):
        return None
    at += 1
    at[with_headers] = behind_headers
    # An odd length is a negative one. (np.count_nonzero takes a fraction of the time of any().)
    if np.count_nonzero(at != end) or np.count_nonzero(pairs[start] & 1):
        return None

    keys = _slices(text, key_start, key_end)
    values = _slices(text, value_start, value_end)
    records: list[dict[str, Any]] = [
        {"offset": offset, "timestamp": timestamp, "key": key, "value": value, "headers": ()}
        for offset, timestamp, key, value in zip(offsets.tolist(), timestamps.tolist(), keys, values, strict=True)
    ]
    for index, found in zip(with_headers.tolist(), headers, strict=True):
        records[index]["headers"] = found
    texts += filter(None, keys)
    texts += filter(None, values)
    return RawRecords(records, texts, [])


def _record_bounds(content: bytes | bytearray) -> list[int] | None:
    """Give zero and the positions behind each record; None when lengths of up to two bytes do not lead to the end."""
    bounds = [0]
    add = bounds.append
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
    return bounds if position == size else None


@cache
def _varint_tables() -> tuple["Positions", "Positions"]:
    """Give, by the two bytes at a position (little-endian), the zigzag varint there and its length.

    A length of `_NOWHERE` stands for a varint of more than two bytes: what is read behind it raises IndexError.
    """
    import numpy as np

    pair = np.arange(1 << 16)
    two_bytes = (pair & 0x80) > 0
    number = np.where(two_bytes, pair & 0x7F | pair >> 1 & 0x3F80, pair & 0x7F)
    length = np.where(two_bytes, np.where(pair >> 15, _NOWHERE, 2), 1)
    return number >> 1 ^ -(number & 1), length


def _slices(text: str, start: "Positions", end: "Positions") -> list[str | None]:
    """Give the slices of a text; None where the end lies before the start."""
    import numpy as np

    bounds = zip(start.tolist(), end.tolist(), strict=True)
    if np.count_nonzero(start > end):
        return [text[first:last] if first <= last else None for first, last in bounds]
    return [text[first:last] for first, last in bounds]
