"""The last column of the lines of many calls of one API and version, made at once.

Calls whose bodies have the same shape go together. Of one of them the gist is made with all values traced; in the gists
of those that are like it stand the same words, with their own values between.
"""

from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Final, NamedTuple, cast

import numpy as np

from kafkasniff.calls.call import Call
from kafkasniff.calls.columns.calls import CallColumns
from kafkasniff.calls.columns.messages import CLIENT_ID_AT
from kafkasniff.protocol.body_columns import Marks, Numbers
from kafkasniff.protocol.primitives import java_text
from kafkasniff.render.call_bodies import CallBodies, Readers, read_bodies, readers_of
from kafkasniff.render.gist import Form, form_of
from kafkasniff.render.shapes import Shapes, add_shapes
from kafkasniff.render.text_blocks import Part, equal, side_by_side, squeezed
from kafkasniff.render.traced import CLIENT_ID, Trace, UntraceableError
from kafkasniff.render.traced_columns import Batches, TracedCalls, find_batches

LONGEST: Final = 4096
"""Bytes of the longest message that is read by columns."""

FEWEST_ROWS = 128
"""Calls of one shape from which on tracing one of them costs less than making one text after the other."""

_MOST_TRACES = 4
"""Calls of one shape that are traced, each for those that are like it."""

_MOST_CHECKED = 4096

Texts = tuple[Numbers, list[bytes]]
"""Places among the rows asked for, and the text of each, with a newline."""


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


class TailColumns:
    """Makes the last column of calls."""

    def __init__(self, text_of: Callable[[Call], str]) -> None:
        """Begin with nothing; `text_of` makes the text of any call."""
        self._text_of = text_of
        self._checked: set[tuple[object, ...]] = set()
        """Words, with what was traced for them, that stood in the text of a call as they should."""

    def texts(self, columns: CallColumns, layout: int, rows: Numbers) -> Iterator[Texts]:
        """Give the texts of some rows of a `layout` (API key << 16 | version), as far as they are known."""
        kind = _kind(layout >> 16, layout & 0xFFFF)
        if kind is None:
            return
        calls, odd = _read(kind, columns, rows)
        shapes = Shapes(len(rows))
        add_shapes(shapes, calls.bodies.request, kind.form.request)
        add_shapes(shapes, calls.bodies.response, kind.form.response)
        for places in equal(np.where(odd, -1, shapes.codes())):
            if odd[places[0]]:
                continue
            left = places
            for _ in range(_MOST_TRACES):
                if len(left) < FEWEST_ROWS:
                    break
                traced = TracedCalls(calls.bodies.buffer, Trace(), calls.batches)
                alike, texts = self._trace(layout, calls, left, traced)
                traced.let_go()
                if not len(alike):
                    break
                yield left[alike], texts
                left = np.delete(left, alike)

    def _trace(self, layout: int, calls: _Calls, places: Numbers, traced: TracedCalls) -> tuple[Numbers, list[bytes]]:
        """Trace the first of some calls of one shape; give those that are like it by index, and their texts."""
        nothing: tuple[Numbers, list[bytes]] = np.zeros(0, np.int64), []
        kind, columns = calls.kind, calls.columns
        try:
            asked = traced.body("request", calls.bodies.request, kind.form.request, places)
            answered = traced.body("response", calls.bodies.response, kind.form.response, places)
            call = SimpleNamespace(api_version=kind.version, client_id=CLIENT_ID, batch_headers=traced.batch_headers)
            words, marks = traced.notes.parts(kind.form.describe(cast(Call, call), asked, answered))
        except (UntraceableError, AttributeError, TypeError):
            # Something was done with a value that cannot be done with a traced one.
            return nothing
        alike = np.flatnonzero(traced.like_the_first(len(places)))

        def clients(chosen: Numbers) -> list[str | None]:
            return _clients(columns, calls.rows[places[chosen]])

        if not marks and not words[0].strip():
            return nothing
        parts: list[Part] = [words[0].encode()]
        for mark, behind in zip(marks, words[1:], strict=True):
            parts += [traced.texts(mark, alike, clients), behind.encode()]
        text = squeezed(side_by_side([*parts, b"\n"], len(alike)).tobytes())
        if b" \n" in text:
            return nothing
        texts = text.splitlines(keepends=True)
        key = (layout, *words)
        if key not in self._checked:
            if texts[0].decode() != self._text_of(columns.call(int(calls.rows[places[0]]))).rstrip() + "\n":
                return nothing
            if len(self._checked) >= _MOST_CHECKED:
                self._checked.clear()
            self._checked.add(key)
        return alike, texts


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
    return _Calls(kind, columns, rows, bodies, batches), odd


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
