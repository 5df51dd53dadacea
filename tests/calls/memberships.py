"""What members of groups send, packed field by field."""

import struct

from tests.render.made_calls import request_bytes, text

SUBSCRIPTION = struct.pack(">hi", 0, 1) + text("orders") + struct.pack(">i", -1)
"""ConsumerProtocolSubscription v0."""

ASSIGNMENT = struct.pack(">hi", 0, 1) + text("orders") + struct.pack(">iii", 1, 3, -1)
"""ConsumerProtocolAssignment v0."""


def sized(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def join_group(metadata: bytes) -> bytes:
    """JoinGroup v0 of a consumer."""
    body = text("billing") + struct.pack(">i", 10_000) + text("") + text("consumer")
    return request_bytes(11, 0, 1, "shop", body + struct.pack(">i", 1) + text("range") + sized(metadata))
