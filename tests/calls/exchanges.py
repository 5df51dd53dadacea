"""Requests with their answers, as bytes."""

from tests.conformance.composed_captures import Exchange

METADATA: Exchange = (
    bytes.fromhex("0003000100000006000673686f702d3100000000"),
    bytes.fromhex("00000006000000000000000000000000"),
)
"""Metadata v1 for no topic, answered with no broker."""
