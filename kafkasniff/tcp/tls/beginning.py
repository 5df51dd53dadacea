"""Tells by its first bytes whether a stream is TLS."""

from typing import Final

LARGEST_FRAGMENT: Final = (16 << 10) + 2048
"""Bytes; what RFC 5246 (6.2.3) allows a protected fragment, the most of all versions."""

_BEGINNING = b"\x16\x03"


def begins_tls(data: bytes) -> bool:
    """Tell whether a stream's first bytes can be those of a record with a ClientHello or ServerHello.

    They are never those of a Kafka message, whose size would be above 350 MB.
    """
    if len(data) < 6:
        return len(data) > 0 and data.startswith(_BEGINNING[: len(data)])
    return (
        data.startswith(_BEGINNING)
        and data[2] <= 4
        and data[5] in (1, 2)
        and int.from_bytes(data[3:5], "big") <= LARGEST_FRAGMENT
    )
