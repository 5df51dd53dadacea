"""Calls of one API and version together, and their bodies, read as columns."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from kafkasniff.calls.columns.calls import CallColumns
from kafkasniff.calls.contents import HOLDING_APIS
from kafkasniff.protocol.body_columns import BodyReader, Buffer, Columns, Marks, Numbers, body_reader
from kafkasniff.protocol.headers import response_header_version
from kafkasniff.render.text_blocks import equal

_CORRELATION_ID_END = 4


class Readers(NamedTuple):
    """What reads the bodies of an API in a version."""

    request: BodyReader
    response: BodyReader
    response_start: int
    """Bytes of the response's header."""


class CallBodies(NamedTuple):
    """The bodies of some calls."""

    buffer: Buffer
    request: Columns
    response: Columns


def by_layout(columns: CallColumns, rows: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Give each layout (API key << 16 | version) of some rows, and at which places among them it is found."""
    keys, versions = columns.api_key[rows], columns.api_version[rows]
    # Small numbers are told apart much faster; no API has 256 versions.
    for places in equal(keys << 8 | versions):
        first = places.item(0)
        yield keys.item(first) << 16 | versions.item(first), places


@cache
def readers_of(api_key: int, version: int) -> Readers | None:
    """Give what reads an API in a version; None where calls have to be read one by one."""
    request, response = body_reader(api_key, version, "request"), body_reader(api_key, version, "response")
    if request is None or response is None or api_key in HOLDING_APIS:
        return None
    header = response_header_version(api_key, version)
    return Readers(request, response, _CORRELATION_ID_END + (header == 1))


def read_bodies(readers: Readers, columns: CallColumns, rows: Numbers, longest: int) -> tuple[CallBodies, Marks]:
    """Read the bodies of some rows, all of the API and version of `readers`; mark the odd, whose columns mean nothing.

    Odd are also calls with a body of more than `longest` bytes.
    """
    buffer = Buffer(columns.data)
    start, end = columns.body[rows], columns.request_end[rows]
    response, response_end = columns.response[rows], columns.response_end[rows]
    asked, odd = readers.request.read(buffer, start, end)
    answered, answered_odd = readers.response.read(buffer, response + readers.response_start, response_end)
    odd |= answered_odd | (end - start > longest) | (response_end - response > longest)
    if readers.response_start > _CORRELATION_ID_END:
        # Kafka knows no tagged fields there, so that their count is one byte, and zero.
        odd |= buffer.numbers("B", response + _CORRELATION_ID_END) != 0
    return CallBodies(buffer, asked, answered), odd
