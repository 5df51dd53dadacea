"""Options of `live` that say how packets are taken."""

from typing import Annotated

import typer

from kafkasniff.cli.options.formatting import CAPTURE

LARGEST_BUFFER = 2048
"""MiB; the kernel takes less than 4096."""

Filter = Annotated[
    str | None,
    typer.Option(
        "--bpf",
        metavar="EXPRESSION",
        help="Have the kernel pass on only these packets (see pcap-filter(7)); faster, but a filter by port loses"
        " IP fragments and tunnels.",
        rich_help_panel=CAPTURE,
    ),
]
Duration = Annotated[
    str | None,
    typer.Option("--duration", metavar="TIME", help="Stop after this time: `30s`, `5m`.", rich_help_panel=CAPTURE),
]
Pending = Annotated[
    str,
    typer.Option(
        "--pending",
        metavar="TIME",
        help="Show calls without an answer after this time as they stand.",
        rich_help_panel=CAPTURE,
    ),
]
Buffer = Annotated[
    int,
    typer.Option(
        "--buffer",
        metavar="MiB",
        min=0,
        max=LARGEST_BUFFER,
        help="Memory of each interface for packets that wait; 0: none is shared with the kernel, which is slow.",
        rich_help_panel=CAPTURE,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        max=64,
        help="Use N processes with --json, each for its share of the connections: for more packets than one can take.",
        rich_help_panel=CAPTURE,
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Where root starts it: become this user once interfaces and files are open; without it whoever called"
        " sudo. `root` stays root.",
        show_default=False,
        rich_help_panel=CAPTURE,
    ),
]
