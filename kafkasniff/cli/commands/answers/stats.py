"""`kafkasniff stats`: how many calls, how many failed, how long they took."""

from datetime import timedelta
from itertools import islice
from typing import Annotated

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection
from kafkasniff.cli.options.values import none_of

EXAMPLES = """\b
Examples:
  kafkasniff stats capture.pcap
  kafkasniff stats capture.pcap --by server,api_name --sort p99_ms --top 10
  kafkasniff stats *.pcapng --by topic --api produce --json
  kafkasniff stats capture.pcap --by client_id,error --errors
  kafkasniff stats capture.pcap --by server --every 10s
  kafkasniff stats capture.pcap --by client_id --more --sort max_in_flight
"""

_LISTED = ("api_name", "server", "client_id", "topic", "error")
"""Keys of the tables that are shown where none is asked for."""
_SHOWN = 20
"""Rows of each of them, unless `--top` says how many."""

MEASURES = (
    "calls",
    "failed",
    "unanswered",
    "request_bytes",
    "response_bytes",
    "p50_ms",
    "p90_ms",
    "p99_ms",
    "max_ms",
    "throttled",
    "max_throttle_ms",
)

MORE = (
    *("batches", "records", "mean_batch_bytes", "mean_batch_records"),
    *("compression_ratio", "empty_fetches", "max_in_flight"),
)
"""What `--more` adds."""


@with_selection
def stats(
    files: options.Files,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="KEY[,KEY...]", help="Columns of `calls`, or topic, group, error."),
    ] = None,
    sort: Annotated[str, typer.Option("--sort", metavar="COLUMN", help="The largest of this first.")] = "calls",
    top: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", min=1, show_default=False, help="Only the first N; without --by or --every 20."
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            "--every", metavar="TIME", show_default=False, help="For each interval of this length, such as 10s."
        ),
    ] = None,
    more: Annotated[
        bool,
        typer.Option(
            "--more",
            help="Also record batches and how well they compress, fetches that brought none, and the requests in"
            " flight; it takes longer.",
        ),
    ] = False,
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Count calls, failures, bytes and times by what you ask for. Keys are API, server, client, topic, error ..."""
    from kafkasniff.cli.options.filters import duration_ns
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import columns_or_usage, database_for, form_of, print_answer
    from kafkasniff.cli.showing.statistics import over_time, print_headline
    from kafkasniff.cli.terminal.output import print_text
    from kafkasniff.cli.terminal.pager import page
    from kafkasniff.questions.database import Answer, quoted
    from kafkasniff.questions.named import INTERVAL, KEYS, WAITING, beside, keyed, text_of

    form = form_of(json_output, csv_output)
    measures = (*MEASURES, *MORE) if more else MEASURES
    if sort not in measures:
        raise none_of(sort, measures, "--sort")
    interval_us = 1 if every is None else duration_ns(every, "--every") // 1000
    if interval_us < 1:
        raise typer.BadParameter("expected a microsecond or longer.", param_hint="--every")
    keys = None if by is None else columns_or_usage(by, KEYS)
    order = f"ORDER BY {quoted(sort)} DESC NULLS LAST"
    limit = "" if top is None else f" LIMIT {top}"

    def grouped(keys: list[str], where: str = "") -> str:
        main, added = (keyed(name, keys, where=where, interval_us=interval_us) for name in ("stats", "stats_more"))
        return beside(keys, main, added, MORE) if more else main

    def ranked(keys: list[str], where: str = "") -> str:
        return f"{grouped(keys, where)} {order}, {', '.join(map(quoted, keys))}{limit}"

    tables: list[tuple[str, str]]
    shown = top
    if every is not None:
        keys = [*(keys or []), INTERVAL]
        tables = [("", f"{grouped(keys)} ORDER BY {', '.join(map(quoted, keys))}")]
    elif keys is not None or form != "table":
        tables = [("", ranked(keys or list(_LISTED[:1])))]
    else:
        shown = top or _SHOWN
        tables = [
            ("Calls that wait on purpose, for data or for other members:", ranked(["api_name"], WAITING)),
            *(("All others:", ranked([key], f"api_name IS NULL OR NOT ({WAITING})")) for key in _LISTED),
        ]
    has_headline = by is None and every is None and form == "table"
    texts = [text for _, text in tables] + [text_of("headline")] * has_headline
    with database_for() as database:
        capture = load(database, files, " ".join(texts), selection, ["calls", "batches"] if more else ["calls"])
        page()
        if has_headline and not print_headline(database):
            tables = []
        title = ""
        for number, (heading, text) in enumerate(tables):
            if number or has_headline:
                print_text("\n")
            if heading != title:
                print_text(f"{heading}\n")
            title = heading
            answer = database.ask(text)
            if every is not None and form == "table":
                answer = over_time(answer, timedelta(microseconds=interval_us))
            rows = islice(answer.rows, shown)
            print_answer(Answer(answer.columns, rows), form)
            if left := sum(1 for _ in answer.rows):
                print_text(f"{left:,} more: --by {answer.columns[0]}\n")
        capture.say_closing()
