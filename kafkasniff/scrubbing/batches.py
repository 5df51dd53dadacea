"""Record batches with other keys, values and headers, as long and as compressible."""

from binascii import crc32
from collections.abc import Callable, Iterator

from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.protocol.records.checksums import MAGIC_2_CRC_FROM, computed_crc, stated_crc
from kafkasniff.protocol.records.compression.codecs import decompress
from kafkasniff.protocol.records.compression.decompression_error import DecompressionError
from kafkasniff.protocol.records.layout import COMPRESSION, CONTROL, CRC_AT, HEADER_BYTES, MAGIC_AT, OFFSET_AND_SIZE
from kafkasniff.scrubbing.contents import Spans, fill, noise_like, squeezed_into

_HEADER = HEADER_BYTES[2]
_MESSAGE_HEADERS = (18, 26)
"""Bytes before the key of a message, by magic."""
_ENTRY = OFFSET_AND_SIZE.size
"""Bytes of the offset and the size before a batch or message."""
_ATTRIBUTES = MAGIC_2_CRC_FROM + 1
"""Of the two bytes the second, which has all bits that are in use."""
_ENDS_OF_TRANSACTIONS = (b"\0\0\0\0", b"\0\0\0\1")
"""Keys of control records that say that a transaction was aborted or committed."""
_LARGEST = 64 << 20
"""Bytes that compressed records may give."""


def blank_batches(data: bytearray, start: int, end: int) -> int:
    """Blank the records from `start` to `end` in place; give how many bytes could not be read, and were zeroed."""
    opaque = 0
    while start < end:
        size = int.from_bytes(data[start + 8 : start + _ENTRY], "big", signed=True) + _ENTRY
        magic = data[start + MAGIC_AT] if end - start > MAGIC_AT else -1
        header = _HEADER if magic == 2 else _MESSAGE_HEADERS[magic] if magic in (0, 1) else 0
        if size > end - start or size < header + (0 if magic == 2 else 8) or not header:
            # Brokers send of the last batch what fits; its header is but numbers.
            begin = min(start + (header if size > end - start else 0), end)
            data[begin:end] = bytes(end - begin)
            return opaque + end - begin
        if magic == 2:
            opaque += _blank_batch(data, start, start + size)
        else:
            opaque += _blank_message(data, start, start + size, magic)
        start += size
    return opaque


def _blank_batch(data: bytearray, start: int, end: int) -> int:
    """Blank a batch of magic 2; give how many bytes of it cannot be read."""
    right = computed_crc(data, start, end) == stated_crc(data, start)
    opaque = 0
    records = bytes(data[start + _HEADER : end])
    is_control = bool(data[start + _ATTRIBUTES] & CONTROL)
    codec = COMPRESSIONS[data[start + _ATTRIBUTES] & COMPRESSION]
    made = _blank_content(records, codec, 2, lambda content: _record_spans(content, is_control))
    if not made and records:
        opaque = len(records)
        made = bytes(opaque)
    data[start + _HEADER : end] = made
    if right:
        at = start + CRC_AT[2]
        data[at : at + 4] = computed_crc(data, start, end).to_bytes(4, "big")
    return opaque


def _blank_content(
    old: bytes,
    codec: str,
    magic: int,
    spans_of: Callable[[bytes], Spans],
    mend: Callable[[bytearray], None] = lambda content: None,
) -> bytes:
    """Give records with others in place of keys, values and headers, as long, compressed or not; nothing if it cannot.

    `spans_of` tells where these lie, and raises IndexError and ValueError; `mend` makes checksums within right.
    """
    try:
        content = bytes(decompress(codec, old, magic=magic, limit=_LARGEST)) if codec != "none" else old
        spans = spans_of(content)
    except (DecompressionError, IndexError, ValueError):
        return b""
    made = bytearray(content)
    if codec != "none":
        return squeezed_into(codec, old, made, spans, mend)
    fill(made, spans, noise_like(content, spans))
    return bytes(made)


def _record_spans(data: bytes, is_control: bool) -> Spans:
    """Give where keys, values and headers of records lie; of control records those values that may name somebody.

    Raises IndexError, ValueError.
    """
    at = 0
    spans = []
    while at < len(data):
        length, at = _varint(data, at)
        behind = at + length
        if length < 0 or behind > len(data):
            raise ValueError("expected fewer bytes")
        at += 1  # attributes
        for _ in range(2):  # timestamp and offset
            _, at = _varint(data, at)
        key, at = _span(data, at, behind)
        value, at = _span(data, at, behind)
        # The key of a control record tells its kind, and the value of an end of a transaction an epoch.
        if not is_control:
            spans += [key, value]
        elif data[key[0] : key[0] + key[1]] not in _ENDS_OF_TRANSACTIONS:
            spans.append(value)
        count, at = _varint(data, at)
        for _ in range(2 * max(count, 0)):
            header, at = _span(data, at, behind)
            spans.append(header)
        if at != behind:
            raise ValueError("expected the end of the record")
    return spans


def _span(data: bytes, at: int, end: int) -> tuple[tuple[int, int], int]:
    """Read the length of bytes; give where they lie, and where they end. Raises IndexError, ValueError."""
    length, at = _varint(data, at)
    length = max(length, 0)
    if length > end - at:
        raise ValueError("expected fewer bytes")
    return (at, length), at + length


def _varint(data: bytes, at: int) -> tuple[int, int]:
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
    """Blank a message of magic 0 or 1; give how many bytes of it cannot be read."""
    right = _has_right_crc(data, start, end)
    opaque = 0
    codec = COMPRESSIONS[data[start + MAGIC_AT + 1] & COMPRESSION]
    try:
        key, value = _message_spans(data, start, end)
    except ValueError:
        opaque = end - start - _MESSAGE_HEADERS[magic]
        data[end - opaque : end] = bytes(opaque)
    else:
        old = bytes(data[value[0] : sum(value)])
        if codec == "none" or not old:
            fill(data, (key, value), noise_like(bytes(data[start:end]), (key, value)))
        else:
            fill(data, (key,), 0)
            made = _blank_content(old, codec, magic, _set_spans, _right_checksums)
            opaque = 0 if made else len(old)
            data[value[0] : sum(value)] = made or bytes(opaque)
    if right:
        _right_crc(data, start, end)
    return opaque


def _has_right_crc(data: bytes | bytearray, start: int, end: int) -> bool:
    crc_at = start + _ENTRY
    return crc32(data[crc_at + 4 : end]) == int.from_bytes(data[crc_at : crc_at + 4], "big")


def _right_crc(data: bytearray, start: int, end: int) -> None:
    crc_at = start + _ENTRY
    data[crc_at : crc_at + 4] = crc32(data[crc_at + 4 : end]).to_bytes(4, "big")


def _message_spans(data: bytes | bytearray, start: int, end: int) -> Spans:
    """Give where key and value of a message of magic 0 or 1 lie. Raises ValueError."""
    at = start + _MESSAGE_HEADERS[data[start + MAGIC_AT]]
    spans = []
    for _ in range(2):
        length = max(int.from_bytes(data[at : at + 4], "big", signed=True), 0)
        at += 4
        if length > end - at:
            raise ValueError("expected fewer bytes")
        spans.append((at, length))
        at += length
    return spans


def _set_spans(data: bytes) -> Spans:
    """Give where keys and values of the messages in a set lie. Raises ValueError, IndexError."""
    return [span for start, end in _messages(data) for span in _message_spans(data, start, end)]


def _right_checksums(data: bytearray) -> None:
    """Make the checksums of the messages in a set right: Kafka keeps none that are wrong within a right one."""
    for start, end in _messages(data):
        _right_crc(data, start, end)


def _messages(data: bytes | bytearray) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(data):
        end = start + _ENTRY + int.from_bytes(data[start + 8 : start + _ENTRY], "big", signed=True)
        if data[start + MAGIC_AT] > 1 or not start + _MESSAGE_HEADERS[data[start + MAGIC_AT]] + 8 <= end <= len(data):
            raise ValueError("expected a message")
        yield start, end
        start = end
