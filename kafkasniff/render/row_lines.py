"""Lines of many calls at once, for pipes and files: as `CallLines` gives them for each, without an object a call."""

from functools import partial

from kafkasniff.calls.call_columns import CallColumns, CallRows
from kafkasniff.protocol.primitives import java_text
from kafkasniff.render.brokers import TELLING_APIS
from kafkasniff.render.tails import Tails
from kafkasniff.render.terminal import CallLines, api_text, client_id_text
from kafkasniff.render.text import duration_text

_CLIENT_ID_AT = 10
"""Bytes of a request before its client id."""


class RowLines:
    """Formats rows of calls in the columns of a `CallLines`, which must be plain (see there)."""

    def __init__(self, lines: CallLines) -> None:
        """Share widths and what is known of brokers with `lines`."""
        self._lines = lines
        self._tails = Tails(partial(lines.tail, room=None))
        self._columns: CallColumns | None = None
        self._fixed: dict[tuple[int, int, bytes], tuple[str, str, str | None]] = {}
        """By run, layout and client id: what stands before and behind the correlation id, and the client id."""
        self._servers: dict[int, str] = {}
        self._state = self._look()
        """Of what `_fixed` and `_servers` were made."""

    def lines(self, rows: CallRows) -> bytes:
        """Give the lines of calls, each with its newline."""
        columns, start, stop = rows
        if columns is not self._columns or self._look() != self._state:
            self._columns = columns
            self._forget()
        lines, data, fixed = self._lines, columns.data, self._fixed
        time_text, tail, widths, call = lines.time, self._tails.text, lines.widths, columns.call
        begun = columns.request_time[start:stop]
        found: list[str] = []
        add = found.append
        row = start
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
        ) in zip(
            columns.run[start:stop].tolist(),
            columns.api_key[start:stop].tolist(),
            columns.api_version[start:stop].tolist(),
            columns.correlation_id[start:stop].tolist(),
            columns.request[start:stop].tolist(),
            columns.client_id_end[start:stop].tolist(),
            columns.body[start:stop].tolist(),
            columns.request_end[start:stop].tolist(),
            columns.response[start:stop].tolist(),
            columns.response_end[start:stop].tolist(),
            begun.tolist(),
            (columns.response_time[start:stop] - begun).tolist(),
            strict=True,
        ):
            if key in TELLING_APIS:
                changes = lines.brokers.changes
                lines.learn(call(row))
                if lines.brokers.changes != changes:
                    self._forget()
            correlation = str(number)
            if len(correlation) > widths.correlation:
                widths.fit_ids(correlation, "")
            what = run, key << 16 | version, data[request + _CLIENT_ID_AT : client_id_end]
            parts = fixed.get(what)
            if parts is None:
                parts = self._fix(*what)
            before, behind, client_id = parts
            took = duration_text(total)
            text = tail(
                key << 16 | version, data, body, request_end, response, response_end, client_id, partial(call, row)
            )
            line = f"{time_text(time)}{before}{correlation:>{widths.correlation}}{behind}{took:>7}  {text}"
            add(line.rstrip())
            row += 1
        self._state = self._look()
        found.append("")
        return "\n".join(found).encode()

    def _look(self) -> tuple[int, int, int, int, int]:
        widths = self._lines.widths
        return self._lines.brokers.changes, widths.client, widths.server, widths.api, widths.client_id

    def _forget(self) -> None:
        self._fixed.clear()
        self._servers.clear()

    def _fix(self, run: int, layout: int, raw_id: bytes) -> tuple[str, str, str | None]:
        """Format what the calls of a run, an API and a client id have in common."""
        lines, columns = self._lines, self._columns
        assert columns is not None
        facts = columns.facts[run]
        server = self._servers.get(run)
        if server is None:
            server = self._servers[run] = lines.server(facts.server)
        # A null client id is described like an empty one.
        client_id = java_text(raw_id) or None
        api, who, widths = api_text((layout >> 16, layout & 0xFFFF)), client_id_text(client_id), lines.widths
        known = self._look()
        widths.fit(facts.client, server, api)
        widths.fit_ids("", who)
        if self._look() != known:
            self._fixed.clear()
        parts = self._fixed[run, layout, raw_id] = (
            f"  {facts.client:>{widths.client}} → {server:<{widths.server}}  {api:<{widths.api}} ",
            f"  {who:<{widths.client_id}}  ",
            client_id,
        )
        return parts
