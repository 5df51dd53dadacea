"""Timelines as tables for the terminal, or as JSON lines."""

from collections.abc import Iterator

import orjson

from kafkasniff.diagnose.timeline import Row, Timeline
from kafkasniff.near_names import did_you_mean
from kafkasniff.protocol.names import message_names
from kafkasniff.render.colours import Colours
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import utc_text
from kafkasniff.render.words import show
from kafkasniff.wording import file_name

_WIDEST = 100


def timeline_lines(timeline: Timeline, as_json: bool, colours: Colours) -> Iterator[bytes]:
    """Give the lines of a timeline, each with its newline."""
    if as_json:
        for row in timeline.in_order():
            yield safe_line(orjson.dumps(_object(row), option=orjson.OPT_APPEND_NEWLINE))
        return
    rows = timeline.in_order()
    widths = [max((len(text) for text in column), default=0) for column in zip(*map(_cells, rows), strict=True)]
    day = ""
    for row in rows:
        client, what, count, mark, detail = _cells(row)
        texts = [text.ljust(width) for text, width in zip((client, what, count, mark), widths, strict=False)]
        date, _, time = utc_text(row.arrival.time, row.arrival.interface.time_digits).rstrip("Z").partition("T")
        if date != day:
            day = date
            yield f"{colours.note}{date} (UTC){colours.off}\n".encode()
        line = f"{colours.time}{time}{colours.off}  {texts[0]}  {colours.api}{texts[1]}{colours.off}  {texts[2]}  "
        yield f"{line}{colours.warning}{texts[3]}{colours.off}  {detail}".rstrip().encode() + b"\n"
    for text in timeline.story():
        yield f"{text}\n".encode()
    if timeline.left_out:
        yield f"{timeline.left_out:,} more rows were left out\n".encode()


def nothing_text(timeline: Timeline) -> str:
    """Say that no call names what a timeline is of, and what calls name instead; nothing where one does."""
    others = timeline.others()
    if others is None:
        return ""
    text = f"no call names {timeline.kind} {show(timeline.name)}{did_you_mean(timeline.name, map(show, others))}"
    seen = f"{', '.join(map(show, others)) or 'none'}{', and more' if others.more else ''}"
    return f"{text}{'' if text.endswith('?') else ';'} {timeline.kind}s seen: {seen}"


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    count = f"×{row.count:,}" if row.count > 1 else ""
    return show(row.client, 40), message_names(row.what), count, row.mark, show(row.detail, _WIDEST)


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
