"""JSON lines of many calls at once: as `call_line` gives them for each, without an object a call."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import CallColumns, CallRows, Numbers
from kafkasniff.protocol.primitives import MAX_ELEMENTS, java_text
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
from kafkasniff.render.json_lines import call_line
from kafkasniff.render.json_text import safe_line
from kafkasniff.render.times import utc_text

_BLOCK_BYTES = 1 << 18
"""About what is gathered before it is given."""
_CLIENT_ID_LENGTH_AT = 8
_CLIENT_ID_LENGTH = 2


class _Fixed(NamedTuple):
    """What the lines of a run's calls of one API in one version have in common."""

    layout: Layout
    before_id: str
    """What stands between time and correlation id."""
    end: str


class JsonRows:
    """Makes the lines of rows of calls."""

    def __init__(self) -> None:
        """Begin with no rows."""
        self._columns: CallColumns | None = None
        self._fixed: dict[int, _Fixed | None] = {}
        """By run and layout of the columns; None where each call is to be made."""

    def blocks(self, rows: CallRows) -> Iterator[bytes]:
        """Give the lines of calls, each with its newline, in blocks."""
        columns, start, stop = rows
        if columns is not self._columns:
            self._columns = columns
            self._fixed.clear()
        batch, data, fixed, made, carried = columns.batch, columns.data, self._fixed, columns.made, columns.carried
        # Packets of several files or interfaces come together only where captures overlap.
        interface = batch.interfaces[0] if len(batch.interfaces) == 1 else None
        digits = interface.time_digits if interface is not None else 0
        file = file_text(interface) if interface is not None else ""
        times = np.frombuffer(batch.times, np.int64)
        asked, answered = columns.request_packets[start:stop], columns.response_packets[start:stop]
        pieces: list[bytes] = []
        size = 0
        row = start - 1
        for (
            (run, key, version, number, request, client_id_end, body, request_end, response, response_end, time, total),
            delay,
            asked_packet,
            answered_packet,
        ) in zip(
            rows.fields(),
            (times[answered[:, 0]] - times[asked[:, 1]]).tolist(),
            _numbers(columns, asked[:, 1]),
            _numbers(columns, answered[:, 1]),
            strict=True,
        ):
            row += 1
            place = run << 32 | key << 16 | version
            known = fixed[place] if place in fixed else self._fix(columns, place)
            line: tuple[bytes, ...] | None = None
            if known is not None and interface is not None and row not in carried:
                layout, before_id, end = known
                asked_data, answered_data = data[body:request_end], data[response:response_end]
                bodies = layout.read(asked_data, 0, answered_data)
                if bodies is not None:
                    asked_body, answered_body = bodies
                    found: str | None = ""
                    if not (asked_body.is_bare and answered_body.is_bare):
                        found = None
                        if is_plain(asked_body) and is_plain(answered_body):
                            found = batches_text(asked_body, asked_data, answered_body, answered_data)
                    if found is not None:
                        if row in made and (decoded := made[row].known_decoded):
                            found += members_text({"decoded": decoded})
                        client_id = _client_id_text(data[request + _CLIENT_ID_LENGTH_AT : client_id_end])
                        head = f'{{"type":"call","time":"{utc_text(time, digits)}{before_id}{number}{client_id}'
                        tail = (
                            f',"responseApiVersion":{version},"outcome":"answered"'
                            f',"totalTimeMs":{milliseconds_text(total)},"responseDelayMs":{milliseconds_text(delay)}'
                            f',"requestSizeBytes":{request_end - request}'
                            f',"responseSizeBytes":{response_end - response}'
                            f',"requestFile":{file},"requestPacket":{asked_packet}'
                            f',"responseFile":{file},"responsePacket":{answered_packet}{found}{end}'
                        )
                        line = (head.encode(), asked_body.text, b',"response":', answered_body.text, tail.encode())
                        size += len(asked_body.text) + len(answered_body.text) + len(tail)
            if line is None:
                line = (call_line(columns.call(row)),)
                size += len(line[0])
            pieces += line
            if size > _BLOCK_BYTES:
                yield safe_line(b"".join(pieces))
                pieces.clear()
                size = 0
        yield safe_line(b"".join(pieces))

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
            fixed = _Fixed(
                layout,
                f'","connection":"{client}-{server}","client":"{client}","server":"{server}"'
                f',"requestHeader":{named_text(key, version)}',
                client_text(facts.security_protocol, facts.principal, facts.software_name, facts.software_version)
                + "}\n",
            )
        self._fixed[place] = fixed
        return fixed


def _numbers(columns: CallColumns, packets: Numbers) -> list[int]:
    """Give the numbers, within their files, of packets that are given by their index in the batch."""
    batch = columns.batch
    if batch.numbers is None:
        numbers: list[int] = (packets + batch.first_packet).tolist()
    else:
        numbers = np.frombuffer(batch.numbers, np.int64)[packets].tolist()
    return numbers


@lru_cache(maxsize=1024)
def _client_id_text(raw: bytes) -> str:
    """Give what stands between correlation id and request, by the client id with its length."""
    length = int.from_bytes(raw[:_CLIENT_ID_LENGTH], "big", signed=True)
    client_id = None if length < 0 else java_text(raw[_CLIENT_ID_LENGTH:])
    return f',"clientId":{plain_text(client_id)}}},"request":'
