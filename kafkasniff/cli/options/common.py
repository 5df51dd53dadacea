"""Options that mean the same in every command, declared once."""

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from kafkasniff.cli.options.completion import (
    TIME_MODES,
    complete_rule,
    complete_severity,
    complete_time,
)
from kafkasniff.cli.options.formatting import FILTERS, OUTPUT
from kafkasniff.cli.options.values import one_of, starting_with
from kafkasniff.protocol import DEFINITIONS_VARIABLE


def _check_severity(severity: str) -> str | None:
    from kafkasniff.diagnose.finding import SEVERITIES

    return one_of(SEVERITIES)(severity)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Captures in any order, here or in an object store (s3://bucket/a.pcap); `-` is standard input. Together"
        " they are one capture.",
    ),
]
JsonOutput = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
CsvOutput = Annotated[bool, typer.Option("--csv", help="Print CSV with a line of headings.")]
Verbose = Annotated[
    int,
    typer.Option(
        "-v", "--verbose", count=True, show_default=False, help="-v: decoded messages. -vv: also offsets and bytes."
    ),
]
Time = Annotated[
    str,
    typer.Option(
        "--time",
        metavar="absolute|local|relative|delta",
        callback=one_of(TIME_MODES),
        autocompletion=complete_time,
        help="Times in UTC, in the local zone, since the first packet, or since the line before.",
        rich_help_panel=OUTPUT,
    ),
]
TimeOf = Annotated[
    str,
    typer.Option(
        "--time-of",
        metavar="response|request",
        callback=one_of(("response", "request")),
        help="Show when calls ended, which is their order, or when they began.",
        rich_help_panel=OUTPUT,
    ),
]
Sort = Annotated[
    str | None,
    typer.Option(
        "--sort",
        metavar="request",
        callback=one_of(("request",)),
        show_default=False,
        help="Show calls in the order in which they began, at the end of the reading.",
        rich_help_panel=OUTPUT,
    ),
]
FORMATS = ("table", "csv", "tsv", "json", "ndjson")
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="table|csv|tsv|json|ndjson",
        callback=one_of(FORMATS),
        autocompletion=starting_with(FORMATS),
        show_default=False,
        help="Print calls in this form; json and ndjson: an object a line.",
        rich_help_panel=OUTPUT,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAME,...",
        show_default=False,
        help="Show these columns: any field of filters, such as `time,client_id,api,latency,error,request.acks`.",
        rich_help_panel=OUTPUT,
    ),
]
Wide = Annotated[
    bool,
    typer.Option(
        "--wide", help="Show all columns and do not cut lines at the terminal's width.", rich_help_panel=OUTPUT
    ),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="Leave out the titles of the columns.", rich_help_panel=OUTPUT)
]


def _load_definitions(paths: list[str] | None) -> list[str] | None:
    given = [os.path.abspath(path) for path in paths or ()]
    given = given or [path for path in os.environ.get(DEFINITIONS_VARIABLE, "").split(os.pathsep) if path]
    if not given:
        return paths
    from kafkasniff.cli.exit_status import ExitStatus
    from kafkasniff.cli.terminal.output import print_message
    from kafkasniff.protocol.definitions.loading import load_definitions
    from kafkasniff.protocol.definitions.merging import DefinitionError

    try:
        load_definitions(given)
    except DefinitionError as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None
    # What is started from here goes by it too.
    os.environ[DEFINITIONS_VARIABLE] = os.pathsep.join(given)
    return paths


Definitions = Annotated[
    list[str] | None,
    typer.Option(
        "--definitions",
        metavar="DIR|JAR",
        callback=_load_definitions,
        is_eager=True,
        help="More APIs, from Kafka's JSON definitions: see `kafkasniff apis`.",
    ),
]
Records = Annotated[
    bool, typer.Option("--records", help="Also show the records in batches; in the terminal as -v does.")
]
LimitValue = Annotated[
    int | None,
    typer.Option(
        "--limit-value",
        metavar="N",
        min=0,
        show_default=False,
        help="Show N bytes of each key and value of records; without it all in JSON, 1024 in the terminal.",
        rich_help_panel=OUTPUT,
    ),
]
TwoPass = Annotated[
    bool,
    typer.Option("--two-pass", help="Read twice, so that calls before the first Metadata name topics."),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", min=1, show_default=False, help="Stop after N calls.", rich_help_panel=FILTERS
    ),
]
Connections = Annotated[
    bool, typer.Option("--connections", help="Also say what each connection was, and why we think so.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        max=64,
        help="Use N processes; the output is the same.",
    ),
]
ShowSecrets = Annotated[bool, typer.Option("--show-secrets", help="Show passwords and tokens instead of ***.")]
KeyLog = Annotated[
    str | None,
    typer.Option("--keylog", metavar="FILE", help="Decrypt TLS with the secrets in a key log (SSLKEYLOGFILE)."),
]
Write = Annotated[
    str | None,
    typer.Option("--write", metavar="FILE.pcapng", help="Write the packets of the calls shown to a new capture."),
]
WriteSecrets = Annotated[
    bool,
    typer.Option(
        "--write-secrets",
        help="With --write: keep TLS secrets in it, for its owner to read.",
    ),
]
Rule = Annotated[
    list[str] | None, typer.Option("--rule", metavar="RULE", help="Only this rule.", autocompletion=complete_rule)
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="RULE", help="Leave this rule out.", autocompletion=complete_rule),
]
Assignment = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="RULE.THRESHOLD=VALUE", help="Change a threshold; also in kafkasniff.toml."),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="error|warning",
        help="Exit with 3 when a finding has this severity or a worse one.",
        autocompletion=complete_severity,
    ),
]

Severity = Annotated[
    str,
    typer.Option(
        "--severity",
        metavar="error|warning|info",
        callback=_check_severity,
        autocompletion=complete_severity,
        help="Only findings of this severity or a worse one.",
    ),
]
Brief = Annotated[bool, typer.Option("--brief", help="Show a sentence for each cause.")]


def refuse(given: Mapping[str, object], why: str) -> None:
    """Raise typer.BadParameter for the first option that was given where it says nothing."""
    for option, value in given.items():
        if value:
            raise typer.BadParameter(f"it {why}.", param_hint=option)
