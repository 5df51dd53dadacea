"""Where consumers stand, as a table for the terminal or as JSON lines (fields: docs/json.md)."""

from collections.abc import Iterator, Sequence

import orjson

from kafkasniff.diagnose.consumers.lag import Standing
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.tables.table import table_lines
from kafkasniff.render.times import utc_text
from kafkasniff.render.words import show

_COLUMNS = ("group", "client", "topic", "partition", "lag", "grown by", "since", "written/s", "read/s", "known from")
_NUMBERS = (False, False, False, True, True, True, False, True, True, False)
_MICROSECOND_DIGITS = 6


def lag_lines(standings: Sequence[Standing], as_json: bool, width: int | None) -> Iterator[bytes]:
    """Give the lines, each with its newline, of at most `width` columns."""
    if as_json:
        for each in standings:
            yield safe_line(orjson.dumps(_object(each), option=orjson.OPT_APPEND_NEWLINE))
    elif standings:
        for line in table_lines(_COLUMNS, [_cells(each) for each in standings], _NUMBERS, width):
            yield f"{line}\n".encode()


def _cells(standing: Standing) -> list[str]:
    first, last = standing.first, standing.last
    grown = standing.lag - first.lag
    written = standing.per_second(last.end - first.end)
    read = standing.per_second(last.position - first.position)
    return [
        show(standing.group or "-", 60),
        show(standing.client.name, 60),
        show(standing.topic, 80),
        str(standing.partition),
        f"{standing.lag:,}",
        f"{grown:,}",
        utc_text(first.time, 0) if grown else "-",
        "-" if written is None else f"{written:,.1f}",
        "-" if read is None else f"{read:,.1f}",
        standing.by,
    ]


def _object(standing: Standing) -> dict[str, object]:
    first, last = standing.first, standing.last
    written = standing.per_second(last.end - first.end)
    read = standing.per_second(last.position - first.position)
    return {
        "type": "lag",
        "group": standing.group,
        "clientId": standing.client.client_id,
        "client": standing.client.host,
        "topic": standing.topic,
        "partition": standing.partition,
        "position": standing.position,
        "positionFrom": standing.by,
        "end": standing.end,
        "lag": standing.lag,
        "time": utc_text(last.time, _MICROSECOND_DIGITS),
        "leastLag": first.lag,
        "since": utc_text(first.time, _MICROSECOND_DIGITS),
        "writtenPerSecond": written,
        "readPerSecond": read,
    }
