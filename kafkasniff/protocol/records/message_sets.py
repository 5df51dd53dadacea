"""Messages of magic 0 and 1, alone or in the set that a compressed message wraps."""

from struct import Struct
from typing import Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import in_64_bits
from kafkasniff.protocol.records.checksums import computed_crc, stated_crc
from kafkasniff.protocol.records.layout import COMPRESSION, CRC_AT, MAGIC_0, MAGIC_1, MAGIC_AT, batch_size
from kafkasniff.protocol.records.raw import RawRecords, record_path

_ATTRIBUTES_AT: Final = MAGIC_AT + 1
_LENGTH = Struct(">i")


def read_key_and_value(data: bytes | bytearray, position: int, end: int) -> tuple[bytes | None, bytes | None]:
    """Read a message's key and value, which fill `data[position:end]`. Raises ProtocolError when they do not."""
    key, position = _read_bytes(data, position, end, "key")
    value, position = _read_bytes(data, position, end, "value")
    if position < end:
        raise ProtocolError(f"expected the end of the message, found {end - position} more bytes", position)
    return key, value


def single_message(offset: int, timestamp: int, key: bytes | None, value: bytes | None) -> RawRecords:
    """Give a message that wraps no others as the one record that it is."""
    found = RawRecords([], [], [])
    _add_message(found, offset, timestamp, key, value)
    return found


def read_message_set(content: bytes | bytearray, most: int, append_time: int | None = None) -> RawRecords:
    """Read at most `most` messages that a message wraps, each of magic 0 or 1, whatever the wrapper is of.

    Offsets are as they stand there. `append_time` is the wrapper's timestamp where that counts for those of magic 1.
    Kafka's own reader does not ask for one magic (DeepRecordsIterator, `ensureMatchingMagic`), but for a message.
    """
    found = RawRecords([], [], [])
    position = 0
    try:
        if not content:
            raise ProtocolError("expected messages in a compressed message, found none, which Kafka refuses", 0)
        while position < len(content):
            if len(found.records) == most:
                raise ProtocolError(f"{most} messages are shown, more would take too much memory", position)
            size = batch_size(content, position, len(content))
            left = len(content) - position
            if size is None or size > left:
                raise ProtocolError(f"expected a message, found {left} bytes left", position)
            _read_wrapped(content, position, position + size, append_time, found)
            position += size
    except ProtocolError as error:
        error.path = record_path(len(found.records)) if content else ""
        found.errors.append(error.with_traceback(None))
    return found


def make_absolute(records: list[dict[str, Any]], wrapper_offset: int) -> None:
    """Make the offsets in a wrapper of magic 1 absolute, given the wrapper's offset, which is the last message's.

    They are so already when the wrapper's is zero, as some versions of librdkafka produce them
    (AbstractLegacyRecordBatch.DeepRecordsIterator). Raises ProtocolError when the wrapper's is impossible.
    """
    if not records or wrapper_offset == 0:
        return
    base = wrapper_offset - records[-1]["offset"]
    if base < 0:
        last = records[-1]["offset"]
        raise ProtocolError(
            f"expected a wrapper with at least the last message's offset {last}, found {wrapper_offset}", 0
        )
    for record in records:
        record["offset"] = in_64_bits(record["offset"] + base)


def _read_wrapped(content: bytes | bytearray, start: int, end: int, append_time: int | None, found: RawRecords) -> None:
    magic = content[start + MAGIC_AT]
    if magic > 1:
        raise ProtocolError(f"expected a message of magic 0 or 1 like its wrapper, found {magic}", start + MAGIC_AT)
    if content[start + _ATTRIBUTES_AT] & COMPRESSION:
        raise ProtocolError(
            "expected a message that is not itself compressed, found one that is", start + _ATTRIBUTES_AT
        )
    stated, computed = stated_crc(content, start), computed_crc(content, start, end)
    if stated != computed:
        path = record_path(len(found.records))
        found.errors.append(ProtocolError(f"expected the CRC {computed}, found {stated}", start + CRC_AT[magic], path))
    if magic == 1:
        offset, _, _, _, _, timestamp = MAGIC_1.unpack_from(content, start)
        timestamp = timestamp if append_time is None else append_time
        position = start + MAGIC_1.size
    else:
        offset, _, _, _, _ = MAGIC_0.unpack_from(content, start)
        timestamp = -1
        position = start + MAGIC_0.size
    _add_message(found, offset, timestamp, *read_key_and_value(content, position, end))


def _add_message(found: RawRecords, offset: int, timestamp: int, key: bytes | None, value: bytes | None) -> None:
    texts = [None if raw is None else raw.decode("latin-1") for raw in (key, value)]
    found.records.append({"offset": offset, "timestamp": timestamp, "key": texts[0], "value": texts[1], "headers": ()})
    found.texts.extend(text for text in texts if text is not None)


def _read_bytes(data: bytes | bytearray, position: int, end: int, name: str) -> tuple[bytes | None, int]:
    if end - position < _LENGTH.size:
        raise ProtocolError(f"expected the length of the {name}, found {end - position} bytes left", position)
    length = _LENGTH.unpack_from(data, position)[0]
    position += _LENGTH.size
    if length < 0:
        return None, position
    if length > end - position:
        raise ProtocolError(f"expected a {name} of {length} bytes, found {end - position} left", position)
    return bytes(data[position : position + length]), position + length
