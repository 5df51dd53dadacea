"""Options of `live` that show totals in place of calls, declared here as they belong together."""

from typing import Annotated

import typer

from kafkasniff.cli.options.formatting import TOTALS

Top = Annotated[
    bool,
    typer.Option(
        "--top",
        help="Show a screen that is drawn anew every 2 seconds, or as --every says: what comes now, and what changed in"
        " the last minute; with --diagnose findings too.",
        rich_help_panel=TOTALS,
    ),
]
Every = Annotated[
    str | None,
    typer.Option(
        "--every",
        metavar="TIME",
        show_default=False,
        help="Show what came in each interval of this length, such as 10s: a table for each key, or lines with --json.",
        rich_help_panel=TOTALS,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="HOST:PORT",
        show_default=False,
        help="Serve metrics for Prometheus there; `:9308` is port 9308 of all addresses. Calls are then shown with"
        " --json only.",
        rich_help_panel=TOTALS,
    ),
]
Otlp = Annotated[
    str | None,
    typer.Option(
        "--otlp",
        metavar="ENDPOINT",
        show_default=False,
        help="Send a span for each call to an OpenTelemetry collector, such as http://localhost:4318. Calls are then"
        " shown with --json only.",
        rich_help_panel=TOTALS,
    ),
]
Names = Annotated[
    int,
    typer.Option(
        "--names",
        metavar="N",
        min=1,
        max=10_000,
        help="Tell so many client ids, topics and groups apart in totals; the others are one, `other`.",
        rich_help_panel=TOTALS,
    ),
]


def host_and_port(value: str, option: str) -> tuple[str, int]:
    """Give host (empty: all addresses) and port of `HOST:PORT`; raises typer.BadParameter."""
    host, colon, port = value.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 0xFFFF:
        raise typer.BadParameter(f"expected HOST:PORT such as localhost:9308, found {value!r}.", param_hint=option)
    return host.strip("[]"), int(port)
