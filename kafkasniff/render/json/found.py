"""What few lines have: bodies that were decoded, and what was found in bodies and on the way to them."""

from functools import lru_cache
from typing import Any

from kafkasniff.calls.call import Call, FieldError, Side
from kafkasniff.calls.contents import Contents, batches_as_json, open_batches
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.bodies.json_writer import RecordsPlace
from kafkasniff.protocol.bodies.text_buffer import json_string
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.wording import file_name

FoundIn = tuple[Side, bytes, list[tuple[str, int]], list[str], list[RecordsPlace]]
"""Of one side: its bytes, path and code of its errors, its topic ids, and where records lie."""


def decoded_parts(call: Call) -> tuple[bytes, bytes, int | None, str, str]:
    """Give request, response, the response's version, partial bodies, and what was found, by way of decoded bodies."""
    import orjson

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
    return json_string(value) if isinstance(value, str) else "null" if value is None else str(value)


def members_text(item: dict[str, Any]) -> str:
    """Give the members of an object as they follow others."""
    if not item:
        return ""
    import orjson  # importing it takes as long as reading a small capture; few calls have what is found

    return f",{orjson.dumps(item)[1:-1].decode()}"


@lru_cache(maxsize=256)
def client_text(security: str, principal: str | None, name: str | None, version: str | None) -> str:
    """Give the members that say who the client is."""
    texts = (*map(plain_text, (security, principal, name, version)),)
    return (
        f',"securityProtocol":{texts[0]},"principal":{texts[1]}'
        f',"clientInformation":{{"softwareName":{texts[2]},"softwareVersion":{texts[3]}}}'
    )


@lru_cache(maxsize=8192)
def milliseconds_text(nanoseconds: int) -> str:
    """Give a duration in milliseconds."""
    if nanoseconds == 0 or nanoseconds >= 100:
        return repr(nanoseconds / 1e6)
    # Of these Python writes an exponent, in another form than other JSON here.
    import orjson

    return orjson.dumps(nanoseconds / 1e6).decode()
