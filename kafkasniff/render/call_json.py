"""What the JSON lines of calls are made of."""

from functools import lru_cache
from typing import Any

import orjson

from kafkasniff.calls.call import FieldError, Side
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.capture.packets import Interface
from kafkasniff.protocol.bodies.json_text import JsonBody, JsonReader, json_reader
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.headers import api_name, response_header_version
from kafkasniff.protocol.primitives import MAX_ELEMENTS
from kafkasniff.protocol.records.batches import as_json, read_batches
from kafkasniff.render.text import file_name


def is_plain(body: JsonBody | None) -> bool:
    """Tell whether there are neither error codes nor topic ids in a body."""
    return body is None or not (body.errors or body.topic_ids)


def batches_text(request: JsonBody, request_data: bytes, response: JsonBody | None, response_data: bytes) -> str | None:
    """Give the member with the record batches of a call, as it follows others; None where anything is wrong with one.

    The data is that in which the positions of records lie.
    """
    items: list[str] = []
    if request.records and not _add_batches("request", request_data, request, items):
        return None
    if response is not None and response.records and not _add_batches("response", response_data, response, items):
        return None
    return f',"batches":[{",".join(items)}]' if items else ""


def _add_batches(side: Side, data: bytes, body: JsonBody, items: list[str]) -> bool:
    for path, start, end in body.records:
        batches, problems = read_batches(data, start, end, side=side)
        if problems:
            return False
        # Names of fields and numbers are all that paths are made of.
        place = f'{{"where":"{side}","path":"{path}",'
        for batch in batches:
            items.append(place + orjson.dumps(as_json(batch))[1:].decode())
    return True


class Layout:
    """What the calls of one API in one version have in common."""

    __slots__ = ("_flexible_header", "_request", "_response", "version")

    def __init__(self, api_key: int, version: int, request: JsonReader, response: JsonReader) -> None:
        """Take what reads the bodies."""
        self.version = str(version)
        self._request = request
        self._response = response
        self._flexible_header = response_header_version(api_key, version) == 1

    def read(
        self, request: bytes, body: int, response: bytes, most_elements: int = MAX_ELEMENTS
    ) -> tuple[JsonBody, JsonBody] | None:
        """Read the bodies of whole messages: a request, whose body begins at `body`, and its answer.

        None where one has any problem, or more than `most_elements` array elements.
        """
        asked = self._request.read(request, body, most_elements)
        if asked is None:
            return None
        offset = 4
        if self._flexible_header:
            # Kafka knows no tagged fields there, so that their count is one byte, and zero.
            if response[4:5] != b"\0":
                return None
            offset = 5
        answered = self._response.read(response, offset, most_elements)
        return None if answered is None else (asked, answered)

    def read_request(self, request: bytes, body: int, most_elements: int) -> JsonBody | None:
        """Read the body of a request without an answer, as `read` does."""
        return self._request.read(request, body, most_elements)


@lru_cache(maxsize=1024)
def layout_of(api_key: int, version: int, show_secrets: bool) -> Layout | None:
    """Give a layout; None where it is not known, or messages may lie within the messages."""
    if api_key in HOLDING_APIS:
        return None
    request = json_reader(api_key, version, "request", show_secrets)
    response = json_reader(api_key, version, "response", show_secrets)
    if request is None or response is None:
        return None
    return Layout(api_key, version, request, response)


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


@lru_cache(maxsize=1024)
def named_text(api_key: int, api_version: int) -> str:
    """Give what stands in the header of a request before its correlation id."""
    return (
        f'{{"requestApiKey":{api_key},"requestApiKeyName":"{api_name(api_key)}"'
        f',"requestApiVersion":{api_version},"correlationId":'
    )


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
