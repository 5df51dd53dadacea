"""`kafkasniff browse`: the calls in captures, or on network interfaces, on a screen of their own."""

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.bounds import Bounds, BoundsOption

if TYPE_CHECKING:
    from kafkasniff.listening import Listening
    from kafkasniff.reading import Reading

EXAMPLES = """\b
Examples:
  kafkasniff browse capture.pcap                   `?` shows the keys
  kafkasniff browse *.pcapng --where 'error and api == produce'
  kafkasniff browse capture.pcap --keylog keys.log
  kafkasniff browse eth0                           the calls as they end
"""

INSTALL = "the browser needs Textual: install it with `pip install 'kafkasniff[tui]'`"

_RING_BYTES = 64 << 20


def browse(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...|IFACE...",
            help="Captures, which together are one, or network interfaces (`any`: all of them). Write"
            " `./eth0` for a file with the name of an interface.",
        ),
    ],
    where: Annotated[
        str,
        typer.Option(
            "--where",
            metavar="EXPRESSION",
            show_default=False,
            help="Begin with the calls for which this holds: `kafkasniff help filters`.",
        ),
    ] = "",
    time: options.Time = "absolute",
    write: Annotated[
        str,
        typer.Option(
            "--write", metavar="FILE.pcapng", show_default=False, help="Where `w` writes the packets of marked calls."
        ),
    ] = "",
    show_secrets: options.ShowSecrets = False,
    keylog: options.KeyLog = None,
    records: Annotated[bool, typer.Option("--records", help="Show the records in batches too.")] = False,
    limit_value: options.LimitValue = 1024,
    two_pass: options.TwoPass = False,
    definitions: options.Definitions = None,
    bounds: BoundsOption = None,
) -> None:
    """Browse calls on a screen, also while they come. Shows a list, messages, bytes and findings, and searches."""
    import sys

    from kafkasniff.capture.errors import CaptureError
    from kafkasniff.cli.terminal.output import print_message

    if time == "delta":
        raise typer.BadParameter("calls are shown in any order here.", param_hint="--time")
    if where:
        _check_expression(where)
    if not sys.stdout.isatty():
        print_message("kafkasniff: standard output is no terminal; `kafkasniff read` prints calls")
        raise typer.Exit(ExitStatus.FAILED)
    limits = Bounds(bounds)
    try:
        from importlib.util import find_spec

        if find_spec("textual") is None:
            raise CaptureError(INSTALL)
        if write:
            from kafkasniff.capture.writer import check_new

            check_new(write)
        with ExitStack() as stack:
            from kafkasniff.browse.session import Session
            from kafkasniff.browse.store.kept import Wanted

            source: Reading | Listening
            captures = {file: file for file in files}
            if _are_interfaces(files):
                source, captures[",".join(files)] = _listen(files, limits, keylog, show_secrets, stack)
            else:
                source = _open(files, limits, keylog, show_secrets, two_pass)
            session = Session(source, captures, Wanted(records, limit_value, limits.message_limits()), where)
            stack.callback(session.close)
            if "-" in files:
                # The process that reads has it already; keys come from the terminal.
                os.dup2(os.open("/dev/tty", os.O_RDWR), sys.stdin.fileno())
            from kafkasniff.browse.first_screen import leave, show_first
            from kafkasniff.render.colours import colours_for

            colours = colours_for(sys.stdout)
            show_first(session, time, colours, sys.stdout)
            session.begin_answering()
            # However it ends.
            stack.callback(leave, sys.stdout)
            from kafkasniff.browse.app import Browser

            Browser(session, time, colours, write).run()
    except (CaptureError, OSError) as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None
    for text in session.notes:
        print_message(f"kafkasniff: {text}")
    if session.done:
        print_message(session.done)
    if session.damaged:
        raise typer.Exit(ExitStatus.FAILED)


def _check_expression(where: str) -> None:
    """Raise BadParameter for an expression that is none, before the screen is taken."""
    from kafkasniff.filters.errors import FilterError
    from kafkasniff.filters.grammar import parse

    try:
        parse(where)
    except FilterError as error:
        raise typer.BadParameter(str(error), param_hint="--where") from None


def _are_interfaces(names: list[str]) -> bool:
    """Tell whether all that is named are network interfaces, and no files."""
    import socket

    if any(os.path.exists(name) for name in names):
        return False
    known = {"any", *(name for _, name in socket.if_nameindex())}
    return all(name in known for name in names)


def _open(files: list[str], limits: Bounds, keylog: str | None, show_secrets: bool, two_pass: bool) -> "Reading":
    """Open captures; raises CaptureError."""
    from kafkasniff.reading import Reading

    return Reading(
        files,
        show_secrets=show_secrets,
        connections=True,
        keep_packets=True,
        two_pass=two_pass,
        key_log=keylog,
        **limits.of_reading(),
    )


def _listen(
    names: list[str], limits: Bounds, keylog: str | None, show_secrets: bool, stack: ExitStack
) -> tuple["Listening", str]:
    """Listen to interfaces, give up root's rights, and write all packets to a temporary file; give its path too.

    Raises CaptureError.
    """
    from tempfile import TemporaryFile

    from kafkasniff.calls.options import CallOptions
    from kafkasniff.capture.interfaces.live import LiveCapture
    from kafkasniff.capture.writer import PcapngWriter
    from kafkasniff.listening import LIVE_LIMITS, Listening

    capture = LiveCapture(names, ring_bytes=_RING_BYTES)
    stack.callback(capture.close)
    from kafkasniff.capture.interfaces.privileges import account_to_become, give_up_privileges

    give_up_privileges(account_to_become(None))
    packets = stack.enter_context(TemporaryFile(prefix="kafkasniff-", buffering=0))  # noqa: SIM115 (the stack does)
    listening = Listening(
        capture,
        lambda text: None,
        options=CallOptions(show_secrets=show_secrets, keep_packets=True),
        connections=True,
        tcp_limits=limits.tcp_limits(LIVE_LIMITS),
        call_limits=limits.call_limits(),
        tls_limits=limits.tls_limits(),
        writer=PcapngWriter(packets),
        key_log=keylog,
    )
    return listening, f"/proc/self/fd/{packets.fileno()}"
