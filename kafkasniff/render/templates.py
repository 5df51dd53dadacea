"""What stands in the gists of calls of one shape: the same words, with their own values between."""

from collections.abc import Callable
from operator import eq, ge, gt, lt, ne
from typing import Any, Final, NamedTuple

import numpy as np

from kafkasniff.protocol.body_columns import Block, Marks, Numbers
from kafkasniff.render.gists.words import NAME_LENGTH, name_text
from kafkasniff.render.layouts import memory_of
from kafkasniff.render.text_blocks import Part, digits, row_texts, side_by_side, squeezed, table, texts_of
from kafkasniff.render.traced import CLIENT_ID, Mark, TracedNumber
from kafkasniff.render.traced_columns import Group, Path, TracedCall

FEWEST_OF_BLOCKS: Final = 256
"""Texts from which on blocks cost less than making one text after the other."""

_TESTS: dict[str, Callable[[Any, int], Any]] = {"!=": ne, "<": lt, ">=": ge, ">": gt}

Clients = Callable[[Numbers], list[str | None]]
"""Gives the client ids of calls by their index."""


class _Test(NamedTuple):
    """What must be true of a value."""

    path: Path
    operator: Callable[[Any, Any], Any]
    other: int | bytes
    """A number, or a text."""
    result: bool


class Template:
    """The words and values of a call that was traced, for those that are like it."""

    def __init__(self, call: TracedCall, gist: str) -> None:
        """Take the call and its gist. Raises UntraceableError."""
        words, self._marks = call.notes.parts(gist)
        self._words = [word.encode() for word in words]
        self._tests: list[_Test] = []
        for value in call.values:
            if value.fixed:
                other = value.value if isinstance(value, TracedNumber) else str(value.value).encode()
                self._tests.append(_Test(value.place, eq, other, True))
            elif isinstance(value, TracedNumber):
                for operator, number in value.tests:
                    test = _TESTS[operator]
                    self._tests.append(_Test(value.place, test, number, test(value.value, number)))

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing at all is said."""
        return not self._marks and not self._words[0].strip()

    def fits(self, group: Group) -> Marks:
        """Tell which calls of a group have this template."""
        fitting = np.ones(len(group.rows), np.bool_)
        for path, operator, other, result in self._tests:
            values = group.values(path)
            if isinstance(other, int):
                fitting &= operator(values, other) == result
            else:
                fitting &= _equal(values, other)
        return fitting

    def texts(self, group: Group, chosen: Numbers, before: Part, clients: Clients) -> list[bytes] | None:
        """Give the texts of some calls with a newline, behind what stands `before`; None where spaces end one."""
        if len(chosen) < FEWEST_OF_BLOCKS:
            texts = self._one_by_one(group, chosen, before, clients)
            text = b"".join(texts)
            if b"\0" in text:
                texts = squeezed(text).splitlines(keepends=True)
        else:
            parts: list[Part] = [before, self._words[0]]
            for mark, behind in zip(self._marks, self._words[1:], strict=True):
                parts += [_block(mark, group.values(mark.value.place, chosen), chosen, clients), behind]
            text = squeezed(side_by_side([*parts, b"\n"], len(chosen)).tobytes())
            texts = text.splitlines(keepends=True)
        return None if b" \n" in text else texts

    def _one_by_one(self, group: Group, chosen: Numbers, before: Part, clients: Clients) -> list[bytes]:
        columns: list[list[Any]] = [[before] * len(chosen) if isinstance(before, bytes) else row_texts(before)]
        template = b"%b" + self._words[0].replace(b"%", b"%%")
        for mark, behind in zip(self._marks, self._words[1:], strict=True):
            values = group.values(mark.value.place, chosen)
            plain = isinstance(mark.value, TracedNumber) and mark.function is None
            columns.append(values.tolist() if plain else _texts(mark, values, chosen, clients))
            template += (b"%d" if plain else b"%b") + behind.replace(b"%", b"%%")
        return [*map((template + b"\n").__mod__, zip(*columns, strict=True))]


def _equal(texts: Block, other: bytes) -> Marks:
    width = texts.shape[1]
    if len(other) > width:
        return np.zeros(len(texts), np.bool_)
    equal: Marks = (texts == np.frombuffer(other.ljust(width, b"\0"), np.uint8)).all(axis=1)
    return equal


def _block(mark: Mark, values: Any, chosen: Numbers, clients: Clients) -> Block:
    """Give what stands at a mark in the gists of the `chosen` calls, of their values."""
    if not isinstance(mark.value, TracedNumber):
        return _names(values) if _are_plain(mark, values) else table(_texts(mark, values, chosen, clients))
    return (
        digits(values)
        if mark.function is None
        else texts_of(values, memory_of(mark.function, mark.more, False).__getitem__)
    )


def _texts(mark: Mark, values: Any, chosen: Numbers, clients: Clients) -> list[bytes]:
    """Give the same one by one, but for plain numbers."""
    function = mark.function
    assert function is not None
    if isinstance(mark.value, TracedNumber):
        memory = memory_of(function, mark.more, False)
        return [memory[value].encode() for value in values.tolist()]
    if _are_plain(mark, values):
        return row_texts(_names(values))
    texts = row_texts(values)
    if mark.more == (CLIENT_ID,):
        memory = memory_of(function, (), True)
        return [memory[key].encode() for key in zip(texts, clients(chosen), strict=True)]
    memory = memory_of(function, mark.more, True)
    return [memory[text].encode() for text in texts]


def _are_plain(mark: Mark, values: Block) -> bool:
    """Tell whether the texts of a mark stand for themselves."""
    return mark.function is name_text and not np.count_nonzero(values[:, NAME_LENGTH:])


def _names(values: Block) -> Block:
    return values[:, :NAME_LENGTH]
