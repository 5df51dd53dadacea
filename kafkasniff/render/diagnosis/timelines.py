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
from kafkasniff.render.wrapping import fold, paragraph
from kafkasniff.wording import file_name

_WIDEST = 100
_LEAST_DETAIL = 24
"""Columns of a terminal that must be left beside the others for the detail to stand there."""
_INDENT = "    "
_HEAD = ("client", "what", "count")


def timeline_lines(timeline: Timeline, as_json: bool, colours: Colours, width: int | None) -> Iterator[bytes]:
    """Give the lines of a timeline, each with its newline; `width` is that of the terminal, None: there is none."""
    if as_json:
        for row in timeline.in_order():
            yield safe_line(orjson.dumps(_object(row), option=orjson.OPT_APPEND_NEWLINE))
        return
    rows = timeline.in_order()
    widths = [max(map(len, column)) for column in zip(*map(_cells, rows), strict=True)][:-1]
    margin = sum(size + 2 for size in widths) + 2 + max((_time_size(row) for row in rows), default=0)
    if width is not None and width - margin < _LEAST_DETAIL and widths:
        margin -= widths.pop() + 2  # marks stand before the detail then
    is_beside = width is None or width - margin >= _LEAST_DETAIL
    day = ""
    for row in rows:
        who, what, count, *others = _cells(row)
        date, _, time = utc_text(row.arrival.time, row.arrival.interface.time_digits).rstrip("Z").partition("T")
        if date != day:
            day = date
            yield f"{colours.note}{date} (UTC){colours.off}\n".encode()
        head = f"{time}  {who:<{widths[0]}}  {what:<{widths[1]}}  {count:<{widths[2]}}"
        line = f"{colours.time}{time}{colours.off}  {who:<{widths[0]}}  {colours.api}{what:<{widths[1]}}{colours.off}"
        line += f"  {count:<{widths[2]}}"
        if width is not None and len(head.rstrip()) > width:
            line = fold(head.rstrip(), width)
        if len(widths) > len(_HEAD):
            mark = others.pop(0)
            line += f"  {colours.warning}{mark:<{widths[-1]}}{colours.off}"
        detail = "  ".join(filter(None, others))
        if width is not None and detail:
            beside, below = " " * margin, max(min(margin, width - max(map(len, detail.split()))), len(_INDENT))
            detail = (
                paragraph(detail, width, beside, " " * below).removeprefix(beside)
                if is_beside
                else f"\n{paragraph(detail, width, _INDENT)}"
            )
        line = f"{line}  {detail}" if is_beside else f"{line.rstrip()}{detail}"
        yield f"{line.rstrip()}\n".encode()
    for text in timeline.story():
        yield f"{fold(text, width)}\n".encode()
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


def _time_size(row: Row) -> int:
    return len("00:00:00.") + row.arrival.interface.time_digits


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
