"""`kafkasniff sql`: any question in SQL."""

from typing import Annotated

import typer

from kafkasniff.capture.files.object_store import is_folder
from kafkasniff.cli.options.selection import Selection, with_selection

EXAMPLES = """\b
Examples:
  kafkasniff sql capture.pcap "SELECT api_name, count(*) FROM calls GROUP BY ALL ORDER BY 2 DESC"
  kafkasniff sql *.pcapng "SELECT topic, sum(size_in_bytes) FROM batches GROUP BY topic" --format csv
  kafkasniff sql capture.pcap "SELECT rule, count, summary FROM findings" --format json
  kafkasniff sql tables "SELECT * FROM errors LIMIT 10"
  kafkasniff sql capture.pcap "SELECT * FROM batches" --format parquet -o batches.parquet
  kafkasniff sql capture.pcap                      a prompt
"""


@with_selection
def sql(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... [QUERY]", help="Captures, or one folder or DuckDB database with tables; and what to ask."
        ),
    ],
    form: Annotated[
        str, typer.Option("--format", metavar="table|csv|json|parquet", help="How the answer is given.")
    ] = "table",
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", show_default=False, help="The new file of --format parquet."),
    ] = None,
    *,
    selection: Selection,
) -> None:
    """Ask calls, errors, findings, clients ... in SQL (DuckDB's). Other tables are batches, partitions, connections."""
    import os
    import re

    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import check_format, database_for, print_rows
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.questions.database import TABLE_NAMES, mentioned
    from kafkasniff.questions.export import write_parquet

    if form != "parquet":
        check_format(form)
    if (form == "parquet") != (output is not None):
        raise typer.BadParameter("--format parquet needs --output FILE, and no other takes it.", param_hint="--output")
    if output is not None and os.path.lexists(output):
        raise typer.BadParameter(f"{output!r} exists already; name a new file.", param_hint="--output")
    query = None if (len(files) > 1 and os.path.lexists(files[-1])) or len(files) == 1 else files.pop()
    if query is None and len(files) == 1 and re.match(r"\s*(select|with|from)\b", files[0], re.IGNORECASE):
        raise typer.BadParameter("expected a capture before the query, found none.", param_hint="FILE")
    if query is None and output is not None:
        raise typer.BadParameter("expected a query, found none.", param_hint="QUERY")
    is_stored = len(files) == 1 and (is_folder(files[0]) or files[0].endswith(".duckdb"))
    with database_for() as database:
        capture = None
        if is_stored:
            database.use(files[0])
        else:
            names = mentioned(query or "") or TABLE_NAMES
            capture = load(database, files, "*", selection, names)
            database.make_views()
        if query is None:
            from kafkasniff.cli.terminal.prompt import prompt

            prompt(database, form)
        elif output is not None:
            write_parquet(database, query, output)
        else:
            page()
            print_rows(database.ask(query), form)
        if capture is not None:
            capture.say_closing()
