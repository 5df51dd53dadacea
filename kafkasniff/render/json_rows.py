"""JSON lines of many calls at once: as `call_line` gives them for each, without an object a call."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kafkasniff.calls.columns.calls import CallColumns, CallRows, Numbers
from kafkasniff.calls.columns.messages import CLIENT_ID_LENGTH, CLIENT_ID_LENGTH_AT
from kafkasniff.calls.fetch_sessions import as_decoded
from kafkasniff.protocol.body_columns import Marks
from kafkasniff.protocol.primitives import MAX_ELEMENTS, java_text
from kafkasniff.render.call_bodies import by_layout
from kafkasniff.render.call_json import (
    Layout,
    batches_text,
    client_text,
    file_text,
    is_plain,
    layout_of,
    members_text,
    milliseconds_text,
    named_text,
    plain_text,
)
from kafkasniff.render.json_columns import RunTexts, call_lines, json_readers
from kafkasniff.render.json_lines import call_line
from kafkasniff.render.json_text import safe_line
from kafkasniff.render.text_blocks import squeezed
from kafkasniff.render.times import utc_text

MOST_ROWS = 16_384
"""Calls whose lines are made at once: more of them take much memory."""
FEWEST_ROWS = 32
"""Calls of a layout from which on columns cost less than making one line after the other."""

_BLOCK_ROWS = 512
"""Calls whose lines are given at once: so few stay in the processor's cache until they are written."""

Objects = NDArray[np.object_]
_BLOCK_BYTES = 1 << 18
"""About what is gathered before it is given."""


class _Fixed(NamedTuple):
    """What the lines of a run's calls of one API in one version have in common."""

    layout: Layout
    texts: RunTexts


class JsonRows:
    """Makes the lines of rows of calls."""

    def __init__(self) -> None:
        """Begin with no rows."""
        self._columns: CallColumns | None = None
        self._fixed: dict[int, _Fixed | None] = {}
        """By run and layout of the columns; None where each call is to be made."""

    def blocks(self, rows: CallRows) -> Iterator[bytes]:
        """Give the lines of calls, each with its newline, in blocks."""
        if rows.columns is not self._columns:
            self._columns = rows.columns
            self._fixed.clear()
        for start in range(rows.start, rows.stop, MOST_ROWS):
            yield from self._blocks(rows.columns, np.arange(start, min(start + MOST_ROWS, rows.stop)))

    def _blocks(self, columns: CallColumns, rows: Numbers) -> Iterator[bytes]:
        lines = np.empty(len(rows), object)
        left = np.ones(len(rows), np.bool_)
        if len(columns.batch.interfaces) == 1:
            for layout, places in by_layout(columns, rows):
                if len(places) >= FEWEST_ROWS and json_readers(layout >> 16, layout & 0xFFFF) is not None:
                    self._add_lines(columns, layout, rows, places, lines, left)
        odd = np.flatnonzero(left)
        if len(odd) == len(rows):
            yield from self._one_by_one(columns, rows)
            return
        if len(odd):
            for place, line in zip(odd.tolist(), self._lines(columns, rows[odd]), strict=True):
                lines[place] = b"".join(line)
        for first in range(0, len(rows), _BLOCK_ROWS):
            yield safe_line(squeezed(b"".join(lines[first : first + _BLOCK_ROWS].tolist())))

    def _add_lines(
        self, columns: CallColumns, layout: int, rows: Numbers, places: Numbers, lines: Objects, left: Marks
    ) -> None:
        """Make the lines of the calls of a layout, at `places`, by columns; note of which this is done."""
        fixed = self._fixed
        runs: dict[int, RunTexts] = {}
        for run in np.flatnonzero(np.bincount(columns.run[rows[places]])).tolist():
            place = run << 32 | layout
            known = fixed[place] if place in fixed else self._fix(columns, place)
            if known is not None:
                runs[run] = known.texts
        if not runs:
            return
        interface = columns.batch.interfaces[0]
        if len(runs) < len(columns.facts):
            places = places[np.isin(columns.run[rows[places]], list(runs))]
        if columns.carried:
            places = places[~np.isin(rows[places], list(columns.carried))]
        of = rows[places]
        found, odd = call_lines(
            columns,
            of,
            layout,
            runs,
            (_numbers(columns, columns.request_packets[of, 1]), _numbers(columns, columns.response_packets[of, 1])),
            file_text(interface),
            interface.time_digits,
            _client_id_text,
        )
        lines[places] = found
        left[places] = odd

    def _one_by_one(self, columns: CallColumns, rows: Numbers) -> Iterator[bytes]:
        """Give the lines of some rows, made one by one."""
        pieces: list[bytes] = []
        size = 0
        for line in self._lines(columns, rows):
            pieces += line
            size += sum(map(len, line))
            if size > _BLOCK_BYTES:
                yield safe_line(b"".join(pieces))
                pieces.clear()
                size = 0
        yield safe_line(b"".join(pieces))

    def _lines(self, columns: CallColumns, rows: Numbers) -> Iterator[tuple[bytes, ...]]:
        """Give each line of some rows, in pieces."""
        batch, data, fixed, sessions, carried = (
            columns.batch,
            columns.data,
            self._fixed,
            columns.sessions,
            columns.carried,
        )
        # Packets of several files or interfaces come together only where captures overlap.
        interface = batch.interfaces[0] if len(batch.interfaces) == 1 else None
        digits = interface.time_digits if interface is not None else 0
        file = file_text(interface) if interface is not None else ""
        times = np.frombuffer(batch.times, np.int64)
        asked, answered = columns.request_packets[rows], columns.response_packets[rows]
        for (
            row,
            (run, key, version, number, request, client_id_end, body, request_end, response, response_end, time, total),
            delay,
            asked_packet,
            answered_packet,
        ) in zip(
            rows.tolist(),
            columns.fields(rows),
            (times[answered[:, 0]] - times[asked[:, 1]]).tolist(),
            _numbers(columns, asked[:, 1]).tolist(),
            _numbers(columns, answered[:, 1]).tolist(),
            strict=True,
        ):
            place = run << 32 | key << 16 | version
            known = fixed[place] if place in fixed else self._fix(columns, place)
            if known is not None and interface is not None and row not in carried:
                layout, (before_id, end) = known
                asked_data, answered_data = data[body:request_end], data[response:response_end]
                bodies = layout.read(asked_data, 0, answered_data)
                if bodies is not None:
                    asked_body, answered_body = bodies
                    found: str | None = ""
                    if any((*asked_body[1:], *answered_body[1:])):
                        found = None
                        if is_plain(asked_body) and is_plain(answered_body):
                            found = batches_text(asked_body, asked_data, answered_body, answered_data)
                    if found is not None:
                        if row in sessions and (session := as_decoded(sessions[row])) is not None:
                            found += members_text({"decoded": [session]})
                        client_id = _client_id_text(data[request + CLIENT_ID_LENGTH_AT : client_id_end])
                        head = f'{{"type":"call","time":"{utc_text(time, digits)}{before_id}{number}{client_id}'
                        tail = (
                            f',"responseApiVersion":{version},"outcome":"answered"'
                            f',"totalTimeMs":{milliseconds_text(total)},"responseDelayMs":{milliseconds_text(delay)}'
                            f',"requestSizeBytes":{request_end - request}'
                            f',"responseSizeBytes":{response_end - response}'
                            f',"requestFile":{file},"requestPacket":{asked_packet}'
                            f',"responseFile":{file},"responsePacket":{answered_packet}{found}{end}'
                        )
                        yield head.encode(), asked_body.text, b',"response":', answered_body.text, tail.encode()
                        continue
            yield (call_line(columns.call(row)),)

    def _fix(self, columns: CallColumns, place: int) -> _Fixed | None:
        """Make what the calls of a run, an API and a version have in common."""
        facts = columns.facts[place >> 32]
        key, version = place >> 16 & 0xFFFF, place & 0xFFFF
        layout = layout_of(key, version, facts.show_secrets)
        fixed = None
        context = facts.context
        made = context.records or context.tokens or context.limits.elements < MAX_ELEMENTS
        if layout is not None and not made:
            client, server = facts.client, facts.server
            texts = RunTexts(
                f'","connection":"{client}-{server}","client":"{client}","server":"{server}"'
                f',"requestHeader":{named_text(key, version)}',
                client_text(facts.security_protocol, facts.principal, facts.software_name, facts.software_version)
                + "}\n",
            )
            fixed = _Fixed(layout, texts)
        self._fixed[place] = fixed
        return fixed


def _numbers(columns: CallColumns, packets: Numbers) -> Numbers:
    """Give the numbers, within their files, of packets that are given by their index in the batch."""
    batch = columns.batch
    if batch.numbers is None:
        return packets + batch.first_packet
    numbers: Numbers = np.frombuffer(batch.numbers, np.int64)[packets]
    return numbers


@lru_cache(maxsize=1024)
def _client_id_text(raw: bytes) -> str:
    """Give what stands between correlation id and request, by the client id with its length."""
    length = int.from_bytes(raw[:CLIENT_ID_LENGTH], "big", signed=True)
    client_id = None if length < 0 else java_text(raw[CLIENT_ID_LENGTH:])
    return f',"clientId":{plain_text(client_id)}}},"request":'
