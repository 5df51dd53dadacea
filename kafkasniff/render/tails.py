"""The last column of the lines of calls, made fast where calls are laid out alike.

Of a call like none before, the text is made as of any call, and once more of its bodies with all values traced. What
that shows of its layout makes the text of further calls straight from their bytes.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Final, cast

from kafkasniff.calls.call import HOLDING_APIS, Call, Frame
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, fields_of
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.protocol.scans import ScannedBody
from kafkasniff.render.gist import form_of, gist
from kafkasniff.render.layouts import Layout, layout_of
from kafkasniff.render.traced import CLIENT_ID, Trace, UntraceableError
from kafkasniff.render.traced_message import TracedMessage, trace_message

LONGEST: Final = 512
"""Bytes of the longest message that is traced, less its records."""

MOST_SHAPES: Final = 4096
"""Shapes that are remembered; more, and all are forgotten, with their layouts."""

MOST_TEMPLATES: Final = 16384
"""Templates of all layouts that are remembered."""

_MOST_LAYOUTS = 4
"""Layouts of one shape, which are tried one after the other."""

_TRIES = 64
"""Calls of an API and version that are traced in any case; beyond that one in `_RARE`."""

_RARE = 16


@dataclass(slots=True)
class _Kind:
    """The calls of one API in one version."""

    batches_in: Kind | None
    """The side that may have records, whose length tells nothing then."""
    first: int = 0
    """Where the first counts and lengths of that side stand, which tell instead: in a request's body or a response."""
    last: int = 0
    shapes: dict[object, list[Layout]] = field(default_factory=dict)
    """Empty for a shape that came once."""
    hits: int = 0
    traced: int = 0


class Tails:
    """Makes the last column of whole, answered calls with nothing wrong in their pairing."""

    def __init__(self, text_of: Callable[[Call], str]) -> None:
        """Begin with no layout; `text_of` makes the text of any call."""
        self._text_of = text_of
        self._kinds: dict[tuple[int, int], _Kind | None] = {}
        self._shapes = 0
        self._templates = 0

    def text(
        self,
        api_key: int,
        version: int,
        body_at: int,
        request: bytes,
        response: bytes | None,
        client_id: str | None,
        call: Callable[[], Call],
    ) -> str:
        """Give the text of a call; `request` and `response` are the contents of its frames.

        `body_at`: where the body begins in the request. `response` is None for a request that gets none. `call` makes
        the call itself, which is asked for only where the layout is not known.
        """
        try:
            kind = self._kinds[api_key, version]
        except KeyError:
            kind = self._kinds[api_key, version] = _kind(api_key, version)
        if kind is None:
            return self._text_of(call())
        answer = response or b""
        if kind.batches_in is None:
            shape: object = (len(request) - body_at, len(answer))
        elif kind.batches_in == "request":
            shape = (request[body_at + kind.first : body_at + kind.last], len(answer))
        else:
            shape = (len(request) - body_at, answer[kind.first : kind.last])
        layouts = kind.shapes.get(shape)
        if layouts is None:
            self._note_shape(kind, shape)
            return self._text_of(call())
        try:
            for layout in layouts:
                text = layout.function(request, body_at, answer, client_id)
                if text is not None:
                    kind.hits += 1
                    return text
        except (UnicodeDecodeError, struct.error):
            return self._text_of(call())
        return self._learn(kind, layouts, call())

    def _note_shape(self, kind: _Kind, shape: object) -> None:
        if self._shapes >= MOST_SHAPES or self._templates >= MOST_TEMPLATES:
            self._kinds.clear()
            self._shapes = self._templates = 0
        self._shapes += 1
        kind.shapes[shape] = []

    def _learn(self, kind: _Kind, layouts: list[Layout], call: Call) -> str:
        """Give the text of a call, and learn its layout where that may be of use."""
        text = self._text_of(call)
        if kind.traced <= _TRIES + kind.hits // _RARE:
            kind.traced += 1
            try:
                self._trace(kind, layouts, call, text)
            except (UntraceableError, AttributeError, TypeError):
                # Something was done with a value that cannot be done with a traced one.
                return text
        return text

    def _trace(self, kind: _Kind, layouts: list[Layout], call: Call, text: str) -> None:
        notes = Trace()
        messages = _messages(notes, call)
        template, marks = notes.template(_traced_gist(call, messages))
        whole = gist(call)
        if not text.endswith(whole):
            raise UntraceableError
        before = text[: len(text) - len(whole)].replace("%", "%%")
        if self._looks_at_counts(kind, messages):
            return
        layout = layout_of(messages, marks, layouts, lengths_known=kind.batches_in is None)
        request, answer = messages[0], messages[1].data if len(messages) > 1 else b""
        layout.templates.missed = None
        layout.function(request.data, request.start, answer, call.client_id)
        key = layout.templates.missed
        if key is None:
            # The template is known; what else the function checks has failed.
            raise UntraceableError
        layout.templates[key] = before + template
        if layout.function(request.data, request.start, answer, call.client_id) != text:
            del layout.templates[key]
            raise UntraceableError
        self._templates += 1
        if layout not in layouts and len(layouts) < _MOST_LAYOUTS:
            layouts.append(layout)

    def _looks_at_counts(self, kind: _Kind, messages: list[TracedMessage]) -> bool:
        """Set where calls of a kind are told apart, by the first of its messages that carries a batch."""
        carrier = next((message for message in messages if message.batch is not None), None)
        if carrier is None or kind.last:
            return False
        offset, length = carrier.counts_at
        kind.first = offset - (carrier.start if carrier.side == "request" else 0)
        kind.last = kind.first + length
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
    if header is None or request is None or call.context.records or call.problems:
        raise UntraceableError
    if call.outcome != ("no-response-expected" if response is None else "answered"):
        raise UntraceableError
    form = form_of(header.api_key)
    assert form is not None
    asked = call.scan_request(form.request)
    answered = call.scan_response(form.response)
    if asked is None or (response is not None and answered is None):
        raise UntraceableError
    if _length(request, asked) > LONGEST or (answered is not None and _length(response, answered) > LONGEST):
        raise UntraceableError
    layout = (header.api_key, header.api_version)
    messages = [trace_message(notes, "request", layout, request.data, header.end, asked)]
    if response is not None and answered is not None:
        start = 4 + (response_header_version(*layout) == 1)
        messages.append(trace_message(notes, "response", layout, response.data, start, answered))
    return messages


def _length(frame: Frame | None, scan: ScannedBody) -> int:
    assert frame is not None
    return frame.size - sum(end - start for _, start, end in scan.records)


def _traced_gist(call: Call, messages: list[TracedMessage]) -> str:
    """Make the gist of a call of its traced messages. Raises also what a traced value does."""
    assert call.api_key is not None
    form = form_of(call.api_key)
    assert form is not None
    batches = []
    for message in messages:
        if message.batch is not None:
            # There is one, or the message would not have been traced.
            (codec,) = (batch.compression for side, _, batch in call.batch_headers if side == message.side)
            batches.append(
                (message.side, "", SimpleNamespace(record_count=message.batch.record_count, compression=codec))
            )
    traced = SimpleNamespace(api_version=call.api_version, client_id=CLIENT_ID, batch_headers=batches)
    answer = messages[1].value if len(messages) > 1 else {}
    return form.describe(cast(Call, traced), messages[0].value, answer)
