"""What lies inside a body: record batches, and messages within the message."""

from dataclasses import dataclass, field
from typing import Any

from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.fields import Kind
from kafkasniff.protocol.records.batches import as_json, read_batches


@dataclass(slots=True)
class Contents:
    """What was found inside one side of a call, in the form of the JSON lines."""

    batches: list[dict[str, Any]] = field(default_factory=list)
    decoded: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def open_contents(side: Kind, api_key: int, data: bytes, body: DecodedBody) -> Contents:
    """Open what lies inside a body that was decoded from `data`, the content of a frame."""
    found = Contents()
    found.problems = [Problem(side, offset, path, message) for offset, path, message in body.problems]
    for path, start, end in body.records:
        batches, problems = read_batches(data, start, end, side=side)
        found.batches += [{"where": side, "path": path, **as_json(batch)} for batch in batches]
        found.problems += [Problem(side, offset, path + inner, message) for offset, inner, message in problems]
    return found
