"""The text of a Python function while it is written."""

from collections.abc import Iterator
from contextlib import contextmanager


class SourceLines:
    """Lines at the indentation of the block they stand in, and names that are used once."""

    def __init__(self, depth: int) -> None:
        """Begin at an indentation of `depth` blocks."""
        self.lines: list[str] = []
        self._depth = depth
        self._names = 0

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Add `head`, and what is added inside below it."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    def name(self, prefix: str) -> str:
        """Give a name that was not given before."""
        self._names += 1
        return f"{prefix}{self._names}"
