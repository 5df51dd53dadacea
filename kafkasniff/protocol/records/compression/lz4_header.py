"""The checksum in the header of an LZ4 frame, which clients before 0.10 computed over the wrong bytes (KAFKA-3160)."""

from struct import iter_unpack
from typing import Final

_DESCRIPTOR_AT: Final = 4
_HAS_CONTENT_SIZE: Final = 0x08
_HAS_DICTIONARY_ID: Final = 0x01

# The primes of xxHash-32.
_PRIME_1: Final = 0x9E3779B1
_PRIME_2: Final = 0x85EBCA77
_PRIME_3: Final = 0xC2B2AE3D
_PRIME_4: Final = 0x27D4EB2F
_PRIME_5: Final = 0x165667B1
_MASK: Final = 0xFFFFFFFF


def with_right_checksum(frame: bytes) -> bytes:
    """Give an LZ4 frame with the checksum of its header as the format has it; a frame cut in its header as it is."""
    if len(frame) <= _DESCRIPTOR_AT:
        return frame
    flags = frame[_DESCRIPTOR_AT]
    # Flags, block descriptor, and what the flags say is there.
    at = _DESCRIPTOR_AT + 2 + (8 if flags & _HAS_CONTENT_SIZE else 0) + (4 if flags & _HAS_DICTIONARY_ID else 0)
    if len(frame) <= at:
        return frame
    checksum = xxhash32(frame[_DESCRIPTOR_AT:at]) >> 8 & 0xFF
    return b"%b%c%b" % (frame[:at], checksum, frame[at + 1 :])


def xxhash32(data: bytes) -> int:
    """Compute the xxHash-32, with seed 0, of fewer than 16 bytes: longer data takes another way, not needed here."""
    value = _PRIME_5 + len(data)
    whole = len(data) & ~3
    for (word,) in iter_unpack("<I", data[:whole]):
        value = _rotate(value + word * _PRIME_3, 17) * _PRIME_4
    for byte in data[whole:]:
        value = _rotate(value + byte * _PRIME_5, 11) * _PRIME_1
    value &= _MASK
    value = (value ^ value >> 15) * _PRIME_2 & _MASK
    value = (value ^ value >> 13) * _PRIME_3 & _MASK
    return value ^ value >> 16


def _rotate(value: int, bits: int) -> int:
    value &= _MASK
    return (value << bits | value >> 32 - bits) & _MASK
