"""The one exception of filters."""

from typing import Any

_SHOWN = 34
"""Characters of an expression that are shown on either side of what is wrong with it."""


class FilterError(ValueError):
    """An expression that is none, with its place where it is known."""

    def __init__(self, message: str, culprit: str = "", part: slice = slice(0, None)) -> None:
        """Say what is wrong with `part` of the word `culprit`, which is a token where it comes from an expression."""
        super().__init__(message)
        self.message = message
        self.culprit: Any = culprit
        self.part = part

    def located(self, expression: str) -> "FilterError":
        """Give the same with the place in the expression that the culprit is from, as lines below."""
        start = getattr(self.culprit, "start_pos", None)
        if start is None:
            return self
        begin = start + self.part.start
        end = self.culprit.end_pos if self.part.stop is None else start + self.part.stop
        first = max(begin - _SHOWN, 0)
        text = "".join(each if each.isprintable() else " " for each in expression[first : begin + _SHOWN])
        marks = "^" * max(min(end, first + len(text)) - begin, 1)
        dots = "…" if first else ""
        return FilterError(f"{self.message}\n  {dots}{text}\n  {' ' * (begin - first + len(dots))}{marks}")
