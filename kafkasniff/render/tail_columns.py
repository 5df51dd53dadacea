"""The lines of many calls of one API and version, or their last columns, made at once.

Calls whose bodies have the same shape go together. Of one of them the gist is made with all values traced; in the gists
of those that are like it stand the same words, with their own values between.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from kafkasniff.calls.call import Call
from kafkasniff.calls.columns.calls import CallColumns
from kafkasniff.calls.columns.messages import CLIENT_ID_AT
from kafkasniff.protocol.body_columns import Marks, Numbers
from kafkasniff.protocol.primitives import java_text
from kafkasniff.render.call_bodies import CallBodies, Readers, read_bodies, readers_of
from kafkasniff.render.gist import Form, describe_traced, form_of
from kafkasniff.render.shapes import Shapes, add_shapes, shape_of
from kafkasniff.render.templates import Template
from kafkasniff.render.text_blocks import Part, equal
from kafkasniff.render.traced import UntraceableError
from kafkasniff.render.traced_columns import Batches, Group, TracedCall, find_batches

LONGEST: Final = 4096
"""Bytes of the longest message that is read by columns."""

FEWEST_ROWS = 16
"""Calls of one shape from which on templates for all of them cost less than making one text after the other."""

_MOST_TRACES = 4
"""Calls of one shape in a batch that are traced, each for those that are like it."""

_MOST_SHAPES = 4096
"""Shapes whose templates are remembered; more, and all are forgotten."""

_MOST_TEMPLATES = 8
"""Templates of one shape; of more, the oldest is forgotten."""

_TRIES = 2
_WORTH_ANOTHER_TRY = 128
"""Calls of a shape of which so many traces failed that are worth another one."""

Texts = tuple[Numbers, list[bytes]]
"""Places among the rows asked for, and the text of each, with a newline."""

Before = Callable[[Numbers], Part]
"""Gives what stands before the last column, for places among the rows asked for."""


class _Kind(NamedTuple):
    """The calls of an API in a version."""

    form: Form
    version: int
    readers: Readers


class _Calls(NamedTuple):
    """Calls of one kind, read."""

    kind: _Kind
    columns: CallColumns
    rows: Numbers
    bodies: CallBodies
    batches: list[Batches]
    numbers: dict[int, Numbers]
    """See `Group`."""


class TailColumns:
    """Makes the last column of calls."""

    def __init__(self, text_of: Callable[[Call], str]) -> None:
        """Begin with nothing; `text_of` makes the text of any call."""
        self._text_of = text_of
        self._known: dict[tuple[object, ...], _Known] = {}

    def texts(
        self, columns: CallColumns, layout: int, rows: Numbers, before: Before = lambda places: b""
    ) -> Iterator[Texts]:
        """Give the texts of some rows of a `layout` (API key << 16 | version), as far as they are known.

        Each begins with what stands `before`.
        """
        kind = _kind(layout >> 16, layout & 0xFFFF)
        if kind is None:
            return
        calls, odd = _read(kind, columns, rows)
        asked, answered = calls.bodies.request, calls.bodies.response
        shapes = Shapes(len(rows))
        add_shapes(shapes, asked, kind.form.request)
        add_shapes(shapes, answered, kind.form.response)
        for places in equal(np.where(odd, -1, shapes.codes())):
            if len(places) < FEWEST_ROWS or odd[places[0]]:
                continue
            row = places.item(0)
            shape = shape_of(asked, kind.form.request, row), shape_of(answered, kind.form.response, row)
            yield from self._of_shape(calls, places, self._known_of(layout, *shape), before)

    def _known_of(self, *shape: object) -> "_Known":
        known = self._known.get(shape)
        if known is None:
            if len(self._known) >= _MOST_SHAPES:
                self._known.clear()
            known = self._known[shape] = _Known([])
        return known

    def _of_shape(self, calls: _Calls, left: Numbers, known: "_Known", before: Before) -> Iterator[Texts]:
        """Give the texts of calls of one shape, with the templates that are known, and then with new ones."""
        for template in [*known.templates]:
            chosen, texts = _fitting(template, calls, left, before)
            if len(chosen):
                yield left[chosen], texts
                left = np.delete(left, chosen)
                if not len(left):
                    return
        for _ in range(_MOST_TRACES):
            if len(left) < (FEWEST_ROWS if known.failures < _TRIES else _WORTH_ANOTHER_TRY):
                return
            new = self._trace(calls, left, before)
            if new is None:
                known.failures += 1
                return
            known.templates.append(new)
            del known.templates[:-_MOST_TEMPLATES]
            chosen, texts = _fitting(new, calls, left, before)
            if not len(chosen):
                return
            yield left[chosen], texts
            left = np.delete(left, chosen)

    def _trace(self, calls: _Calls, places: Numbers, before: Before) -> Template | None:
        """Trace the first of some calls of one shape; None where that tells nothing for others."""
        form, columns = calls.kind.form, calls.columns
        traced = TracedCall(_group(calls, places[:1]))
        try:
            asked = traced.body(("request",), form.request)
            answered = traced.body(("response",), form.response)
            gist = describe_traced(form, calls.kind.version, traced.batches, asked, answered)
            template = Template(traced, gist)
        except (UntraceableError, AttributeError, TypeError):
            # Something was done with a value that cannot be done with a traced one.
            return None
        chosen, texts = _fitting(template, calls, places[:1], lambda places: b"")
        expected = self._text_of(columns.call(int(calls.rows[places[0]]))).rstrip() + "\n"
        return template if len(chosen) and texts == [expected.encode()] and not template.is_empty else None


@dataclass(slots=True)
class _Known:
    """What is known of calls of one shape."""

    templates: list[Template]
    failures: int = 0
    """Calls whose traces told nothing."""


def _group(calls: _Calls, places: Numbers) -> Group:
    return Group(calls.bodies, calls.batches, places, calls.numbers)


def _fitting(template: Template, calls: _Calls, places: Numbers, before: Before) -> Texts:
    """Give which of some calls a template fits, by index, and their texts."""
    group = _group(calls, places)
    chosen = np.flatnonzero(template.fits(group))
    texts = None
    if len(chosen):
        texts = template.texts(
            group, chosen, before(places[chosen]), lambda some: _clients(calls.columns, calls.rows[places[some]])
        )
    return (np.zeros(0, np.int64), []) if texts is None else (chosen, texts)


@cache
def _kind(api_key: int, version: int) -> _Kind | None:
    """Give the kind of an API and version; None for one whose calls are described one by one."""
    form, readers = form_of(api_key), readers_of(api_key, version)
    return None if form is None or readers is None else _Kind(form, version, readers)


def _read(kind: _Kind, columns: CallColumns, rows: Numbers) -> tuple[_Calls, Marks]:
    """Read the bodies of calls; mark those that are odd."""
    bodies, odd = read_bodies(kind.readers, columns, rows, LONGEST)
    every = np.arange(len(rows))
    sides = bodies.request, bodies.response
    batches = [batch for side in sides for batch in find_batches(bodies.buffer, side, every, odd)]
    return _Calls(kind, columns, rows, bodies, batches, {}), odd


def _clients(columns: CallColumns, rows: Numbers) -> list[str | None]:
    """Give the client ids of some calls."""
    data, known = columns.data, [None if raw is None else java_text(raw) or None for raw in columns.client_ids]
    return [
        known[run] if columns.client_ids[run] is not None else java_text(data[begin + CLIENT_ID_AT : end]) or None
        for run, begin, end in zip(
            columns.run[rows].tolist(),
            columns.request[rows].tolist(),
            columns.client_id_end[rows].tolist(),
            strict=True,
        )
    ]
