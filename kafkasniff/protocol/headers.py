"""Request and response headers in all versions."""

import struct
from functools import lru_cache
from typing import NamedTuple

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.primitives import MAX_ELEMENTS, java_text, read_unsigned_varint, skip_tagged_field

API_VERSIONS = 18
CONTROLLED_SHUTDOWN = 7

_FIXED = struct.Struct(">hhi")
_INT16 = struct.Struct(">h")
_INT32 = struct.Struct(">i")


class RequestHeader(NamedTuple):
    """The header of a request."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    """None when the wire says null, and in header v0, which has none."""
    header_version: int
    end: int
    """Offset of the body's first byte."""


def api_name(api_key: int) -> str:
    """Give Kafka's name of an API, e.g. `LIST_OFFSETS`."""
    return APIS[api_key].name if api_key in APIS else f"UNKNOWN({api_key})"


def request_header_version(api_key: int, api_version: int) -> int:
    """Give the version of a request's header; that of the newest known version for what is newer than known.

    An unknown API is newer than all known ones, and those are flexible from their first version on.
    """
    if api_key == CONTROLLED_SHUTDOWN and api_version == 0:
        # The Scala controller wrote it without a client id, and it stayed so (ApiKeys.requestHeaderVersion).
        return 0
    api = APIS.get(api_key)
    if api is None:
        return 2
    return 2 if api.request_flexible is not None and api_version >= api.request_flexible else 1


@lru_cache(maxsize=1024)
def response_header_version(api_key: int, api_version: int) -> int:
    """Give the version of a response's header, by the version of the request; newer than known as above."""
    if api_key == API_VERSIONS:
        # Always 0, so that a client can read the answer of a broker that does not know its version (KIP-511).
        return 0
    api = APIS.get(api_key)
    if api is None:
        return 1
    return 1 if api.response_flexible is not None and api_version >= api.response_flexible else 0


def read_request_header(data: bytes, offset: int = 0) -> RequestHeader:
    """Read the request header that begins at `offset`; raises ProtocolError."""
    try:
        api_key, api_version, correlation_id = _FIXED.unpack_from(data, offset)
    except struct.error:
        raise ProtocolError(f"expected 8 bytes of header, found {len(data) - offset}", offset) from None
    if api_key < 0:
        raise ProtocolError(f"expected an API key, found {api_key}", offset, "requestApiKey")
    if api_version < 0:
        raise ProtocolError(f"expected an API version, found {api_version}", offset + 2, "requestApiVersion")
    header_version = request_header_version(api_key, api_version)
    end = offset + 8
    client_id = None
    if header_version >= 1:
        client_id, end = _read_client_id(data, end)
    if header_version == 2:
        end = _skip_header_tags(data, end)
    return RequestHeader(api_key, api_version, correlation_id, client_id, header_version, end)


def read_cut_request_header(data: bytes) -> RequestHeader | None:
    """Read what there is of a request header that the capture cuts off inside or behind its client id.

    The client id is as much of it as there is, and the body begins where the bytes end. None when the cut comes
    earlier, or the bytes are no header.
    """
    if len(data) < _FIXED.size + _INT16.size:
        return None
    api_key, api_version, correlation_id = _FIXED.unpack_from(data)
    (length,) = _INT16.unpack_from(data, _FIXED.size)
    if api_key < 0 or api_version < 0:
        return None
    start = _FIXED.size + _INT16.size
    # A cut may fall between the bytes of one character.
    client_id = data[start : start + length].decode("utf-8", "ignore") if length >= 0 else None
    version = request_header_version(api_key, api_version)
    return RequestHeader(api_key, api_version, correlation_id, client_id, version, len(data))


def read_response_header(data: bytes, header_version: int, offset: int = 0) -> tuple[int, int]:
    """Read the response header that begins at `offset`; give correlation id and offset of the body.

    Raises ProtocolError.
    """
    try:
        (correlation_id,) = _INT32.unpack_from(data, offset)
    except struct.error:
        raise ProtocolError(f"expected a correlation id, found {len(data) - offset} bytes", offset) from None
    end = offset + 4
    return correlation_id, _skip_header_tags(data, end) if header_version >= 1 else end


def _read_client_id(data: bytes, offset: int) -> tuple[str | None, int]:
    """Read the client id, whose length stays an int16 in header v2 (KIP-482)."""
    start = offset + 2
    try:
        (length,) = _INT16.unpack_from(data, offset)
    except struct.error:
        raise ProtocolError(f"expected a client id, found {len(data) - offset} bytes", offset, "clientId") from None
    if length < 0:
        return None, start
    if length > len(data) - start:
        raise ProtocolError(
            f"expected a client id of {length} bytes, found {len(data) - start} left", offset, "clientId"
        )
    return java_text(data[start : start + length]), start + length


def _skip_header_tags(data: bytes, offset: int) -> int:
    """Skip the tagged fields of a header, of which Kafka knows none."""
    try:
        count, end = read_unsigned_varint(data, offset)
        if count > MAX_ELEMENTS:
            raise ProtocolError(f"expected at most {MAX_ELEMENTS} tagged fields, found {count}", offset, "taggedFields")
        for _ in range(count):
            tag, end = read_unsigned_varint(data, end)
            size, end = read_unsigned_varint(data, end)
            end = skip_tagged_field(data, end, tag, size)
    except IndexError:
        raise ProtocolError("expected tagged fields, found the end", offset, "taggedFields") from None
    return end
