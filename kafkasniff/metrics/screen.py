"""What came in an interval, for people: `kafkasniff live --top` and `--every TIME`."""

from collections.abc import Mapping, Sequence

from kafkasniff.diagnose.finding import Finding
from kafkasniff.metrics.breakdown import Key, Row, merged, total
from kafkasniff.metrics.history import STEPS, Change, History
from kafkasniff.metrics.lines import KEYS
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import API_BROKER, Snapshot
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.colours import Colours
from kafkasniff.render.diagnosis.findings import for_people
from kafkasniff.render.tables.sparkline import sparkline
from kafkasniff.render.tables.table import table_lines
from kafkasniff.render.words import cells, count_text, pad, shorten, shorten_inside, show, size_text
from kafkasniff.render.wrapping import paragraph

TITLES = {
    "api_name": "API", "server": "broker", "client_id": "client id", "topic": "topic", "group": "group",
    "error": "error",
}  # fmt: skip
NUMBERS = ("calls/s", "bytes/s", "failed", "unanswered", "throttled", "p50 ms", "p99 ms")

_DROPPED = [NUMBERS.index(name) for name in ("throttled", "unanswered", "bytes/s", "p50 ms")]
"""Not shown, in this order, where the screen has no room for them."""
_LEAST_NAME = 20
_MOST_CHANGES, _MOST_FINDINGS = 5, 5


def headline(came: Snapshot, seconds: float, state: State) -> str:
    """Say in a line what came in an interval of so many seconds, and what there is now."""
    everything = total(came.rows[API_BROKER].values())
    words = [
        f"{everything['calls'] / seconds:,.1f} calls/s",
        f"{size_text(int((everything['request_bytes'] + everything['response_bytes']) / seconds))}/s",
        f"{state.packets / seconds:,.0f} packets/s",
        count_text(state.open_connections, "Kafka connection"),
        f"{state.in_flight:,} in flight",
    ]
    words += [
        f"{int(everything[name]):,} {text}"
        for name, text in (("failed", "with errors"), ("unanswered", "unanswered"), ("throttled", "throttled"))
        if everything[name]
    ]
    if state.dropped_packets:
        words.append(f"{count_text(state.dropped_packets, 'packet')} dropped")
    if state.gaps:
        words.append(count_text(state.gaps, "gap"))
    return ", ".join(words)


def ordered_rows(came: Snapshot, name: str, labels: Key) -> list[tuple[str, Row]]:
    """Give the values of a key with their rows, the busiest first."""
    rows = merged(came.rows[labels], labels.index(name))
    return sorted(((value, row) for (value,), row in rows.items()), key=lambda each: (-each[1]["calls"], each[0]))


def numbers(row: Row, seconds: float) -> list[str]:
    """Give what is shown of a row, by `NUMBERS`."""
    return [
        f"{row['calls'] / seconds:,.1f}",
        size_text(int((row["request_bytes"] + row["response_bytes"]) / seconds)),
        *(f"{int(row[name]):,}" if row[name] else "-" for name in ("failed", "unanswered", "throttled")),
        *(_milliseconds(row.percentile_ms(share)) for share in (0.5, 0.99)),
    ]


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


def interval_text(came: Snapshot, seconds: float, state: State, most_rows: int, width: int | None) -> Sequence[str]:
    """Give an interval as lines of text: a table for each key, of at most so many rows."""
    lines = [headline(came, seconds, state), ""]
    for name, labels in KEYS:
        ordered = ordered_rows(came, name, labels)
        if not ordered:
            continue
        texts = [[_shown(name, value), *numbers(row, seconds)] for value, row in ordered[:most_rows]]
        lines += table_lines([TITLES[name], *NUMBERS], texts, [False] + [True] * len(NUMBERS), width)
        lines += [f"… and {len(ordered) - most_rows:,} more"] if len(ordered) > most_rows else []
        lines.append("")
    return lines


def top_lines(
    history: History, findings: Sequence[Finding], title: str, width: int, height: int, colours: Colours
) -> list[str]:
    """Give a screen: what comes now, what changed in the last minute, and the latest findings."""
    came, seconds, state = history.now()
    head = paragraph(f"{title}: {headline(came, seconds, state)}", width).split("\n")
    told = [_finding_line(finding, width, colours) for finding in findings[:_MOST_FINDINGS]]
    if len(findings) > _MOST_FINDINGS:
        told.append(f"… and {len(findings) - _MOST_FINDINGS:,} findings more")
    changes = [shorten(_change_text(each), width) for each in history.changes()[:_MOST_CHANGES]]
    if changes:
        changes = [f"{colours.note}changed in the last minute{colours.off}", *changes, ""]
    found = [(name, ordered_rows(came, name, labels)) for name, labels in KEYS]
    found = [(name, rows) for name, rows in found if rows]
    room = height - len(head) - 1 - len(changes) - len(told) - 2 * len(found)
    shown = _shares([len(rows) for _, rows in found], max(room, len(found)))
    lines = [*head, "", *changes]
    tables = [[numbers(row, seconds) for _, row in rows[:most]] for (_, rows), most in zip(found, shown, strict=True)]
    sizes = _sizes(tables, width)
    # On a wide screen the numbers stand near their names.
    names = [_shown(name, value) for (name, rows), most in zip(found, shown, strict=True) for value, _ in rows[:most]]
    left = min(_name_room(sizes, width), max([_LEAST_NAME, *map(cells, names)]))
    for (name, rows), texts in zip(found, tables, strict=True):
        lines += _top_table(history, name, rows, texts, sizes, left, width, colours)
    return [*lines[: height - len(told)], *told]


def _top_table(
    history: History,
    name: str,
    rows: Sequence[tuple[str, Row]],
    texts: Sequence[Sequence[str]],
    sizes: Mapping[int, int],
    left: int,
    width: int,
    colours: Colours,
) -> list[str]:
    """Give the busiest values of a key, those with `texts`: a heading, a line each, and an empty line.

    `sizes`: the columns of numbers that are shown, and how wide they are; `left`: how wide that of the names is.
    """
    title = TITLES[name] if len(rows) == len(texts) else f"{TITLES[name]} ({len(rows):,})"
    titles = "".join(f"  {NUMBERS[at]:>{size}}" for at, size in sizes.items())
    heading = f"{pad(shorten(title, left), left)}{titles}  last minute"
    lines = [colours.note + heading[:width] + colours.off]
    for (value, row), of in zip(rows, texts, strict=False):
        numbered = "".join(f"  {of[at]:>{size}}" for at, size in sizes.items())
        bars = sparkline(history.steps(name, value)).rjust(STEPS)
        text = f"{pad(shorten_inside(_shown(name, value), left), left)}{numbered}  {bars}"
        is_bad = row["failed"] or row["unanswered"]
        lines.append(f"{colours.error}{text}{colours.off}" if is_bad and name != "error" else text)
    return [*lines, ""]


def _sizes(tables: Sequence[Sequence[Sequence[str]]], width: int) -> dict[int, int]:
    """Choose the columns of numbers that are shown, and how wide they are in all tables."""
    sizes = {
        at: max((len(name), *(len(row[at]) for rows in tables for row in rows))) for at, name in enumerate(NUMBERS)
    }
    for at in _DROPPED:
        if _name_room(sizes, width) >= _LEAST_NAME:
            break
        del sizes[at]
    return sizes


def _name_room(sizes: Mapping[int, int], width: int) -> int:
    """Give how many columns numbers and bars leave for a name."""
    return max(width - sum(sizes.values()) - 2 * len(sizes) - STEPS - 2, 1)


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide lines among tables of so many rows: each has the same as far as it needs them, and one at least."""
    shares = [1] * len(sizes)
    left = room - len(sizes)
    while left > 0:
        wanting = [at for at, size in enumerate(sizes) if size > shares[at]]
        if not wanting:
            break
        for at in wanting[:left]:
            shares[at] += 1
        left -= len(wanting)
    return shares


def _change_text(change: Change) -> str:
    before, now = f"{change.before:,.1f} calls/s before", f"{change.now:,.1f}"
    how = {"new": f"new: {now} calls/s", "silent": f"silent: {before}"}.get(change.kind, f"{before}, {now} now")
    return f"  {TITLES[change.of]} {_shown(change.of, change.name)}: {how}"


def _shown(name: str, value: str) -> str:
    """Give a value of a key for people."""
    return (camel_case(value) if name == "api_name" else value) or "-"


def _finding_line(finding: Finding, width: int, colours: Colours) -> str:
    before = {"error": colours.error, "warning": colours.warning}.get(finding.severity, "")
    return f"{before}{shorten(f'{finding.rule}: {show(for_people(finding).summary, width)}', width)}{colours.off}"
