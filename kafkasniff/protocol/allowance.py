"""How much may be made of what few bytes of the wire can make large."""

from typing import Final

MEMORY_OF_VALUE: Final = 64
"""Bytes that a small value counts as: about what Python takes for it."""


class Allowance:
    """A fixed number of bytes, and for each byte captured so many more."""

    __slots__ = ("_ratio", "left")

    def __init__(self, fixed: int, ratio: int) -> None:
        """Allow `fixed` bytes, and `ratio` for each byte that is captured."""
        self._ratio = ratio
        self.left = fixed
        """Bytes that may still be spent; below zero where the last that was begun took more."""

    def earn(self, captured: int) -> None:
        """Count `captured` bytes of the wire."""
        self.left += self._ratio * captured

    def spend(self, count: int) -> None:
        """Count what was made of them."""
        self.left -= count
