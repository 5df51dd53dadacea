"""Signed varints, as the records of magic 2 have them."""

from kafkasniff.protocol.errors import ProtocolError


def read_varint(content: bytes | bytearray, position: int, bits: int) -> tuple[int, int]:
    """Read a zigzag varint of 32 or 64 bits; give it and the position behind it.

    Raises ProtocolError when it is longer than Kafka's ByteUtils takes, IndexError when the content ends inside it.
    """
    start = position
    value = shift = 0
    while shift < bits:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            # High bits of the last byte fall off, as they do in Java.
            value &= (1 << bits) - 1
            return value >> 1 ^ -(value & 1), position
        shift += 7
    raise ProtocolError(f"expected a varint of at most {position - start} bytes, found a longer one", start)
