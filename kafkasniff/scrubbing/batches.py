"""Record batches with blank keys, values and headers."""

from binascii import crc32

from kafkasniff.protocol.records.crc32c import crc32c_of

_HEADER = 61
_ENTRY = 12
"""Bytes of the offset and the size before a batch or message."""


def blank_batches(data: bytearray, start: int, end: int) -> int:
    """Blank the records from `start` to `end` in place; give how many bytes could not be read, and were zeroed."""
    opaque = 0
    while start < end:
        size = int.from_bytes(data[start + 8 : start + _ENTRY], "big", signed=True) + _ENTRY
        magic = data[start + 16] if end - start > 16 else -1
        if size > end - start or size < (_HEADER if magic == 2 else 26) or magic not in (0, 1, 2):
            data[start:end] = bytes(end - start)
            return opaque + end - start
        if magic == 2:
            opaque += _blank_batch(data, start, start + size)
        else:
            opaque += _blank_message(data, start, start + size, magic)
        start += size
    return opaque


def _blank_batch(data: bytearray, start: int, end: int) -> int:
    """Blank a batch of magic 2; give how many bytes of it are compressed or cannot be read."""
    right = crc32c_of(bytes(data), start + 21, end) == int.from_bytes(data[start + 17 : start + 21], "big")
    opaque = 0
    is_control = bool(data[start + 22] & 0x20)
    if data[start + 22] & 7 or not _blank_records(data, start + _HEADER, end, is_control):
        opaque = end - start - _HEADER
        data[start + _HEADER : end] = bytes(opaque)
    if right:
        data[start + 17 : start + 21] = crc32c_of(bytes(data), start + 21, end).to_bytes(4, "big")
    return opaque


def _blank_records(data: bytearray, at: int, end: int, is_control: bool) -> bool:
    """Blank records that are not compressed, of control records all but the key, which tells the kind.

    Tell whether they were read to the end.
    """
    try:
        while at < end:
            length, at = _varint(data, at)
            behind = at + length
            if length < 0 or behind > end:
                return False
            at += 1  # attributes
            for _ in range(2):  # timestamp and offset
                _, at = _varint(data, at)
            if is_control:
                length, at = _varint(data, at)
                at += max(length, 0)
            else:
                at = _blank_bytes(data, at, behind)
            at = _blank_bytes(data, at, behind)
            count, at = _varint(data, at)
            for _ in range(2 * max(count, 0)):
                at = _blank_bytes(data, at, behind)
            if at != behind:
                return False
    except (IndexError, ValueError):
        return False
    return True


def _blank_bytes(data: bytearray, at: int, end: int) -> int:
    length, at = _varint(data, at)
    if length > 0:
        if length > end - at:
            raise ValueError("expected fewer bytes")
        data[at : at + length] = bytes(length)
        at += length
    return at


def _varint(data: bytearray, at: int) -> tuple[int, int]:
    """Read a signed varint; give it and where it ends. Raises IndexError, ValueError."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value >> 1 ^ -(value & 1), at
        shift += 7
        if shift > 63:
            raise ValueError("expected a varint")


def _blank_message(data: bytearray, start: int, end: int, magic: int) -> int:
    """Blank a message of magic 0 or 1; give how many bytes of it are compressed or cannot be read."""
    crc_at = start + _ENTRY
    right = crc32(data[crc_at + 4 : end]) == int.from_bytes(data[crc_at : crc_at + 4], "big")
    opaque = 0
    at = start + (26 if magic else 18)
    for _ in range(2):
        length = int.from_bytes(data[at : at + 4], "big", signed=True)
        at += 4
        length = min(length, end - at)
        if length > 0:
            data[at : at + length] = bytes(length)
            at += length
            opaque += length if data[start + 17] & 7 else 0
    if right:
        data[crc_at : crc_at + 4] = crc32(data[crc_at + 4 : end]).to_bytes(4, "big")
    return opaque
