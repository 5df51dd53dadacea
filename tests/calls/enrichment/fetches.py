"""Fetch requests and answers, packed field by field."""

import struct

from kafkasniff.protocol.headers import read_request_header
from tests.calls.hand_made import text

Topics = dict[str, list[int]]


def request(epoch: int, topics: Topics, forgotten: Topics | None = None, session: int = 7) -> tuple[int, bytes, int]:
    """Fetch v7: the version, the bytes, and where the body begins in them."""
    data = struct.pack(">hhi", 1, 7, 5) + text("shop")
    data += struct.pack(">iiiibii", -1, 500, 1, 1000, 0, session, epoch)
    data += struct.pack(">i", len(topics))
    for name, partitions in topics.items():
        data += text(name) + struct.pack(">i", len(partitions))
        data += b"".join(struct.pack(">iqqi", partition, 0, -1, 1000) for partition in partitions)
    data += struct.pack(">i", len(forgotten or {}))
    for name, partitions in (forgotten or {}).items():
        data += text(name) + struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    return 7, data, read_request_header(data).end


def answer(session: int = 7, error_code: int = 0) -> bytes:
    return struct.pack(">iihii", 5, 0, error_code, session, 0)
