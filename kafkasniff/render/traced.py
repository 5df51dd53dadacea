"""Values that note what is done with them while a text is made, so that the text is known for other values too.

A gist is made once of a call whose numbers and strings are traced. A value that was only put into the text leaves a
mark there: in the gist of a call with another value, another text stands at that place. One of which something was
asked, other than what a `test` can answer, is fixed: the gist is known for calls with the same value only. Nothing else
can be done with a traced value: an operation that is not here raises TypeError or AttributeError.
"""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

_MARK = re.compile("\ue000([0-9]+)\ue001")
"""Characters for private use, which `escape` replaces where they come from the wire."""


class UntraceableError(Exception):
    """A message or a text of which nothing can be said for other values."""


class Place(NamedTuple):
    """Where a value stands in a message."""

    side: str
    """`request` or `response`."""
    offset: int
    """In the frame's content."""
    length: int
    code: str
    """Struct code of a number; empty for a string."""


class Mark(NamedTuple):
    """A place in the text, and what stands there."""

    value: "Traced"
    function: Callable[..., str] | None
    """Gives the text of the value; None: the number in decimal digits."""
    more: tuple[Any, ...]
    """The function's further arguments."""


class Trace:
    """What was done with the values of one call."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.marks: list[Mark] = []

    def mark(self, value: "Traced", function: Callable[..., str] | None, more: tuple[Any, ...]) -> str:
        """Give the mark that stands for a value's text."""
        self.marks.append(Mark(value, function, more))
        return f"\ue000{len(self.marks) - 1}\ue001"

    def template(self, text: str) -> tuple[str, list[Mark]]:
        """Give a traced text as a template for `%`, and the marks of its conversions. Raises UntraceableError."""
        words, marks = self.parts(text)
        template = words[0].replace("%", "%%")
        for mark, behind in zip(marks, words[1:], strict=True):
            template += ("%d" if mark.function is None else "%s") + behind.replace("%", "%%")
        return template, marks

    def parts(self, text: str) -> tuple[list[str], list[Mark]]:
        """Give what stands before, between and behind the marks in a traced text, and these. Raises UntraceableError.

        Values that are fixed have none.
        """
        parts = _MARK.split(text)
        words, marks = [parts[0]], []
        for number, behind in zip(parts[1::2], parts[2::2], strict=True):
            mark = self.marks[int(number)]
            if mark.value.fixed:
                if CLIENT_ID in mark.more:
                    raise UntraceableError
                value = mark.value.value
                words[-1] += (str(value) if mark.function is None else mark.function(value, *mark.more)) + behind
            else:
                marks.append(mark)
                words.append(behind)
        return words, marks


CLIENT_ID: Final = object()
"""Stands for the call's client id."""


class Traced:
    """A value of a message."""

    value: Any

    def __init__(self, trace: Trace, place: Any) -> None:
        """Trace the value at a place, which is a `Place` or whatever else tells where."""
        self.place = place
        self.fixed = False
        self.tests: list[tuple[str, int]] = []
        """What was asked of it: operators of Python, and the numbers behind them."""
        self._trace = trace

    @property
    def used(self) -> bool:
        """Tell whether the text depends on it otherwise than as fixed."""
        return bool(self.tests) or any(mark.value is self for mark in self._trace.marks)

    def text(self, function: Callable[..., str] | None, *more: Any) -> str:
        """Give the mark of what `function` makes of the value; that function must have no other input."""
        return self._trace.mark(self, function, more)

    def fix(self) -> Any:
        """Give the value; what becomes of it is known for this value only."""
        self.fixed = True
        return self.value

    def __eq__(self, other: object) -> bool:
        """Compare; the value is fixed, since what is compared for equality is mostly one of a few."""
        return bool(self.fix() == (other.fix() if isinstance(other, Traced) else other))

    def __hash__(self) -> int:
        """Look up; the value is fixed."""
        return hash(self.fix())


class TracedNumber(Traced):
    """A number of a message."""

    value: int

    def __init__(self, trace: Trace, place: Any, value: int) -> None:
        """Trace the number at a place."""
        super().__init__(trace, place)
        self.value = value

    def __str__(self) -> str:
        """Give the mark of the decimal digits."""
        return self.text(None)

    def __format__(self, spec: str) -> str:
        """Give the mark of the decimal digits; in any other form the value is fixed."""
        return format(self.fix(), spec) if spec else self.text(None)

    def _test(self, operator: str, other: int, result: bool) -> bool:
        if not self.fixed and (operator, other) not in self.tests:
            self.tests.append((operator, other))
        return result

    def __bool__(self) -> bool:
        """Test for zero."""
        return self._test("!=", 0, self.value != 0)

    def __lt__(self, other: int) -> bool:
        """Test against a number that is not traced."""
        return self._test("<", int(other), self.value < other)

    def __ge__(self, other: int) -> bool:
        """Test against a number that is not traced."""
        return self._test(">=", int(other), self.value >= other)

    def __gt__(self, other: int) -> bool:
        """Test against a number that is not traced."""
        return self._test(">", int(other), self.value > other)

    def __add__(self, other: int) -> "TracedNumber | int":
        """Add; all but zero to a fixed value."""
        return self if type(other) is int and other == 0 else self.fix() + other

    __radd__ = __add__


class TracedText(Traced):
    """A string of a message that is not empty."""

    value: str

    def __init__(self, trace: Trace, place: Any, value: str) -> None:
        """Trace the string at a place."""
        super().__init__(trace, place)
        self.value = value

    def __str__(self) -> str:
        """Give the string; it is fixed."""
        return str(self.fix())

    def __format__(self, spec: str) -> str:
        """Give the string; it is fixed."""
        return format(self.fix(), spec)

    def __bool__(self) -> bool:
        """Tell that it is not empty; lengths are the same in all calls that a text is known for."""
        return True
