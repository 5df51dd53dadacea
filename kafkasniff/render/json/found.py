"""What few lines have: bodies that were decoded, and what was found in bodies and on the way to them."""

from functools import lru_cache
from typing import Any

import orjson

from kafkasniff.calls.call import Call, FieldError, Side
from kafkasniff.calls.contents import Contents, batches_as_json, open_batches
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.bodies.json_writer import Place
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.wording import file_name

FoundIn = tuple[Side, bytes, list[tuple[str, int]], list[str], list[Place]]
"""Of one side: its bytes, path and code of its errors, its topic ids, and where records lie."""


def decoded_parts(call: Call) -> tuple[bytes, bytes, int | None, str, str]:
    """Give request, response, the response's version, partial bodies, and what was found, by way of decoded bodies."""
    request, response = call.request_body, call.response_body
    partial = {
        f"{side}Partial": body.partial
        for side, body in (("request", request), ("response", response))
        if body is not None and body.partial is not None
    }
    return (
        orjson.dumps(request.value if request is not None else None),
        orjson.dumps(response.value if response is not None else None),
        None if response is None else response.version,
        members_text(partial),
        members_text(found_members(call.errors, call.batches, call.decoded, call.topics, call.problems)),
    )


def found_text(call: Call, *sides: FoundIn) -> str:
    """Give the members that say what was found in bodies without a problem, and on the way to them."""
    context = call.context
    contents = Contents()
    errors: list[FieldError] = []
    topics: dict[str, str] = {}
    for side, data, codes, topic_ids, places in sides:
        records = [RecordsField(*place) for place in places]
        errors += [FieldError(side, path, code, error_name(code)) for path, code in codes]
        topics |= context.topics.of(topic_ids)
        if records:
            open_batches(side, data, records, contents)
            if context.records:
                from kafkasniff.calls.records import open_records

                open_records(side, data, _tree(call, side), context, call.show_secrets, contents)
    return members_text(
        found_members(
            errors,
            batches_as_json(contents),
            call.known_decoded + contents.decoded,
            topics,
            [*call.pairing_problems, *contents.problems],
        )
    )


def failed_text(call: Call, message: str) -> str:
    """Give the member that says why a call cannot be shown."""
    side: Side = "response" if call.request is None else "request"
    problems = [*call.pairing_problems, Problem(side, None, "", message)]
    return members_text(found_members([], [], [], {}, problems))


def _tree(call: Call, side: Side) -> dict[str, Any]:
    """Give a body, decoded, that has no problem."""
    body = call.request_body if side == "request" else call.response_body
    return body.value or {} if body is not None else {}


def found_members(
    errors: list[FieldError],
    batches: list[dict[str, Any]],
    decoded: list[dict[str, Any]],
    topics: dict[str, str],
    problems: list[Problem],
) -> dict[str, Any]:
    """Give the members that say what was found in a call; what is empty is left out."""
    found: dict[str, Any] = {}
    if errors:
        found["errors"] = [
            {"where": error.where, "path": error.path, "code": error.code, "name": error.name} for error in errors
        ]
    if batches:
        found["batches"] = batches
    if decoded:
        found["decoded"] = decoded
    if topics:
        found["topics"] = topics
    if problems:
        found["problems"] = [
            {"where": problem.where, "offset": problem.offset, "path": problem.path, "message": problem.message}
            for problem in problems
        ]
    return found


@lru_cache(maxsize=256)
def file_text(interface: Interface) -> str:
    """Give the name of the file whose interface this is."""
    return plain_text(file_name(interface.file))


@lru_cache(maxsize=1024)
def plain_text(value: str | int | None) -> str:
    """Give a value as JSON: text from the wire is escaped by nothing else."""
    return orjson.dumps(value).decode()


def members_text(item: dict[str, Any]) -> str:
    """Give the members of an object as they follow others."""
    return f",{orjson.dumps(item)[1:-1].decode()}" if item else ""


@lru_cache(maxsize=256)
def client_text(security: str, principal: str | None, name: str | None, version: str | None) -> str:
    """Give the members that say who the client is."""
    return members_text(
        {
            "securityProtocol": security,
            "principal": principal,
            "clientInformation": {"softwareName": name, "softwareVersion": version},
        }
    )


@lru_cache(maxsize=8192)
def milliseconds_text(nanoseconds: int) -> str:
    """Give a duration in milliseconds."""
    # Below this Python writes an exponent, in another form than other JSON here.
    return repr(nanoseconds / 1e6) if nanoseconds >= 100 else orjson.dumps(nanoseconds / 1e6).decode()
