"""Where the fields of a batch's header lie, and how long the batch is."""

from struct import Struct
from typing import Final

from kafkasniff.protocol.errors import ProtocolError

OFFSET_AND_SIZE: Final = Struct(">qi")
"""What all formats begin with. The size counts the bytes behind it."""

MAGIC_AT: Final = 16
"""Position of the magic byte in all formats."""

MAGIC_0: Final = Struct(">qiIbb")
"""Offset, size, CRC, magic, attributes; key and value follow."""

MAGIC_1: Final = Struct(">qiIbbq")
"""As magic 0, then the timestamp."""

MAGIC_2: Final = Struct(">qiibIhiqqqhii")
"""Base offset, size, partition leader epoch, magic, CRC, attributes, last offset delta, base timestamp, max timestamp,
producer id, producer epoch, base sequence, record count; the records follow."""

CRC_AT: Final = (12, 12, 17)
"""Position of the CRC by magic."""

COMPRESSION: Final = 0x07
"""Bits of the attributes: the codec. Of magic 0 and 1 they are one byte, of magic 2 the second of two (RecordBatch)."""
LOG_APPEND_TIME: Final = 0x08
"""From magic 1 on: timestamps are the broker's."""
TRANSACTIONAL: Final = 0x10
"""Of magic 2, as those that follow (DefaultRecordBatch)."""
CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40

HEADER_BYTES: Final = (MAGIC_0.size, MAGIC_1.size, MAGIC_2.size)
"""Bytes of the header by magic."""

# Key and value of a message have an int32 length each.
_LEAST_BYTES = (MAGIC_0.size + 8, MAGIC_1.size + 8, MAGIC_2.size)


def batch_size(data: bytes | bytearray, start: int, end: int) -> int | None:
    """Give the size in bytes of the batch at `start`, which may be more than there are up to `end`.

    None when even its magic byte is not there. Raises ProtocolError when no batch can begin so; the checks and their
    order are those of Kafka's ByteBufferLogInputStream.
    """
    if end - start < OFFSET_AND_SIZE.size:
        return None
    counted = OFFSET_AND_SIZE.unpack_from(data, start)[1]
    size: int = counted + OFFSET_AND_SIZE.size
    if size < _LEAST_BYTES[0]:
        raise ProtocolError(
            f"expected a batch of at least {_LEAST_BYTES[0]} bytes, found a size of {counted}", start + 8
        )
    if end - start <= MAGIC_AT:
        return None
    magic = data[start + MAGIC_AT]
    if magic > 2:
        raise ProtocolError(f"expected a batch of magic 0, 1 or 2, found {magic}", start + MAGIC_AT)
    if size < _LEAST_BYTES[magic]:
        least = f"expected a batch of magic {magic}, of at least {_LEAST_BYTES[magic]} bytes"
        raise ProtocolError(f"{least}, found a size of {counted}", start + 8)
    return size
