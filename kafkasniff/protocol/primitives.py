"""Primitive values of the wire that take more than a struct: varints, uuids, text, floats as Kafka's JSON has them."""

import codecs
import math
from binascii import b2a_base64
from typing import Final, NamedTuple

from kafkasniff.protocol.errors import ProtocolError

MAX_STRING_BYTES: Final = 0x7FFF
"""Longest string that Kafka's reader takes, also where the length is a varint (MessageDataGenerator)."""

MAX_ELEMENTS: Final = 1_000_000
"""Most array elements of one message, integers not counted: a limit on time and memory, since two bytes of the wire can
become a whole dict."""

PARTIAL_SHARE: Final = 10
"""Which part of the elements that a message may have is shown of a damaged one, which is read twice."""
MAX_PARTIAL_ELEMENTS: Final = MAX_ELEMENTS // PARTIAL_SHARE
"""Most array elements shown of a message that does not decode whole."""


class RecordsField(NamedTuple):
    """Where the bytes of a `records` field lie."""

    path: str
    start: int
    """Offset in the decoded data of the first byte."""
    end: int


def read_unsigned_varint(data: bytes, offset: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 5 bytes; give it as Java's int would hold it, and the offset after it.

    Raises ProtocolError when it is longer, IndexError when the data ends inside it.
    """
    value = 0
    for shift in range(0, 35, 7):
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            # Kafka's ByteUtils shifts the fifth byte into an int, where the high bits fall off.
            value &= 0xFFFFFFFF
            return (value - 0x1_0000_0000 if value & 0x8000_0000 else value), offset
    raise ProtocolError("expected a varint of at most 5 bytes, found a longer one", offset - 5)


def skip_tagged_field(data: bytes, offset: int, tag: int, size: int, gone: tuple[int, ...] = ()) -> int:
    """Skip the value of a tagged field (KIP-482) that is not known; give the offset after it.

    Raises ProtocolError when the size is impossible, or the tag is one of `gone`: tags of other versions, which Kafka's
    reader refuses.
    """
    if tag in gone:
        raise ProtocolError(f"expected no tag {tag} in this version, found it", offset)
    if not 0 <= size <= len(data) - offset:
        raise ProtocolError(f"expected tag {tag} of {size} bytes, found {len(data) - offset} bytes left", offset)
    return offset + size


class _UuidTexts(dict[bytes, str]):
    """Texts of uuids seen, since the same few topic ids come again and again; bounded."""

    def __missing__(self, raw: bytes) -> str:
        if len(raw) != 16:
            raise IndexError
        if len(self) >= 16384:
            self.clear()
        text = self[raw] = b2a_base64(raw, newline=False).translate(_URL_SAFE)[:22].decode("ascii")
        return text


_URL_SAFE = bytes.maketrans(b"+/", b"-_")

UUID_TEXTS: Final = _UuidTexts()
"""Text of a uuid's 16 bytes: base64url without padding. Fewer bytes raise IndexError."""


def in_64_bits(number: int) -> int:
    """Give what is left of a sum in 64 bits, in which Kafka adds."""
    return (number + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def base64_text(raw: bytes) -> str:
    """Give bytes as Kafka's JSON has them: base64 with padding."""
    return b2a_base64(raw, newline=False).decode("ascii")


def json_float(value: float) -> float | str:
    """Give a float as Kafka's JSON has it: a number, or text when it is not finite."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _replace_like_java(error: UnicodeError) -> tuple[str, int]:
    """Replace malformed UTF-8 as Java's String does: like Python, but one U+FFFD for a surrogate's three bytes."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    surrogate = error.object[error.start : error.start + 3]
    if len(surrogate) == 3 and surrogate[0] == 0xED and surrogate[1] >= 0xA0 and 0x80 <= surrogate[2] <= 0xBF:
        return "\ufffd", error.start + 3
    return "\ufffd", error.end


codecs.register_error("kafkasniff.java", _replace_like_java)


def java_text(raw: bytes) -> str:
    """Decode UTF-8 as Java's `new String(bytes, UTF_8)` does: malformed parts become U+FFFD."""
    return raw.decode("utf-8", "kafkasniff.java")
