"""The options that set how much is held: the same in every command that reads packets, declared once."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer

if TYPE_CHECKING:
    from kafkasniff.calls.limits import CallLimits
    from kafkasniff.protocol.limits import MessageLimits
    from kafkasniff.tcp.limits import TcpLimits
    from kafkasniff.tcp.tls.context import TlsLimits

PANEL = "Bounds"
"""The heading of these options in the help."""


def _bound(name: str, unit: str, text: str, least: int = 1, most: int | None = None) -> Any:
    return typer.Option(name, metavar=unit, min=least, max=most, help=text, rich_help_panel=PANEL)


class Bounds(NamedTuple):
    """What the options say; a bound that is reached is reported."""

    max_message: Annotated[
        int, _bound("--max-message", "MIB", "Keep this much of a message; of a larger one show the beginning.")
    ] = 128
    max_held: Annotated[
        int,
        _bound(
            "--max-held",
            "MIB",
            "Hold this much of unfinished messages, waiting requests and searches of all connections, and this much"
            " of segments that wait for others.",
        ),
    ] = 144
    max_held_each: Annotated[
        int,
        _bound(
            "--max-held-each",
            "MIB",
            "Hold this much of the waiting requests of one connection, and half as much of a direction's segments that"
            " wait for others.",
        ),
    ] = 128
    max_searched: Annotated[
        int, _bound("--max-searched", "MIB", "Hold this much of a direction while its next message is searched for.")
    ] = 2
    max_undecided: Annotated[
        int,
        _bound(
            "--max-undecided",
            "MIB",
            "Take a connection for no Kafka when this much of it proves nothing.",
        ),
    ] = 32
    max_pending: Annotated[
        int, _bound("--max-pending", "N", "Let this many requests of a connection wait for their answers.")
    ] = 100_000
    max_connections: Annotated[
        int,
        _bound("--max-connections", "N", "Follow this many connections at once; above it the longest idle ones end."),
    ] = 200_000
    max_half_open: Annotated[
        int,
        _bound("--max-half-open", "N", "Follow this many connections of which only a SYN was seen, beside the others."),
    ] = 50_000
    max_fragments: Annotated[
        int, _bound("--max-fragments", "MIB", "Hold this much of IP fragments that wait for others.")
    ] = 16

    max_held_tls: Annotated[
        int,
        _bound(
            "--max-held-tls",
            "MIB",
            "Hold this much of TLS connections that wait for their secrets, and a 32nd of it of each.",
        ),
    ] = 32
    max_elements: Annotated[
        int,
        _bound(
            "--max-elements",
            "N",
            "Decode this many array elements of a message, and a tenth of it of one that is spoilt or has more.",
            # Those of messages of up to 2 KiB are not counted.
            least=10_000,
        ),
    ] = 1_000_000
    max_depth: Annotated[
        int,
        _bound(
            "--max-depth",
            "N",
            "Open this many tunnels within each other, and this many levels of messages within a message.",
            # What reads and prints them is recursive; protobuf itself stops at 100.
            most=100,
        ),
    ] = 32

    def tcp_limits(self, base: "TcpLimits | None" = None) -> "TcpLimits":
        """Give `base`, or the defaults, with these bounds."""
        from kafkasniff.tcp.limits import TcpLimits

        return (base or TcpLimits())._replace(
            buffered_per_direction=self.max_held_each << 19,
            buffered_in_all=self.max_held << 20,
            connections=self.max_connections,
            half_open=self.max_half_open,
            fragment_bytes=self.max_fragments << 20,
            depth=self.max_depth,
        )

    def call_limits(self) -> "CallLimits":
        """Give the defaults with these bounds."""
        from kafkasniff.calls.limits import CallLimits

        return CallLimits(
            kept_message_bytes=self.max_message << 20,
            held_in_all=self.max_held << 20,
            pending_bytes=self.max_held_each << 20,
            pending_calls=self.max_pending,
            search_bytes=self.max_searched << 20,
            undecided_bytes=self.max_undecided << 20,
        )

    def message_limits(self) -> "MessageLimits":
        """Give the defaults with these bounds."""
        from kafkasniff.protocol.limits import MessageLimits

        return MessageLimits(elements=self.max_elements, depth=self.max_depth)

    def tls_limits(self) -> "TlsLimits":
        """Give the defaults with these bounds."""
        from kafkasniff.tcp.tls.context import TlsLimits

        return TlsLimits(held_per_connection=self.max_held_tls << 15, held_in_all=self.max_held_tls << 20)


def with_bounds(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options, which it takes together as its argument `bounds`."""
    signature = inspect.signature(command)
    annotations = get_type_hints(Bounds, include_extras=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotations[name])
        for name, default in Bounds._field_defaults.items()
    ]

    @wraps(command)
    def run(**values: Any) -> None:
        bounds = Bounds(**{name: values.pop(name) for name in Bounds._fields})
        command(**values, bounds=bounds)

    own = [parameter for name, parameter in signature.parameters.items() if name != "bounds"]
    run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    return run
