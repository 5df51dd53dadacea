"""`kafkasniff tables`: calls, errors, record batches, connections and findings as tables in files."""

from typing import Annotated

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection
from kafkasniff.cli.options.values import none_of

EXAMPLES = """\b
Examples:
  kafkasniff tables capture.pcap -o tables
  kafkasniff tables *.pcapng -o tables --format csv
  kafkasniff tables capture.pcap -o capture.duckdb
  kafkasniff tables capture.pcap -o tables --tables calls,partitions
"""


@with_selection
def tables(
    files: options.Files,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR|FILE.duckdb", help="A folder, or a new DuckDB database.")
    ],
    form: Annotated[
        str, typer.Option("--format", metavar="parquet|csv|arrow", help="The format of the files in the folder.")
    ] = "parquet",
    only: Annotated[
        str | None,
        typer.Option(
            "--tables",
            metavar="NAME[,NAME...]",
            help="Only these, and clients. Without it all; records and findings only with their own options.",
        ),
    ] = None,
    records: Annotated[bool, typer.Option("--records", help="Also the records in batches.")] = False,
    findings: Annotated[
        bool, typer.Option("--findings", help="Also what `diagnose` finds, which takes longer.")
    ] = False,
    *,
    selection: Selection,
) -> None:
    """Write calls, errors, findings ... as tables. Also record batches, partitions, connections and files."""
    import os

    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import columns_or_usage, database_for, in_sentences
    from kafkasniff.questions.export import FORMATS, Export
    from kafkasniff.tables.declared import FINDINGS, RECORDS, TABLES

    if form not in FORMATS:
        raise none_of(form, FORMATS, "--format")
    left_out = {RECORDS.name: records, FINDINGS.name: findings}
    names = [name for name in TABLES if left_out.get(name, True)]
    if only is not None:
        names = columns_or_usage(only, [*TABLES], "--tables")
    in_database = output.endswith(".duckdb")
    if in_database and os.path.lexists(output):
        raise typer.BadParameter(f"{output!r} exists already; name a new file.", param_hint="--output")
    if not in_database and os.path.exists(output) and not os.path.isdir(output):
        raise typer.BadParameter(f"{output!r} is a file; name a folder, or end it in .duckdb.", param_hint="--output")
    if in_database:
        with database_for(output) as database:
            capture = load(database, files, "*", selection, names)
            database.make_views()
    else:
        with in_sentences(), Export(names, output, form) as export:
            capture = load(export, files, "*", selection, names)
            export.finish()
    capture.say_closing()
