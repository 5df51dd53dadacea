"""Chooses the form in which calls are shown: lines for people, JSON lines, or columns of one's choice."""

from collections.abc import Callable, Mapping

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.showing.reading import LineFormat, json_format


def chosen_format(
    form: str | None,
    columns: str | None,
    json_output: bool,
    time: str,
    time_of: str,
    wide: bool,
    no_header: bool,
    terminal: Callable[[], LineFormat],
    of_messages: Mapping[str, object],
) -> LineFormat:
    """Give the form that --format, --columns and --json ask for; `terminal` makes that for people.

    Raises BadParameter for a column that is none, and for options of what has no column (`of_messages`).
    """
    if form == "ndjson" or (json_output and form is None):
        form = "json"
    form = form or "table"
    if json_output and form != "json":
        raise typer.BadParameter(f"{form!r} and --json exclude each other.", param_hint="--format")
    if columns is None and form in ("table", "json"):
        return json_format() if form == "json" else terminal()
    from kafkasniff.filters.errors import FilterError
    from kafkasniff.render.tables.columns import USUAL, ColumnLines
    from kafkasniff.render.terminal import terminal_width

    options.refuse(of_messages, "shows what has no column; leave out --columns, and csv and tsv")
    names = [*USUAL] if columns is None else [name.strip() for name in columns.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("expected the names of columns, found none.", param_hint="--columns")
    try:
        lines = ColumnLines(names, form, time, time_of, None if wide else terminal_width())
    except FilterError as error:
        raise typer.BadParameter(str(error), param_hint="--columns") from None
    # Gaps and connections have no such columns; the closing line counts them.
    return LineFormat(
        lambda call: None,
        lines.line,
        lambda items, wants: (b"", 0),
        lambda gap: b"",
        lambda token: b"",
        lambda report: b"",
        lambda item, message: b"",
        lines.line if time == "delta" else None,
        lines.count_from,
        b"" if no_header else lines.heading(),
    )
