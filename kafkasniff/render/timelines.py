"""Timelines as tables for the terminal, or as JSON lines."""

import re
from collections.abc import Iterator

import orjson

from kafkasniff.diagnose.timeline import Row, Timeline
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.colours import Colours
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import utc_text
from kafkasniff.render.words import show
from kafkasniff.wording import file_name

_WIDEST = 100
_API = re.compile(r"^[A-Z_]+(?= v\d)")


def timeline_lines(timeline: Timeline, as_json: bool, colours: Colours) -> Iterator[bytes]:
    """Give the lines of a timeline, each with its newline."""
    if as_json:
        for row in timeline.rows:
            yield safe_line(orjson.dumps(_object(row), option=orjson.OPT_APPEND_NEWLINE))
        return
    widths = [
        max((len(text) for text in column), default=0) for column in zip(*map(_cells, timeline.rows), strict=True)
    ]
    for row in timeline.rows:
        client, what, count, mark, detail = _cells(row)
        texts = [text.ljust(width) for text, width in zip((client, what, count, mark), widths, strict=False)]
        time = utc_text(row.arrival.time, row.arrival.interface.time_digits)
        line = f"{colours.time}{time}{colours.off}  {texts[0]}  {colours.api}{texts[1]}{colours.off}  {texts[2]}  "
        yield f"{line}{colours.warning}{texts[3]}{colours.off}  {detail}".rstrip().encode() + b"\n"
    for text in timeline.story():
        yield f"{text}\n".encode()
    if timeline.left_out:
        yield f"{timeline.left_out:,} more rows were left out\n".encode()


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    count = f"×{row.count:,}" if row.count > 1 else ""
    # Screens have the names of messages, JSON those of Kafka's ApiKeys.
    what = _API.sub(lambda found: camel_case(found[0]), row.what)
    return show(row.client, 40), what, count, row.mark, show(row.detail, _WIDEST)


def _object(row: Row) -> dict[str, object]:
    digits = row.arrival.interface.time_digits
    return {
        "type": "timeline",
        "time": utc_text(row.arrival.time, digits),
        "lastTime": utc_text(row.last.time, digits),
        "client": row.client,
        "what": row.what,
        "count": row.count,
        "mark": row.mark,
        "detail": row.detail,
        "file": file_name(row.arrival.interface.file),
        "packet": row.arrival.packet,
    }
