"""`--bounds NAME=VALUE,...`: how much is held, the same in every command that reads packets."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypedDict

import typer

from kafkasniff.render.words import show

if TYPE_CHECKING:
    from kafkasniff.calls.limits import CallLimits
    from kafkasniff.protocol.limits import MessageLimits
    from kafkasniff.tcp.limits import TcpLimits
    from kafkasniff.tcp.tls.context import TlsLimits

_UNITS = {"MiB": 1 << 20, "GiB": 1 << 30}
_MIB = _UNITS["MiB"]
_MOST = 1 << 50

BoundsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bounds",
        metavar="NAME=VALUE,...",
        help="Hold more or less in memory: `kafkasniff help bounds`.",
        autocompletion=lambda incomplete: [f"{each}=" for each in BOUNDS if each.startswith(incomplete)],
    ),
]


class Bound(NamedTuple):
    """One bound: what it says when it is not given, and what it may be."""

    default: int | None
    is_size: bool
    text: str
    least: int = 1
    most: int = _MOST

    def value_text(self) -> str:
        """Give the default as it is typed."""
        if self.default is None:
            return "none"
        return f"{self.default // _MIB}MiB" if self.is_size else str(self.default)


BOUNDS = {
    "message": Bound(128 * _MIB, True, "Bytes that are kept of a message; of a larger one the beginning is shown."),
    "held": Bound(
        144 * _MIB,
        True,
        "Bytes of unfinished messages, waiting requests and searches of all connections; and as many of segments that"
        " wait for earlier ones.",
    ),
    "held-each": Bound(
        128 * _MIB,
        True,
        "Bytes of the waiting requests of one connection; and half as many of the segments of one direction that wait"
        " for earlier ones.",
    ),
    "searched": Bound(2 * _MIB, True, "Bytes of one direction that are held while its next message is searched for."),
    "undecided": Bound(32 * _MIB, True, "Bytes of a connection that prove nothing, before it is taken for no Kafka."),
    "pending": Bound(100_000, False, "Requests of one connection that wait for their answers."),
    "connections": Bound(200_000, False, "Connections followed at once; above it those idle longest end."),
    "half-open": Bound(50_000, False, "Connections of which only a SYN was seen, beside the others."),
    "fragments": Bound(16 * _MIB, True, "Bytes of IP fragments that wait for others."),
    "held-tls": Bound(
        32 * _MIB, True, "Bytes of TLS connections that wait for their secrets; and a 32nd of it of each one."
    ),
    "elements": Bound(
        1_000_000,
        False,
        "Array elements that are decoded of a message; a tenth of it of a message that is damaged or has more.",
        # Those of messages of up to 2 KiB are not counted.
        least=10_000,
    ),
    "depth": Bound(
        32,
        False,
        "Tunnels that are opened within each other, and levels of messages within a message.",
        # What reads and prints them is recursive; protobuf itself stops at 100.
        most=100,
    ),
    "decompressed": Bound(128 * _MIB, True, "Bytes of the records of a message when decompressed (with --records)."),
    "ratio": Bound(None, False, "Times its compressed size that a compressed capture may have; what follows is left."),
}
"""By name."""


class OfReading(TypedDict):
    """What a `Reading` takes of the bounds."""

    max_ratio: int | None
    records_limit: int
    tcp_limits: "TcpLimits"
    call_limits: "CallLimits"
    tls_limits: "TlsLimits"
    message_limits: "MessageLimits"


class Bounds:
    """What was asked for; a bound that is reached is reported."""

    def __init__(self, given: Sequence[str] | None = None) -> None:
        """Take `NAME=VALUE` texts, each perhaps several with commas; raises typer.BadParameter."""
        self._values = {name: bound.default for name, bound in BOUNDS.items()}
        for text in (part for each in given or () for part in each.split(",") if part):
            name, _, value = text.partition("=")
            self._values[name] = _value_of(name, value)

    @property
    def decompressed(self) -> int:
        """Give how many bytes the records of a message may take."""
        return self._number("decompressed")

    def of_reading(self) -> OfReading:
        """Give them as a `Reading` takes them."""
        return {
            "max_ratio": self._values["ratio"],
            "records_limit": self.decompressed,
            "tcp_limits": self.tcp_limits(),
            "call_limits": self.call_limits(),
            "tls_limits": self.tls_limits(),
            "message_limits": self.message_limits(),
        }

    def _number(self, name: str) -> int:
        value = self._values[name]
        assert value is not None
        return value

    def tcp_limits(self, base: "TcpLimits | None" = None) -> "TcpLimits":
        """Give `base`, or the defaults, with these bounds."""
        from kafkasniff.tcp.limits import TcpLimits

        return (base or TcpLimits())._replace(
            buffered_per_direction=self._number("held-each") // 2,
            buffered_in_all=self._number("held"),
            connections=self._number("connections"),
            half_open=self._number("half-open"),
            fragment_bytes=self._number("fragments"),
            depth=self._number("depth"),
        )

    def call_limits(self) -> "CallLimits":
        """Give the defaults with these bounds."""
        from kafkasniff.calls.limits import CallLimits

        return CallLimits(
            kept_message_bytes=self._number("message"),
            held_in_all=self._number("held"),
            pending_bytes=self._number("held-each"),
            pending_calls=self._number("pending"),
            search_bytes=self._number("searched"),
            undecided_bytes=self._number("undecided"),
        )

    def message_limits(self) -> "MessageLimits":
        """Give the defaults with these bounds."""
        from kafkasniff.protocol.limits import MessageLimits

        return MessageLimits(elements=self._number("elements"), depth=self._number("depth"))

    def tls_limits(self) -> "TlsLimits":
        """Give the defaults with these bounds."""
        from kafkasniff.tcp.tls.context import TlsLimits

        held = self._number("held-tls")
        return TlsLimits(held_per_connection=held // 32, held_in_all=held)


def _value_of(name: str, text: str) -> int:
    bound = BOUNDS.get(name)
    if bound is None:
        from difflib import get_close_matches  # of use to none whose bounds are right

        near = get_close_matches(name, BOUNDS, 1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise _error(f"no bound is called '{show(name)}'{hint} `kafkasniff help bounds` lists them all.")
    match = re.fullmatch(r"([0-9]{1,15})(MiB|GiB)?", text)
    if match is None or bool(match[2]) != bound.is_size:
        example = "a size such as 64MiB or 1GiB" if bound.is_size else "a whole number"
        raise _error(f"{name}: expected {example}, found '{show(text)}'.")
    value = int(match[1]) * (_UNITS[match[2]] if bound.is_size else 1)
    least = _MIB if bound.is_size else bound.least
    if not least <= value <= bound.most:
        at_least = "1MiB" if bound.is_size else str(least)
        most = "" if bound.most == _MOST else f" and at most {bound.most}"
        raise _error(f"{name}: expected at least {at_least}{most}, found {show(text)}.")
    return value


def _error(text: str) -> typer.BadParameter:
    return typer.BadParameter(text, param_hint="--bounds")
