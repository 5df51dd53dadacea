"""Sends spans of calls to an OpenTelemetry collector: `--otlp` of `read` and `live`."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

import typer

from kafkasniff.calls.call import Call
from kafkasniff.capture.errors import CaptureError
from kafkasniff.cli.showing.reading import LineFormat, take_none
from kafkasniff.cli.terminal.output import print_message

if TYPE_CHECKING:
    from kafkasniff.tracing.export import Exporting


def exporting(endpoint: str, waits: bool, stack: ExitStack) -> "Exporting":
    """Begin to send spans to `endpoint`; `stack` sends the rest, and says how many the collector did not take.

    `waits`: for the collector, else spans are dropped that come too fast for it. Raises CaptureError where the library
    for it lacks, typer.BadParameter for what is no address.
    """
    try:
        from kafkasniff.tracing.export import Exporting
    except ImportError:
        text = "--otlp needs opentelemetry-sdk and its exporter: pip install 'kafkasniff[otel]'"
        raise CaptureError(text) from None
    try:
        made = Exporting(endpoint, waits)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--otlp") from None

    def close() -> None:
        if (text := made.close()) is not None:
            print_message(f"kafkasniff: {text}")

    stack.callback(close)
    return made


def with_spans(lines: LineFormat, spans: "Exporting", shows: bool) -> LineFormat:
    """Give a form that also makes a span of each call shown; without `shows`, calls and all else have no lines."""

    def line(call: Call) -> bytes:
        spans.take_call(call)
        return lines.call(call) if shows else b""

    if shows:
        return lines._replace(call=line, calls=take_none)
    return LineFormat(
        lambda call: None,
        line,
        take_none,
        lambda gap: b"",
        lambda token: b"",
        lambda report: b"",
        lambda item, message: b"",
    )
