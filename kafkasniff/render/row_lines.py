"""Lines of many calls at once, for pipes and files: as `CallLines` gives them for each, without an object a call."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from kafkasniff.calls.columns.calls import CallColumns, CallRows, Numbers
from kafkasniff.calls.columns.messages import CLIENT_ID_AT
from kafkasniff.protocol.body_columns import Block
from kafkasniff.protocol.primitives import java_text
from kafkasniff.render.brokers import TELLING_APIS
from kafkasniff.render.call_bodies import by_layout
from kafkasniff.render.head_columns import heads
from kafkasniff.render.remembered import RememberedTexts
from kafkasniff.render.tail_columns import TailColumns
from kafkasniff.render.tails import Tails
from kafkasniff.render.terminal import CallLines, api_text, client_id_text
from kafkasniff.render.text import duration_text
from kafkasniff.render.text_blocks import Part, looked_up, row_texts, squeezed, stacked
from kafkasniff.render.times import NANOSECONDS

_TELLING = sorted(TELLING_APIS)
_MOST_TOLD = 8 << 20
"""Bytes of the answers that are remembered to have told nothing new."""
_NUMBER = 4
"""Bytes of the correlation id, which an answer begins with."""

FEWEST_ROWS = 64
"""Calls from which on making their lines at once costs less than making one after the other."""


class RowLines:
    """Formats rows of calls in the columns of a `CallLines`, which must be plain (see there)."""

    def __init__(self, lines: CallLines) -> None:
        """Share widths and what is known of brokers with `lines`."""
        self._lines = lines
        self._tails = Tails(partial(lines.tail, room=None))
        self._tail_columns = TailColumns(partial(lines.tail, room=None))
        self._remembered = RememberedTexts()
        self._columns: CallColumns | None = None
        self._fixed: dict[int, tuple[str, str, str | None]] = {}
        """What stands before and behind the correlation id, and the client id, by run and layout, where that tells."""
        self._expected: dict[int, dict[int, bytes]] = {}
        """Last columns that were made already, with newlines, by the identity of the call's columns and its row, until
        they are asked for."""
        self._told: dict[tuple[int, bytes], int] = {}
        """Answers that tell of brokers, with what `BrokerIds.changes` was when nothing they tell was new any more."""
        self._told_bytes = 0
        self._state = self._look()
        """Of what all these were made."""

    def expect(self, rows: Iterable[CallRows]) -> None:
        """Get ready for calls whose lines will be asked for next, and before those of any others.

        What comes in small parts is dealt with together as far as it goes.
        """
        parts: dict[int, list[CallRows]] = {}
        for each in rows:
            if each.stop - each.start < FEWEST_ROWS:
                parts.setdefault(id(each.columns), []).append(each)
        self._expected.clear()
        for key, found in parts.items():
            wanted = np.concatenate([np.arange(each.start, each.stop) for each in found])
            if len(wanted) >= FEWEST_ROWS:
                tails = self._at_once(found[0].columns, wanted, None)
                self._expected[key] = dict(zip(wanted.tolist(), tails, strict=True))

    def lines(self, rows: CallRows) -> bytes:
        """Give the lines of calls, each with its newline."""
        columns, row = rows.columns, rows.start
        self._turn_to(columns)
        if rows.stop - rows.start >= FEWEST_ROWS:
            return self._by_columns(rows)
        lines, data, fixed = self._lines, columns.data, self._fixed
        time_text, tail, widths, call = lines.time, self._tails.text, lines.widths, columns.call
        expected = self._expected.get(id(columns), {})
        found: list[str] = []
        add = found.append
        for (
            run,
            key,
            version,
            number,
            request,
            client_id_end,
            body,
            request_end,
            response,
            response_end,
            time,
            total,
        ) in rows.fields():
            if key in TELLING_APIS and self._learn(row, (key << 16 | version, data[response + _NUMBER : response_end])):
                self._fixed.clear()
            correlation = str(number)
            if len(correlation) != widths.correlation:
                widths.fit_ids(correlation, "")
                correlation = correlation.rjust(widths.correlation)
            layout = key << 16 | version
            parts = fixed.get(run << 32 | layout)
            if parts is None:
                parts = self._fix(run, layout, data[request + CLIENT_ID_AT : client_id_end])
            before, behind, client_id = parts
            known = expected.pop(row, None)
            text = (
                tail(layout, data, body, request_end, response, response_end, client_id, call, row)
                if known is None
                else known.decode()
            )
            add(f"{time_text(time)}{before}{correlation}{behind}{duration_text(total):>7}  {text}".rstrip())
            row += 1
        self._state = self._look()
        found.append("")
        return "\n".join(found).encode()

    def _by_columns(self, rows: CallRows) -> bytes:
        columns, start, stop = rows
        before = stacked([heads(self._lines, columns, part.start, part.stop) for part in self._learn_from(rows)])
        found = self._at_once(columns, np.arange(start, stop), before)
        self._fixed.clear()
        self._state = self._look()
        return b"".join(found)

    def _at_once(self, columns: CallColumns, rows: Numbers, before: Block | None) -> list[bytes]:
        """Give the last column of some rows, with newlines; whole lines with what stands `before` it."""
        found = np.empty(len(rows), object)
        left = np.ones(len(rows), np.bool_)
        for layout, places in by_layout(columns, rows):
            if len(places) < FEWEST_ROWS:
                continue
            if self._remembered.may_know(layout):
                found[places] = _lines(before, places, self._repeated(columns, layout, rows[places]))
                left[places] = False
                continue
            for chosen, texts in self._tail_columns.texts(
                columns, layout, rows[places], partial(_chosen, before, places)
            ):
                found[places[chosen]] = texts
                left[places[chosen]] = False
        odd = np.flatnonzero(left)
        found[odd] = _lines(before, odd, self._tail_texts(columns, rows[odd]))
        lines: list[bytes] = found.tolist()
        return lines

    def _repeated(self, columns: CallColumns, layout: int, rows: Numbers) -> list[bytes]:
        """Give the last column of some rows, with newlines, of a layout whose calls mostly repeat others."""
        repeats = self._remembered.look_up(columns, layout, rows)
        new = rows[repeats.new]
        texts = np.empty(len(new), object)
        left = np.ones(len(new), np.bool_)
        for chosen, made in self._tail_columns.texts(columns, layout, new):
            texts[chosen] = made
            left[chosen] = False
        texts[left] = self._tail_texts(columns, new[left])
        found = repeats.take(texts.tolist())
        self._remembered.add(repeats)
        return found

    def _tail_texts(self, columns: CallColumns, rows: Numbers) -> list[bytes]:
        """Give the last column of some rows one by one, with newlines."""
        data, tail, call = columns.data, self._tails.text, columns.call
        texts = []
        for row, fields in zip(rows.tolist(), columns.fields(rows), strict=True):
            run, key, version, _, request, client_id_end, body, request_end, response, response_end, _, _ = fields
            client_id = java_text(columns.client_ids[run] or data[request + CLIENT_ID_AT : client_id_end]) or None
            text = tail(key << 16 | version, data, body, request_end, response, response_end, client_id, call, row)
            texts.append(f"{text.rstrip()}\n".encode())
        return texts

    def _learn_from(self, rows: CallRows) -> Iterator[CallRows]:
        """Learn from calls which brokers there are; give the rows in parts, each when it is known what it shows."""
        columns, start, stop = rows
        brokers, data = self._lines.brokers, columns.data
        telling = start + np.flatnonzero(np.isin(columns.api_key[start:stop], _TELLING))
        layouts = columns.api_key[telling] << 16 | columns.api_version[telling]
        begins, ends = columns.response[telling] + _NUMBER, columns.response_end[telling]
        answers = zip(telling.tolist(), layouts.tolist(), begins.tolist(), ends.tolist(), strict=True)
        for row, layout, begin, end in answers:
            answer = layout, data[begin:end]
            if self._told.get(answer) == brokers.changes:
                continue
            news = brokers.news(columns.call(row))
            if news:
                # Servers may have longer names from here on.
                if start < row:
                    yield CallRows(columns, start, row)
                start = row
                brokers.take(news)
            self._note_told(answer)
        yield CallRows(columns, start, stop)

    def pass_over(self, rows: CallRows) -> None:
        """Learn from calls, and remember of them, what `lines` would, without their lines."""
        columns, start, stop = rows
        self._turn_to(columns)
        for part in self._learn_from(rows):
            self._fit(columns, part.start, part.stop)
        for time in _telling_times(columns.request_time[start:stop]):
            self._lines.time(time)

    def _fit(self, columns: CallColumns, start: int, stop: int) -> None:
        """Widen the columns to hold these calls."""
        lines, widths, data = self._lines, self._lines.widths, columns.data
        numbers = columns.correlation_id[start:stop]
        for number in (numbers.min(), numbers.max()):
            widths.fit_ids(str(number), "")
        for layout, _ in by_layout(columns, np.arange(start, stop)):
            widths.fit("", "", api_text((layout >> 16, layout & 0xFFFF)))
        runs = columns.run[start:stop]
        for run in np.unique(runs).tolist():
            facts, raw_id = columns.facts[run], columns.client_ids[run]
            widths.fit(facts.client, lines.server(facts.server), "")
            if raw_id is not None:
                widths.fit_ids("", client_id_text(java_text(raw_id) or None))
                continue
            for row in (start + np.flatnonzero(runs == run)).tolist():
                raw_id = data[columns.request.item(row) + CLIENT_ID_AT : columns.client_id_end.item(row)]
                widths.fit_ids("", client_id_text(java_text(raw_id) or None))

    def _turn_to(self, columns: CallColumns) -> None:
        """Forget what was made of other columns, or in other widths."""
        if columns is not self._columns or self._look() != self._state:
            self._fixed.clear()
        self._columns = columns

    def _learn(self, row: int, answer: tuple[int, bytes]) -> bool:
        """Learn from a call which brokers there are; True when anything is new."""
        brokers = self._lines.brokers
        if self._told.get(answer) == brokers.changes:
            return False
        before = brokers.changes
        assert self._columns is not None
        brokers.learn(self._columns.call(row))
        self._note_told(answer)
        return brokers.changes != before

    def _note_told(self, answer: tuple[int, bytes]) -> None:
        """Note that an answer tells nothing new any more."""
        self._told_bytes += len(answer[1])
        if self._told_bytes > _MOST_TOLD:
            self._told.clear()
            self._told_bytes = len(answer[1])
        self._told[answer] = self._lines.brokers.changes

    def _look(self) -> tuple[int, int, int, int, int]:
        widths = self._lines.widths
        return self._lines.brokers.changes, widths.client, widths.server, widths.api, widths.client_id

    def _fix(self, run: int, layout: int, raw_id: bytes) -> tuple[str, str, str | None]:
        """Format what the calls of a run, an API and a client id have in common."""
        assert self._columns is not None
        # A null client id is described like an empty one.
        facts, client_id, before = self._columns.facts[run], java_text(raw_id) or None, self._look()
        parts = self._lines.fixed_parts(facts.client, facts.server, (layout >> 16, layout & 0xFFFF), client_id)
        if self._look() != before:
            self._fixed.clear()
        if self._columns.client_ids[run] is not None:
            self._fixed[run << 32 | layout] = (*parts, client_id)
        return (*parts, client_id)


def _chosen(before: Block | None, places: Numbers, chosen: Numbers) -> Part:
    return b"" if before is None else looked_up(before, places[chosen])


def _lines(before: Block | None, places: Numbers, tails: list[bytes]) -> list[bytes]:
    """Put lines together of what stands before at these places, if anything does, and of last columns."""
    return tails if before is None else [*map(_line, row_texts(looked_up(before, places)), tails)]


def _line(before: bytes, tail: bytes) -> bytes:
    """Put a line together; nothing but a newline stands behind spaces."""
    before = squeezed(before)
    return before + tail if tail != b"\n" else before.rstrip() + tail


def _telling_times(times: Numbers) -> list[int]:
    """Give the times that change what a time column remembers: seconds that begin, parts of µs, and the last."""
    telling = np.zeros(len(times), bool)
    telling[[0, -1]] = True
    telling[1:] |= np.diff(times // NANOSECONDS) != 0
    telling[np.flatnonzero(times % 1000)[:1]] = True
    found: list[int] = times[telling].tolist()
    return found
