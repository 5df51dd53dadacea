"""JSON lines of the calls of one API and version, all made at once by columns."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import CallColumns
from kafkasniff.calls.fetch_sessions import as_decoded
from kafkasniff.protocol.body_columns import Block, Marks, Numbers
from kafkasniff.protocol.fields import Field, fields_of
from kafkasniff.protocol.secrets import CONFIG_APIS, SECRET_FIELDS
from kafkasniff.render.body_texts import Batches, Piece, batches_of, body_pieces, gathered, texts
from kafkasniff.render.call_bodies import Readers, read_bodies, readers_of
from kafkasniff.render.call_json import members_text, milliseconds_text
from kafkasniff.render.text_blocks import (
    Part,
    digits,
    looked_up,
    padded_digits,
    table,
    texts_of,
)
from kafkasniff.render.times import NANOSECONDS, utc_text

LONGEST = 2048
"""Bytes of the longest message that is read by columns: long ones gain nothing."""

_NO_JSON = frozenset({"uuid", "float64"})
_TINY = 100
"""Nanoseconds below which a duration in milliseconds is written with an exponent."""

_BATCHES_BEGIN = table([b"", b',"batches":['])
_BATCHES_END = table([b"", b"]"])
_COMMA = np.uint8(ord(","))


class RunTexts(NamedTuple):
    """What the lines of a run's calls of one API in one version have in common."""

    before_id: str
    """What stands between time and correlation id."""
    end: str


@cache
def json_readers(api_key: int, version: int) -> Readers | None:
    """Give what reads an API in a version; None where lines have to be made one by one."""
    readers = readers_of(api_key, version)
    if readers is None or {(api_key, "request"), (api_key, "response")} & _SECRET:
        return None
    plain = all(_is_json(reader.fields, version) for reader in (readers.request, readers.response))
    return readers if plain else None


_SECRET = SECRET_FIELDS.keys() | CONFIG_APIS


def _is_json(fields: tuple[Field, ...], version: int) -> bool:
    return all(
        field.element_type not in _NO_JSON and _is_json(field.fields, version) for field in fields_of(fields, version)
    )


def call_lines(
    columns: CallColumns,
    rows: Numbers,
    layout: int,
    runs: Mapping[int, RunTexts],
    packets: tuple[Numbers, Numbers],
    file: str,
    time_digits: int,
    client_id_text: Callable[[bytes], str],
) -> tuple[list[bytes], Marks]:
    """Give the lines of some rows, all of one `layout` (API key << 16 | version), and which of them mean nothing.

    There may be zeros in lines, to be left out. `runs` has all runs of the rows; `packets` are the numbers of the
    last packets of request and response.
    """
    readers = json_readers(layout >> 16, layout & 0xFFFF)
    assert readers is not None
    count = len(rows)
    (buffer, asked, answered), odd = read_bodies(readers, columns, rows, LONGEST)
    batches = batches_of(buffer, asked, "request", count) or batches_of(buffer, answered, "response", count)
    if batches is not None:
        odd[batches.odd] = True
    run, begun = columns.run[rows], columns.request_time[rows]
    first, last = columns.response_packets[rows, 0], columns.request_packets[rows, 1]
    times = np.frombuffer(columns.batch.times, np.int64)
    ends = texts_of(run, lambda each: runs[each].end)
    pieces: list[Piece] = [
        b'{"type":"call","time":"',
        *_time_parts(begun, time_digits),
        texts_of(run, lambda each: runs[each].before_id),
        digits(columns.correlation_id[rows]),
        _client_ids(columns, rows, client_id_text),
        *body_pieces(buffer, asked, count),
        b',"response":',
        *body_pieces(buffer, answered, count),
        f',"responseApiVersion":{layout & 0xFFFF},"outcome":"answered","totalTimeMs":'.encode(),
        *_milliseconds(columns.response_time[rows] - begun),
        b',"responseDelayMs":',
        *_milliseconds(times[first] - times[last]),
        b',"requestSizeBytes":',
        digits(columns.request_end[rows] - columns.request[rows]),
        b',"responseSizeBytes":',
        digits(columns.response_end[rows] - columns.response[rows]),
        f',"requestFile":{file},"requestPacket":'.encode(),
        digits(packets[0]),
        f',"responseFile":{file},"responsePacket":'.encode(),
        digits(packets[1]),
    ]
    if batches is not None and len(batches.owner):
        pieces.append(_batches_piece(batches, count))
    if decoded := _decoded(columns, rows):
        pieces.append(decoded)
    return texts([*pieces, ends], count), odd


def _time_parts(times: Numbers, time_digits: int) -> list[Part]:
    second = times // NANOSECONDS
    fraction = times - second * NANOSECONDS
    # With six digits, the text up to the fraction ends seven bytes before the text's end.
    before = texts_of(second, lambda each: utc_text(each * NANOSECONDS, 6)[:-7])
    if time_digits > 6:
        return [before, padded_digits(fraction, 9), b"Z"]
    return [before, padded_digits(fraction // 1000, 6), b"Z"]


def _milliseconds(durations: Numbers) -> list[Part]:
    """Give durations (ns) as `milliseconds_text` does: no zeros at the end, but one digit at least."""
    if np.count_nonzero(durations < _TINY):
        return [texts_of(durations, milliseconds_text)]
    whole = durations // 1_000_000
    fraction = durations - whole * 1_000_000
    tail = padded_digits(fraction, 6)
    if not np.count_nonzero(fraction % 1000):
        tail = tail[:, :3].copy()
    zeros = tail == ord("0")
    # What only zeros follow is left out.
    ends = np.logical_and.accumulate(zeros[:, ::-1], axis=1)[:, ::-1]
    ends[:, 0] = False
    tail[ends] = 0
    return [digits(whole), b".", tail]


def _client_ids(columns: CallColumns, rows: Numbers, text: Callable[[bytes], str]) -> Block:
    """Give what stands between correlation id and request; `text` makes it of the client id with its length."""
    data, ids, run = columns.data, columns.client_ids, columns.run[rows]
    if all(ids[each] for each in np.flatnonzero(np.bincount(run)).tolist()):
        known = {each: len(raw).to_bytes(2, "big") + raw for each, raw in enumerate(ids) if raw}
        return texts_of(run, lambda each: text(known[each]))
    begins, ends = (columns.request[rows] + 8).tolist(), columns.client_id_end[rows].tolist()
    return table([text(data[begin:end]).encode() for begin, end in zip(begins, ends, strict=True)])


def _batches_piece(batches: Batches, count: int) -> Piece:
    """Give the member with the batches of each row; nothing for a row that has none."""
    owner = batches.owner
    first = np.append(True, owner[1:] != owner[:-1])
    last = np.append(first[1:], True)
    pieces: list[Piece] = [
        looked_up(_BATCHES_BEGIN, first.astype(np.int64)),
        (~first * _COMMA)[:, None],
        *batches.pieces,
        looked_up(_BATCHES_END, last.astype(np.int64)),
    ]
    return gathered(pieces, len(owner), owner, count)


def _decoded(columns: CallColumns, rows: Numbers) -> list[bytes]:
    """Give the member with what other calls told; an empty list where no call has any."""
    if not columns.sessions:
        return []
    texts: dict[int, bytes] = {}
    found = []
    for row in rows.tolist():
        step = columns.sessions.get(row)
        session = as_decoded(step) if step is not None else None
        # Steps that change nothing share what they cover.
        text = texts.get(id(session)) if session is not None else b""
        if text is None:
            text = texts[id(session)] = members_text({"decoded": [session]}).encode()
        found.append(text)
    return found if any(found) else []
