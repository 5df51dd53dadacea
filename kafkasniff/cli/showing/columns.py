"""Chooses the form in which calls are shown: lines for people, JSON lines, or columns of one's choice."""

from collections.abc import Callable

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.shape import Shape
from kafkasniff.cli.showing.reading import LineFormat, json_format, take_none


def chosen_format(shape: Shape, terminal: Callable[[], LineFormat]) -> LineFormat:
    """Give the form that --format, --columns and --json ask for; `terminal` makes that for people.

    Raises BadParameter for a column that is none, and for options of what has no column.
    """
    form = "json" if shape.form == "ndjson" else shape.form or ("json" if shape.json_output else "table")
    if shape.json_output and form != "json":
        raise typer.BadParameter(f"{form!r} and --json exclude each other.", param_hint="--format")
    if shape.columns is None and form in ("table", "json"):
        return json_format() if form == "json" else terminal()
    from kafkasniff.filters.errors import FilterError
    from kafkasniff.render.tables.columns import USUAL, ColumnLines
    from kafkasniff.render.terminal import terminal_width

    of_messages = {"--verbose": shape.verbose, "--records": shape.records, "--connections": shape.connections}
    options.refuse(of_messages, "shows what has no column; leave out --columns, and csv and tsv")
    names = [*USUAL] if shape.columns is None else [name.strip() for name in shape.columns.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("expected the names of columns, found none.", param_hint="--columns")
    try:
        lines = ColumnLines(names, form, shape.time, shape.time_of, None if shape.wide else terminal_width())
    except FilterError as error:
        raise typer.BadParameter(str(error), param_hint="--columns") from None
    # Gaps and connections have no such columns; the closing line counts them.
    return LineFormat(
        lambda call: None,
        lines.line,
        take_none,
        lambda gap: b"",
        lambda token: b"",
        lambda report: b"",
        lambda item, message: b"",
        lines.line if shape.time == "delta" else None,
        lines.count_from,
        b"" if shape.no_header else lines.heading(),
    )
