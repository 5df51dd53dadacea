"""The checksums of record batches."""

import zlib

from kafkasniff.protocol.records.layout import CRC_AT, MAGIC_AT


def stated_crc(data: bytes | bytearray, start: int) -> int:
    """Give the checksum that the batch at `start` states, unsigned."""
    at = start + CRC_AT[data[start + MAGIC_AT]]
    return int.from_bytes(data[at : at + 4], "big")


def computed_crc(data: bytes | bytearray, start: int, end: int) -> int:
    """Compute the checksum of the batch in `data[start:end]`, unsigned.

    Magic 2 has CRC-32C from the attributes on (KIP-98), the older messages CRC-32 from the magic byte on.
    """
    magic = data[start + MAGIC_AT]
    covered = memoryview(data)[start + CRC_AT[magic] + 4 : end]
    if magic < 2:
        return zlib.crc32(covered)
    # Only when needed: importing it takes 50 ms, since it asks for its own version.
    from crc32c import crc32c

    return crc32c(covered)
