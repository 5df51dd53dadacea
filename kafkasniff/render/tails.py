"""The last column of the lines of calls, made fast where calls are laid out alike.

Of a call like none before, the text is made as of any call, and once more of its bodies with all values traced. What
that shows of its layout makes the text of further calls straight from their bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Final

from kafkasniff.calls.call import Call, Frame, Side
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.scanning import ScannedBody
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, fields_of
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.render.gist import describe_traced, form_of, gist
from kafkasniff.render.layouts import Layout, layout_of
from kafkasniff.render.traced import Trace, UntraceableError
from kafkasniff.render.traced_message import TracedMessage, trace_message

LONGEST: Final = 512
"""Bytes of the longest message that is traced, less its records."""

MOST_SHAPES: Final = 4096
"""Shapes that are remembered; more, and all are forgotten, with their layouts."""

MOST_TEMPLATES: Final = 2048
"""Templates of all layouts that are remembered: some 10 kB each, with its layout."""

_MOST_LAYOUTS = 4
"""Layouts of one shape, which are tried one after the other."""

_TRIES = 16
"""Calls of an API and version that are traced in any case; beyond that one in `_RARE`."""

_RARE = 16


_Place = tuple[bytes, int, int, int, int, str | None]
"""The arguments of a `LayoutFunction`."""


@dataclass(slots=True)
class _Kind:
    """The calls of one API in one version."""

    batches_in: Kind | None
    """The side that may have records, whose length tells nothing then."""
    count_at: int = 0
    """Place of the byte of that side that tells instead: the last of the first counts and lengths."""
    shapes: dict[tuple[int, int], list[Layout]] = field(default_factory=dict)
    """Empty for a shape that came once."""
    hits: int = 0
    traced: int = 0


class Tails:
    """Makes the last column of whole, answered calls with nothing wrong in their pairing."""

    def __init__(self, text_of: Callable[[Call], str]) -> None:
        """Begin with no layout; `text_of` makes the text of any call."""
        self._text_of = text_of
        self._kinds: dict[int, _Kind | None] = {}
        self._shapes = 0
        self._templates = 0

    def text(
        self,
        layout: int,
        data: bytes,
        body: int,
        request_end: int,
        response: int,
        response_end: int,
        client_id: str | None,
        call: Callable[[int], Call],
        row: int,
    ) -> str:
        """Give the text of a call whose messages lie in `data`.

        `layout`: API key << 16 | version. `body`: where the request's body begins. `response`: where the content of the
        response's frame begins. `call` makes the call itself, of `row`, asked for only where the text is not known.
        """
        try:
            kind = self._kinds[layout]
        except KeyError:
            kind = self._kinds[layout] = _kind(layout >> 16, layout & 0xFFFF)
        if kind is None:
            return self._text_of(call(row))
        n, m = request_end - body, response_end - response
        side = kind.batches_in
        if side is None:
            shape = n, m
        elif side == "request":
            shape = (data[body + kind.count_at] if n > kind.count_at else -n), m
        else:
            shape = n, (data[response + kind.count_at] if m > kind.count_at else -m)
        layouts = kind.shapes.get(shape)
        if layouts is None:
            self._note_shape(kind, shape)
            return self._text_of(call(row))
        try:
            for each in layouts:
                text = each.function(data, body, n, response, m, client_id)
                if text is not None:
                    kind.hits += 1
                    return text
        except UnicodeDecodeError:
            return self._text_of(call(row))
        return self._learn(kind, layouts, (data, body, n, response, m, client_id), call(row))

    def _note_shape(self, kind: _Kind, shape: tuple[int, int]) -> None:
        if self._shapes >= MOST_SHAPES:
            self._forget()
        self._shapes += 1
        kind.shapes[shape] = []

    def _forget(self) -> None:
        self._kinds.clear()
        self._shapes = self._templates = 0

    def _learn(self, kind: _Kind, layouts: list[Layout], place: _Place, call: Call) -> str:
        """Give the text of a call, and learn its layout where that may be of use."""
        text = self._text_of(call)
        if self._templates >= MOST_TEMPLATES:
            self._forget()
        elif kind.traced <= _TRIES + kind.hits // _RARE:
            kind.traced += 1
            try:
                self._trace(kind, layouts, place, call, text)
            except (UntraceableError, AttributeError, TypeError):
                # Something was done with a value that cannot be done with a traced one.
                return text
        return text

    def _trace(self, kind: _Kind, layouts: list[Layout], place: _Place, call: Call, text: str) -> None:
        notes = Trace()
        messages = _messages(notes, call)
        template, marks = notes.template(_traced_gist(call, messages))
        whole = gist(call)
        if not text.endswith(whole):
            raise UntraceableError
        before = text[: len(text) - len(whole)].replace("%", "%%")
        if self._looks_at_counts(kind, messages):
            return
        layout = layout_of(messages, marks, layouts, kind.batches_in)
        layout.templates.missed = None
        layout.function(*place)
        key = layout.templates.missed
        if key is None:
            # The template is known; what else the function checks has failed.
            raise UntraceableError
        layout.templates[key] = before + template
        if layout.function(*place) != text:
            del layout.templates[key]
            raise UntraceableError
        self._templates += 1
        if layout not in layouts and len(layouts) < _MOST_LAYOUTS:
            layouts.append(layout)

    def _looks_at_counts(self, kind: _Kind, messages: list[TracedMessage]) -> bool:
        """Set where calls of a kind are told apart, by the first of its messages that carries a batch."""
        carrier = next((message for message in messages if message.batch is not None), None)
        if carrier is None or kind.count_at:
            return False
        offset, length = carrier.counts_at
        kind.count_at = offset + length - 1 - carrier.start
        self._shapes -= len(kind.shapes)
        kind.shapes.clear()
        return True


def _kind(api_key: int, version: int) -> _Kind | None:
    """Give the kind of an API and version; None for one whose calls are not traced."""
    api = APIS.get(api_key)
    if api is None or not api.first_version <= version <= api.last_version:
        return None
    if api_key in HOLDING_APIS or form_of(api_key) is None:
        return None
    kinds: tuple[Kind, Kind] = ("request", "response")
    with_records = [side for side in kinds if _has_records(api_definition(api_key, side).fields, version)]
    return _Kind(with_records[0] if with_records else None)


def _has_records(fields: tuple[Field, ...], version: int) -> bool:
    return any(
        member.type == "records" or _has_records(member.fields, version) for member in fields_of(fields, version)
    )


def _messages(notes: Trace, call: Call) -> list[TracedMessage]:
    """Trace the messages of a call with which nothing is wrong. Raises UntraceableError."""
    header, request, response = call.header, call.request, call.response
    if header is None or request is None or response is None or call.context.records or call.problems:
        raise UntraceableError
    form = form_of(header.api_key)
    assert form is not None
    asked = call.scan_request(form.request)
    answered = call.scan_response(form.response)
    if asked is None or answered is None or max(_length(request, asked), _length(response, answered)) > LONGEST:
        raise UntraceableError
    layout = (header.api_key, header.api_version)
    start = 4 + (response_header_version(*layout) == 1)
    return [
        trace_message(notes, "request", layout, request.data, header.end, asked),
        trace_message(notes, "response", layout, response.data, start, answered),
    ]


def _length(frame: Frame, scan: ScannedBody) -> int:
    return frame.size - sum(end - start for _, start, end in scan.records)


def _traced_gist(call: Call, messages: list[TracedMessage]) -> str:
    """Make the gist of a call of its traced messages. Raises also what a traced value does."""
    assert call.header is not None
    form = form_of(call.header.api_key)
    assert form is not None
    batches: list[tuple[Side, SimpleNamespace]] = [
        (message.side, SimpleNamespace(record_count=message.batch.record_count, compression=message.batch.attributes))
        for message in messages
        if message.batch is not None
    ]
    return describe_traced(form, call.header.api_version, batches, messages[0].value, messages[1].value)
