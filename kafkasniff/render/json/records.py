# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, binding=False
"""The records of batches of magic 2 as JSON, straight from their bytes."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.protocol.bodies.text_buffer import TextBuffer

if not cython.compiled:
    from kafkasniff.protocol.bodies.uncompiled_text import kafkasniff_add, kafkasniff_number

_FAR = cython.declare(cython.longlong, 1 << 62)
"""From here on, a sum with what records say could leave 64 bits."""
_LONGEST_VARINT = cython.declare(cython.int, 63)
"""Bits of the varints that are read here, of at most 9 bytes."""
_LARGEST_INT32 = cython.declare(cython.longlong, 0xFFFFFFFF)
_LARGEST = cython.declare(cython.longlong, (1 << 63) - 1)
_OFFSET = cython.declare(bytes, b'{"offset":')
_TIMESTAMP = cython.declare(bytes, b',"timestamp":')
_LONGEST_START = cython.declare(cython.Py_ssize_t, len(_OFFSET) + len(_TIMESTAMP) + 64)
"""Bytes that both take at most with the numbers behind them."""
_SCHEMA_HEADER_BYTES = cython.declare(cython.int, 5)
"""Confluent's wire format: a zero byte and the schema's id, int32."""


@cython.cclass
class RecordsWriter:
    """Writes records in the form that `read_records` gives them, where nothing is unusual about them."""

    def __init__(self, out: TextBuffer) -> None:
        """Write into `out`."""
        self.out = out
        self.content = self.view = b""
        self.p = self.end = 0
        self.most = 0
        self.is_unusual = False

    def write(
        self,
        content: bytes,
        count: cython.longlong,
        base_offset: cython.longlong,
        base_timestamp: cython.longlong,
        is_appended: cython.bint,
        max_timestamp: cython.longlong,
        most: cython.longlong,
    ) -> cython.bint:
        """Write an array of the `count` records in `content`, all at `max_timestamp` if brokers stamp them.

        Gives False where one has a problem or anything that is rare, or where records, keys, values and headers are
        more than `most`; what was written by then is to be cut off.
        """
        i: cython.longlong
        if content is None or count < 0 or count > most // 3:
            return False
        if not (-_FAR < base_offset < _FAR and -_FAR < base_timestamp < _FAR):
            return False
        # `view` is where `content` lies in memory: what it gives was compared with `end` before.
        self.content = content
        self.view = content
        self.p = 0
        self.end = len(content)
        self.is_unusual = False
        self.most = most - 3 * count
        self.out.byte(0x5B)
        for i in range(count):
            if i:
                self.out.byte(0x2C)
            if not self.write_record(base_offset, base_timestamp, is_appended, max_timestamp):
                return False
        self.out.byte(0x5D)
        return self.p == self.end

    def write_record(
        self,
        base_offset: cython.longlong,
        base_timestamp: cython.longlong,
        is_appended: cython.bint,
        max_timestamp: cython.longlong,
    ) -> cython.bint:
        """Write the record at `p`."""
        out: TextBuffer = self.out
        size: cython.longlong = self.number(_LARGEST_INT32)
        if size < 1 or size > self.end - self.p:
            return False
        behind: cython.Py_ssize_t = self.p + size
        # The attributes, a byte of which no bit is in use.
        self.p += 1
        timestamp: cython.longlong = base_timestamp + self.number(_LARGEST)
        offset: cython.longlong = base_offset + self.number(_LARGEST_INT32)
        place = to = out.reserve(_LONGEST_START)
        to = kafkasniff_add(to, _OFFSET)
        to = kafkasniff_number(to, offset)
        to = kafkasniff_add(to, _TIMESTAMP)
        to = kafkasniff_number(to, max_timestamp if is_appended else timestamp)
        if not cython.compiled:
            out.add(to)
        else:
            out.size += to - place
        key_at: cython.Py_ssize_t = self.p
        self.write_bytes(b',"key":', b',"keyBase64":')
        value_at: cython.Py_ssize_t = self.p
        self.write_bytes(b',"value":', b',"valueBase64":')
        value_end: cython.Py_ssize_t = self.p
        self.write_headers()
        if self.is_unusual or self.p != behind:
            return False
        number: cython.longlong = self.schema_id(key_at, value_at)
        if number:
            out.add(b',"keySchemaId":')
            out.number(number)
        number = self.schema_id(value_at, value_end)
        if number:
            out.add(b',"schemaId":')
            out.number(number)
        out.byte(0x7D)
        return True

    def write_headers(self) -> cython.int:
        """Write the headers of a record."""
        out: TextBuffer = self.out
        i: cython.longlong
        size: cython.longlong
        count: cython.longlong = self.number(_LARGEST_INT32)
        self.most -= 2 * count
        if count < 0 or self.most < 0:
            self.is_unusual = True
        if not count:
            return out.add(b',"headers":[]')
        out.add(b',"headers":[')
        for i in range(count):
            size = self.number(_LARGEST_INT32)
            if self.is_unusual or size < 0 or size > self.end - self.p:
                self.is_unusual = True
                return 0
            if i:
                out.byte(0x2C)
            out.add(b'{"key":')
            try:
                out.json_string(self.content, self.p, size)
            except UnicodeDecodeError:
                self.is_unusual = True
                return 0
            self.p += size
            self.write_bytes(b',"value":', b',"valueBase64":')
            out.byte(0x7D)
        return out.byte(0x5D)

    def write_bytes(self, text_key: bytes, base64_key: bytes) -> cython.int:
        """Write a key or value as text, or as base64 what a terminal should not show or is no text."""
        out: TextBuffer = self.out
        start: cython.Py_ssize_t = out.size
        length: cython.longlong = self.number(_LARGEST_INT32)
        out.add(text_key)
        if length < 0:
            return out.add(b"null")
        if self.is_unusual or length > self.end - self.p:
            self.is_unusual = True
            return 0
        if not out.shown_string(self.content, self.p, length):
            out.cut(start)
            out.add(base64_key)
            out.base64(self.content, self.p, length, False)
        self.p += length
        return 0

    def schema_id(self, at: cython.Py_ssize_t, behind: cython.Py_ssize_t) -> cython.longlong:
        """Give the schema id of a key or value, its length before it, in Confluent's wire format; 0 for any other."""
        while at < behind and self.view[at] >= 0x80:
            at += 1
        at += 1
        if behind - at <= _SCHEMA_HEADER_BYTES or self.view[at] or self.view[at + 1]:
            return 0
        return self.view[at + 2] << 16 | self.view[at + 3] << 8 | self.view[at + 4]

    def number(self, largest: cython.longlong) -> cython.longlong:
        """Read a zigzag varint; note as unusual one that is cut, or larger before it is decoded."""
        value: cython.longlong = 0
        byte: cython.longlong
        shift: cython.int = 0
        if self.p < self.end and self.view[self.p] < 0x80:
            value = self.view[self.p]
            self.p += 1
            return value >> 1 ^ -(value & 1)
        while self.p < self.end and shift < _LONGEST_VARINT:
            byte = self.view[self.p]
            self.p += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value > largest:
                    break
                return value >> 1 ^ -(value & 1)
            shift += 7
        self.is_unusual = True
        return 0
