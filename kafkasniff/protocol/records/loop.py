# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""Reads the records of a batch of magic 2 one by one."""

from typing import Any

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import in_64_bits
from kafkasniff.protocol.records.raw import RawRecords, record_path


def read_one_by_one(
    content: bytes | bytearray, count: int, base_offset: int, base_timestamp: int, most: int
) -> RawRecords:
    """Read `count` records, and stop after `most` records, or about as many headers."""
    records: list[dict[str, Any]] = []
    errors = []
    start = 0
    reader: RecordReader = RecordReader(bytes(content), most)
    try:
        for _ in range(min(count, most)):
            start = reader.p
            records.append(reader.record(base_offset, base_timestamp))
        if count > most:
            raise ProtocolError(f"{most} of {count} records are shown, all would take too much memory", reader.p)
        if reader.p < len(content):
            raise ProtocolError(f"expected {count} records, found {len(content) - reader.p} more bytes", reader.p)
    except IndexError:
        errors.append(ProtocolError(f"expected {count} records, found the end", start, record_path(len(records))))
    except ProtocolError as error:
        error.path = record_path(len(records))
        errors.append(error.with_traceback(None))
    return RawRecords(records, reader.texts, errors)


@cython.cclass
class RecordReader:
    """Reads records, and their parts, from `p` on; raises ProtocolError, and IndexError when the content ends."""

    def __init__(self, content: bytes, most: cython.longlong) -> None:
        """Begin with the content, in which keys, values and headers are to be at most `most`."""
        self.view = self.content = content
        self.end = len(content)
        self.p = 0
        self.most = most
        self.text = content.decode("latin-1")
        self.texts: list[str] = []

    def record(self, base_offset: object, base_timestamp: object) -> dict[str, Any]:
        """Read a record."""
        start: cython.Py_ssize_t = self.p
        size: cython.longlong = self.varint(32)
        end: cython.Py_ssize_t = self.p + size
        # The attributes, a byte of which no bit is in use.
        self.p += 1
        timestamp = in_64_bits(base_timestamp + self.varint(64))
        offset = in_64_bits(base_offset + self.varint(32))
        key, value = self.string(), self.string()
        headers = self.headers()
        if self.p != end:
            raise ProtocolError(f"expected a record of {end - start} bytes, found {self.p - start}", start)
        return {"offset": offset, "timestamp": timestamp, "key": key, "value": value, "headers": headers}

    def headers(self) -> tuple[dict[str, str | None], ...]:
        """Read the headers of a record, from their count on."""
        _: cython.longlong
        start: cython.Py_ssize_t = self.p
        count: cython.longlong = self.varint(32)
        if count < 0:
            raise ProtocolError(f"expected the number of headers, found {count}", start)
        if count > self.most - len(self.texts):
            raise ProtocolError(f"expected headers that take less memory, found {count}", start)
        if not count:
            return ()
        headers = []
        for _ in range(count):
            start = self.p
            size: cython.longlong = self.varint(32)
            if size < 0:
                raise ProtocolError(f"expected the key of a header, found a length of {size}", start)
            headers.append({"key": self.take(size), "value": self.string()})
        return tuple(headers)

    def string(self) -> str | None:
        """Read a key or a value, which may be null."""
        size: cython.longlong = self.varint(32)
        return None if size < 0 else self.take(size)

    def take(self, size: cython.longlong) -> str:
        """Take bytes as text, or those of them that are there: what comes next is then not there."""
        text: str = self.text[self.p : self.p + size]
        self.texts.append(text)
        self.p += size
        return text

    def varint(self, bits: cython.int) -> cython.longlong:
        """Read a zigzag varint of 32 or 64 bits, which may be as long as Kafka's ByteUtils takes."""
        value: cython.ulonglong = 0
        byte: cython.ulonglong
        shift: cython.int = 0
        start: cython.Py_ssize_t = self.p
        while shift < bits:
            if self.p >= self.end:
                raise IndexError("bytes behind the end")
            byte = self.view[self.p]
            self.p += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                # High bits of the last byte fall off, as they do in Java.
                if bits == 32:
                    value &= 0xFFFFFFFF
                elif not cython.compiled:
                    value &= (1 << 64) - 1
                return cython.cast(cython.longlong, value >> 1 ^ -(value & 1))
            shift += 7
        raise ProtocolError(f"expected a varint of at most {self.p - start} bytes, found a longer one", start)
