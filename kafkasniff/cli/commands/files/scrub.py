"""`kafkasniff scrub`: a capture that may be given away."""

from typing import Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options

EXAMPLES = """\b
Examples:
  kafkasniff scrub capture.pcap scrubbed.pcapng
  kafkasniff scrub a.pcap scrubbed-a.pcapng --key-file key   same names in all
"""


def scrub(
    capture: Annotated[str, typer.Argument(metavar="IN", help="A capture.")],
    output: Annotated[str, typer.Argument(metavar="OUT.pcapng", help="A new file.")],
    key_file: Annotated[
        str | None,
        typer.Option(
            "--key-file",
            metavar="FILE",
            help="What the new names are derived from: the same file gives the same names; without it they are random.",
        ),
    ] = None,
    definitions: options.Definitions = None,
) -> None:
    """Write a capture anew without names, addresses and record contents. Others of the same length take their place."""
    import os
    import secrets

    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.capture.writer import check_new, create
    from kafkasniff.cli.terminal.output import print_message
    from kafkasniff.render.words import count_text, size_text
    from kafkasniff.scrubbing.scrub import scrub as scrub_capture

    if capture == "-":
        raise typer.BadParameter("standard input cannot be read twice; save it to a file first.", param_hint="IN")
    try:
        key = secrets.token_bytes(32)
        if key_file is not None:
            with open(key_file, "rb") as stream:
                key = stream.read()
            if not key:
                raise typer.BadParameter(f"{key_file!r} is empty.", param_hint="--key-file")
        check_new(output)
        made = f"{output}.part"
        with create(made, private=False) as stream:
            try:
                told = scrub_capture([capture], stream, key)
            except BaseException:
                os.unlink(made)
                raise
        os.replace(made, output)
    except (CaptureError, OSError) as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None
    print_message(
        f"{count_text(told.packets, 'packet')}, {count_text(told.calls, 'call')};"
        f" {size_text(told.opaque_bytes)} that could not be understood, or may hold anything, are blank"
    )
