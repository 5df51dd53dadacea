# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Sequence numbers, which wrap at 2**32 (RFC 9293, 3.4)."""

MASK = 0xFFFFFFFF

FARTHEST = 64 << 20
"""A segment or acknowledgement farther than this from the next byte needs others to confirm it."""

LARGEST_LEAP = 1 << 30
"""The largest window (RFC 7323): a confirmed leap up to this is a gap of known length."""

HALF = 1 << 31
"""The distance from which on a number lies rather before another than after it."""

NEVER = -1 << 62
"""The position of what is not known; all others lie far from it."""


def distance(sequence: int, base: int) -> int:
    """Give how far `sequence` lies after `base` (negative: before)."""
    return ((sequence - base + HALF) & MASK) - HALF
