"""What was found inside a message, and what is wrong with it."""

from base64 import b64decode
from typing import Any, NamedTuple

from kafkasniff.protocol.allowance import Allowance
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.limits import MAX_DEPTH


class Embedded(NamedTuple):
    """A message within a message."""

    path: str
    """The field with its bytes, e.g. `protocols[0].metadata`; in a record `key` or `value`."""
    type: str
    """Kafka's name for it."""
    version: int | None
    """As it stands in the bytes; None where there is none, or where they end before it."""
    value: dict[str, Any] | None
    """None when it did not decode whole, or is of a version that is not known."""
    partial: dict[str, Any] | None = None
    """What there is of one that did not decode whole."""


class Opened(NamedTuple):
    """What was found inside a message, in the order of its fields."""

    embedded: list[Embedded]
    problems: list[tuple[str, str]]
    """Path and message of each."""
    depth: int = MAX_DEPTH
    """Levels of messages within a message that may be opened where the wire says how many there are."""
    allowances: tuple[Allowance, ...] = ()
    """What may be made of the metrics of clients; all of these bound it."""

    def add(self, path: str, name: str, version: int | None, body: DecodedBody) -> None:
        """Add a message that was decoded, with what is wrong with it."""
        self.embedded.append(Embedded(path, name, version, body.value, body.partial))
        for offset, inner, message in body.problems:
            self.add_problem(path, f"{name}{f'.{inner}' if inner else ''} at byte {offset}: {message}")

    def add_problem(self, path: str, message: str) -> None:
        """Add what is wrong with the field at `path`."""
        self.problems.append((path, message))


def field_bytes(value: Any) -> bytes:
    """Give the bytes of a field in the form of Kafka's JSON: none for a field that is null or not there."""
    return b64decode(value) if value else b""


def is_whole(body: DecodedBody) -> bool:
    """Tell whether a message decoded whole and without any problem, bytes left behind it included."""
    return body.value is not None and not body.problems
