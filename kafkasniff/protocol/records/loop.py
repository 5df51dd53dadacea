"""Read the records of a batch of magic 2 one by one."""

from typing import Any, Final

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import in_64_bits
from kafkasniff.protocol.records.raw import RawRecords, record_path
from kafkasniff.protocol.records.varints import read_varint

_FAR: Final = 1 << 62
"""From here on, a sum with an int32 could leave 64 bits."""


def read_one_by_one(
    content: bytes | bytearray, count: int, base_offset: int, base_timestamp: int, most: int
) -> RawRecords:
    """Read `count` records, and stop after `most` records, or about as many headers."""
    records: list[dict[str, Any]] = []
    texts: list[str] = []
    text = content.decode("latin-1")
    position = start = 0
    key: str | None
    value: str | None
    errors = []
    try:
        # Varints of one and two bytes are written out: nearly all are, and a call takes longer than reading one.
        for _ in range(min(count, most)):
            start = position
            number = content[position]
            if number > 127:
                second = content[position + 1]
                if second > 127:
                    number, position = read_varint(content, position, 32)
                else:
                    number = number & 127 | second << 7
                    number = number >> 1 ^ -(number & 1)
                    position += 2
            else:
                number = number >> 1 ^ -(number & 1)
                position += 1
            end = position + number

            # The attributes, a byte of which no bit is in use.
            position += 1

            number = content[position]
            if number > 127:
                second = content[position + 1]
                if second > 127:
                    number, position = read_varint(content, position, 64)
                    number = in_64_bits(base_timestamp + number) - base_timestamp
                else:
                    number = number & 127 | second << 7
                    number = number >> 1 ^ -(number & 1)
                    position += 2
            else:
                number = number >> 1 ^ -(number & 1)
                position += 1
            timestamp = base_timestamp + number

            number = content[position]
            if number > 127:
                second = content[position + 1]
                if second > 127:
                    number, position = read_varint(content, position, 32)
                else:
                    number = number & 127 | second << 7
                    number = number >> 1 ^ -(number & 1)
                    position += 2
            else:
                number = number >> 1 ^ -(number & 1)
                position += 1
            offset = base_offset + number

            number = content[position]
            if number > 127:
                number, position = read_varint(content, position, 32)
            else:
                number = number >> 1 ^ -(number & 1)
                position += 1
            if number < 0:
                key = None
            else:
                key = text[position : position + number]
                texts.append(key)
                position += number

            number = content[position]
            if number > 127:
                second = content[position + 1]
                if second > 127:
                    number, position = read_varint(content, position, 32)
                else:
                    number = number & 127 | second << 7
                    number = number >> 1 ^ -(number & 1)
                    position += 2
            else:
                number = number >> 1 ^ -(number & 1)
                position += 1
            if number < 0:
                value = None
            else:
                value = text[position : position + number]
                texts.append(value)
                position += number

            if content[position]:
                headers, position = read_headers(content, position, text, texts, most)
            else:
                headers = ()
                position += 1
            if position != end:
                found = f"found {position - start}"
                raise ProtocolError(f"expected a record of {end - start} bytes, {found}", start)
            records.append({"offset": offset, "timestamp": timestamp, "key": key, "value": value, "headers": headers})
        if count > most:
            raise ProtocolError(f"{most} of {count} records are shown, all would take too much memory", position)
        if position < len(content):
            raise ProtocolError(f"expected {count} records, found {len(content) - position} more bytes", position)
    except IndexError:
        errors.append(ProtocolError(f"expected {count} records, found the end", start, record_path(len(records))))
    except ProtocolError as error:
        error.path = record_path(len(records))
        errors.append(error.with_traceback(None))
    if max(abs(base_offset), abs(base_timestamp)) >= _FAR:
        for record in records:
            record["offset"], record["timestamp"] = in_64_bits(record["offset"]), in_64_bits(record["timestamp"])
    return RawRecords(records, texts, errors)


def read_headers(
    content: bytes | bytearray, position: int, text: str, texts: list[str], most: int
) -> tuple[tuple[dict[str, str | None], ...], int]:
    """Read the headers of a record, from their count on; give them and the position behind them.

    Raises ProtocolError, and IndexError when the content ends.
    """
    start = position
    count = content[position]
    if count & 0x81:
        count, position = read_varint(content, position, 32)
    else:
        count >>= 1
        position += 1
    if count < 0:
        raise ProtocolError(f"expected the number of headers, found {count}", start)
    if count > most - len(texts):
        raise ProtocolError(f"expected headers that take less memory, found {count}", start)
    headers = []
    for _ in range(count):
        size = content[position]
        if size & 0x81:
            start = position
            size, position = read_varint(content, position, 32)
            if size < 0:
                raise ProtocolError(f"expected the key of a header, found a length of {size}", start)
        else:
            size >>= 1
            position += 1
        key = text[position : position + size]
        texts.append(key)
        position += size
        size = content[position]
        if size & 0x81:
            size, position = read_varint(content, position, 32)
        else:
            size >>= 1
            position += 1
        if size < 0:
            headers.append({"key": key, "value": None})
            continue
        value = text[position : position + size]
        texts.append(value)
        position += size
        headers.append({"key": key, "value": value})
    return tuple(headers), position
