"""The columns of lines before the last one, of many calls at once."""

from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import CallColumns, Numbers
from kafkasniff.protocol.primitives import java_text
from kafkasniff.render.terminal import CallLines, Widths, api_text, client_id_text
from kafkasniff.render.text import duration_text
from kafkasniff.render.text_blocks import (
    Block,
    Part,
    digits,
    distinct,
    looked_up,
    padded_digits,
    row_texts,
    side_by_side,
    table,
)
from kafkasniff.render.times import NANOSECONDS, ClockTime, TimeText

CLIENT_ID_AT = 10
"""Bytes of a request before its client id."""

_POWERS = 10 ** np.arange(1, 10)

# Durations below these have so many nanoseconds in a unit of their last digit (`duration_text`).
_DURATIONS = np.array([999_500, 9_995_000, 99_950_000, 999_500_000, 99_995_000_000])
_UNITS = np.array([1_000, 10_000, 100_000, 1_000_000, 10_000_000, 1])


class _Texts(NamedTuple):
    """Texts of the columns of some calls."""

    calls: list[tuple[str, str, str]]
    """Client, server and API."""
    of_call: Numbers
    """For each row the index of its `calls`."""
    client_ids: list[str]
    of_client_id: Numbers
    """The same for client ids."""


def heads(lines: CallLines, columns: CallColumns, start: int, stop: int) -> list[bytes]:
    """Give what stands before the durations in the lines of some rows; widens the columns as `lines` would."""
    texts = _texts(lines, columns, start, stop)
    numbers = columns.correlation_id[start:stop]
    widths = _widths(lines.widths, texts, numbers)
    times = times_block(lines.time, columns.request_time[start:stop])
    changes = np.flatnonzero((widths[1:] != widths[:-1]).any(axis=1)) + 1
    found: list[bytes] = []
    first = 0
    for last in [*changes.tolist(), stop - start]:
        lines.widths = Widths(*widths[first].tolist())
        parts = _parts(lines.widths, texts, slice(first, last), numbers[first:last])
        found += row_texts(side_by_side([times[first:last], *parts], last - first))
        first = last
    return found


def _texts(lines: CallLines, columns: CallColumns, start: int, stop: int) -> _Texts:
    run = columns.run[start:stop]
    layouts, of_layout = distinct(columns.api_key[start:stop] << 8 | columns.api_version[start:stop])
    apis = [api_text((layout >> 8, layout & 0xFF)) for layout in layouts.tolist()]
    known, of_call = distinct(run * len(apis) + of_layout)
    calls = []
    for run_number, layout in (divmod(code, len(apis)) for code in known.tolist()):
        facts = columns.facts[run_number]
        calls.append((facts.client, lines.server(facts.server), apis[layout]))
    data, ids = columns.data, columns.client_ids
    if all(ids[each] is not None for each in np.flatnonzero(np.bincount(run)).tolist()):
        return _Texts(calls, of_call, [_client_id(raw or b"") for raw in ids], run)
    begins, ends = columns.request[start:stop] + CLIENT_ID_AT, columns.client_id_end[start:stop]
    each = [_client_id(data[begin:end]) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return _Texts(calls, of_call, each, np.arange(stop - start))


def _client_id(raw: bytes) -> str:
    # A null client id is described like an empty one.
    return client_id_text(java_text(raw) or None)


def _widths(widths: Widths, texts: _Texts, numbers: Numbers) -> Numbers:
    """Give the widths of the columns at each row, as in `Widths`."""
    client, server, api = (np.array([len(call[index]) for call in texts.calls])[texts.of_call] for index in range(3))
    correlation = np.searchsorted(_POWERS, np.abs(numbers), side="right") + 1 + (numbers < 0)
    client_id = np.array([len(text) for text in texts.client_ids])[texts.of_client_id]
    lengths = np.stack((server, api, client, correlation, client_id), axis=1)
    lengths[0] = np.maximum(
        lengths[0], (widths.server, widths.api, widths.client, widths.correlation, widths.client_id)
    )
    found: Numbers = np.maximum.accumulate(lengths, axis=0)
    return found


def _parts(widths: Widths, texts: _Texts, rows: slice, numbers: Numbers) -> list[Part]:
    calls = [
        f"  {client:>{widths.client}} → {server:<{widths.server}}  {api:<{widths.api}} ".encode()
        for client, server, api in texts.calls
    ]
    client_ids = [f"  {text:<{widths.client_id}}  ".encode() for text in texts.client_ids]
    correlation = digits(numbers)
    padded = np.full((len(numbers), widths.correlation), ord(" "), np.uint8)
    shown = min(correlation.shape[1], widths.correlation)
    padded[:, -shown:] = np.where(correlation[:, -shown:], correlation[:, -shown:], np.uint8(ord(" ")))
    return [
        looked_up(table(calls), texts.of_call[rows]),
        padded,
        looked_up(table(client_ids), texts.of_client_id[rows]),
    ]


def times_block(text: TimeText, times: Numbers) -> Block:
    """Give times as text, in order."""
    if isinstance(text, ClockTime) and not np.count_nonzero(times % text.unit):
        seconds, index = distinct(times // NANOSECONDS)
        before = text.of_seconds(seconds.tolist())
        if before is not None:
            # What is shown next depends on the last.
            text(times.item(-1))
            count = 9 if text.unit == 1 else 6
            fraction = padded_digits(times % NANOSECONDS // text.unit, count)
            return side_by_side([looked_up(table([each.encode() for each in before]), index), fraction], len(times))
    return table([text(time).encode() for time in times.tolist()])


def durations(nanoseconds: Numbers) -> list[bytes]:
    """Give durations as in their column, with the space behind it."""
    kind = np.searchsorted(_DURATIONS, nanoseconds, side="right")
    unit = _UNITS[kind]
    rest = nanoseconds % unit
    rounded = nanoseconds - rest + np.where(2 * rest > unit, unit, 0)
    # What is half way between two texts, Python rounds.
    rounded = np.where((2 * rest == unit) | (nanoseconds < 0), nanoseconds, rounded)
    return [_TOOK[each] for each in rounded.tolist()]


class _Took(dict[int, bytes]):
    """Texts of durations; bounded."""

    most = 1 << 14

    def __missing__(self, duration: int) -> bytes:
        if len(self) >= self.most:
            self.clear()
        text = self[duration] = f"{duration_text(duration):>7}  ".encode()
        return text


_TOOK = _Took()
