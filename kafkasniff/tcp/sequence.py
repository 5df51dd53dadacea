# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Sequence numbers, which wrap at 2**32 (RFC 9293, 3.4)."""

MASK = 0xFFFFFFFF


def distance(sequence: int, base: int) -> int:
    """Give how far `sequence` lies after `base` (negative: before)."""
    return ((sequence - base + 0x80000000) & 0xFFFFFFFF) - 0x80000000
