"""The columns of lines before the last one, of many calls at once."""

from typing import NamedTuple

import numpy as np

from kafkasniff.calls.columns.calls import CallColumns, Numbers
from kafkasniff.calls.columns.messages import CLIENT_ID_AT
from kafkasniff.protocol.body_columns import Block
from kafkasniff.protocol.primitives import java_text
from kafkasniff.render.terminal import CallLines, Widths, api_text, client_id_text
from kafkasniff.render.text import duration_text
from kafkasniff.render.text_blocks import (
    Part,
    digits,
    distinct,
    looked_up,
    padded_digits,
    side_by_side,
    stacked,
    table,
)
from kafkasniff.render.times import NANOSECONDS, ClockTime, TimeText

_POWERS = 10 ** np.arange(1, 10)

# Durations below these have so many nanoseconds in a unit of their last digit (`duration_text`).
_DURATIONS = np.array([999_500, 9_995_000, 99_950_000, 999_500_000, 99_995_000_000])
_UNITS = np.array([1_000, 10_000, 100_000, 1_000_000, 10_000_000, 1])
_COUNTS = np.array([0, 1_000, 2_000, 3_000, 4_000, 14_000])
"""Where in one row of numbers their counts of units begin."""


class _Texts(NamedTuple):
    """Texts of the columns of some calls."""

    ends: list[tuple[str, str]]
    """Client and server."""
    of_ends: Numbers
    """For each row the index of its `ends`."""
    apis: list[str]
    of_api: Numbers
    """The same for APIs, …"""
    client_ids: list[str]
    of_client_id: Numbers
    """… and for client ids."""


def heads(lines: CallLines, columns: CallColumns, start: int, stop: int) -> Block:
    """Give what stands before the last column in the lines of some rows; widens the columns as `lines` would."""
    texts = _texts(lines, columns, start, stop)
    numbers = columns.correlation_id[start:stop]
    widths = _widths(lines.widths, texts, numbers)
    times = times_block(lines.time, columns.request_time[start:stop])
    changes = np.flatnonzero((widths[1:] != widths[:-1]).any(axis=1)) + 1
    took = durations(columns.response_time[start:stop] - columns.request_time[start:stop])
    found: list[Block] = []
    first = 0
    for last in [*changes.tolist(), stop - start]:
        lines.widths = Widths(*widths[first].tolist())
        parts = _parts(lines.widths, texts, slice(first, last), numbers[first:last])
        found.append(side_by_side([times[first:last], *parts, took[first:last]], last - first))
        first = last
    return stacked(found)


def _texts(lines: CallLines, columns: CallColumns, start: int, stop: int) -> _Texts:
    layouts, of_api = distinct(columns.api_key[start:stop] << 8 | columns.api_version[start:stop])
    apis = [api_text((layout >> 8, layout & 0xFF)) for layout in layouts.tolist()]
    runs, of_run = distinct(columns.run[start:stop])
    pairs = list(map(columns.facts.ends, runs.tolist()))
    places_of_pairs = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    of_ends = np.array([places_of_pairs[pair] for pair in pairs], np.int64)[of_run]
    servers = {server: lines.server(server) for _, server in places_of_pairs}
    ends = [(client, servers[server]) for client, server in places_of_pairs]
    data, ids = columns.data, [columns.client_ids[run] for run in runs.tolist()]
    if None not in ids:
        of_id = of_run
    else:
        begins, stops = columns.request[start:stop] + CLIENT_ID_AT, columns.client_id_end[start:stop]
        ids = [data[begin:end] for begin, end in zip(begins.tolist(), stops.tolist(), strict=True)]
        of_id = np.arange(stop - start)
    places = {raw: place for place, raw in enumerate(dict.fromkeys(ids))}
    texts = [_client_id(raw or b"") for raw in places]
    return _Texts(ends, of_ends, apis, of_api, texts, np.array([places[raw] for raw in ids], np.int64)[of_id])


def _client_id(raw: bytes) -> str:
    # A null client id is described like an empty one.
    return client_id_text(java_text(raw) or None)


def _widths(widths: Widths, texts: _Texts, numbers: Numbers) -> Numbers:
    """Give the widths of the columns at each row, as in `Widths`."""
    client, server = (np.array([len(both[side]) for both in texts.ends])[texts.of_ends] for side in (0, 1))
    api = np.array([len(text) for text in texts.apis])[texts.of_api]
    correlation = np.searchsorted(_POWERS, np.abs(numbers), side="right") + 1 + (numbers < 0)
    client_id = np.array([len(text) for text in texts.client_ids])[texts.of_client_id]
    lengths = np.stack((server, api, client, correlation, client_id), axis=1)
    lengths[0] = np.maximum(
        lengths[0], (widths.server, widths.api, widths.client, widths.correlation, widths.client_id)
    )
    found: Numbers = np.maximum.accumulate(lengths, axis=0)
    return found


def _parts(widths: Widths, texts: _Texts, rows: slice, numbers: Numbers) -> list[Part]:
    ends = [f"  {client:>{widths.client}} → {server:<{widths.server}}  ".encode() for client, server in texts.ends]
    apis = [f"{api:<{widths.api}} ".encode() for api in texts.apis]
    client_ids = [f"  {text:<{widths.client_id}}  ".encode() for text in texts.client_ids]
    correlation = digits(numbers)
    padded = np.full((len(numbers), widths.correlation), ord(" "), np.uint8)
    shown = min(correlation.shape[1], widths.correlation)
    padded[:, -shown:] = np.where(correlation[:, -shown:], correlation[:, -shown:], np.uint8(ord(" ")))
    return [
        looked_up(table(ends), texts.of_ends[rows]),
        looked_up(table(apis), texts.of_api[rows]),
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


def durations(nanoseconds: Numbers) -> Block:
    """Give durations as in their column, with the space behind it."""
    kind = np.searchsorted(_DURATIONS, nanoseconds, side="right")
    unit = _UNITS[kind]
    count = nanoseconds // unit
    rest = nanoseconds - count * unit
    count += 2 * rest > unit
    codes = _COUNTS[kind] + count
    rounded = count * unit
    # What is half way between two texts, Python rounds.
    odd = np.flatnonzero((2 * rest == unit) | (nanoseconds < 0) | (unit == 1))
    rounded[odd] = nanoseconds[odd]
    codes[odd] = _COUNTS[-1] + np.arange(len(odd))
    found, index = distinct(codes)
    example = np.zeros(len(found), np.int64)
    example[index] = rounded
    return looked_up(table([_TOOK[each] for each in example.tolist()]), index)


class _Took(dict[int, bytes]):
    """Texts of durations; bounded."""

    most = 1 << 14

    def __missing__(self, duration: int) -> bytes:
        if len(self) >= self.most:
            self.clear()
        text = self[duration] = f"{duration_text(duration):>7}  ".encode()
        return text


_TOOK = _Took()
