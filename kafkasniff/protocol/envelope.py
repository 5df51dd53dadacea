"""The request and response inside an Envelope (KIP-590), which a broker uses to forward a client's request."""

from base64 import b64decode
from typing import Any, NamedTuple

from kafkasniff.protocol.bodies import DecodedBody, decode_body
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import (
    RequestHeader,
    read_request_header,
    read_response_header,
    response_header_version,
)


class EnvelopedRequest(NamedTuple):
    """What `requestData` holds. Offsets are those in `data`."""

    header: RequestHeader
    body: DecodedBody
    data: bytes


class EnvelopedResponse(NamedTuple):
    """What `responseData` holds. Offsets are those in `data`."""

    correlation_id: int
    body: DecodedBody
    data: bytes


def open_request(envelope: dict[str, Any]) -> EnvelopedRequest:
    """Decode the request inside a decoded EnvelopeRequest; raises ProtocolError when its header does not decode."""
    data = b64decode(envelope["requestData"])
    header = read_request_header(data)
    body = decode_body(header.api_key, header.api_version, "request", data, header.end)
    return EnvelopedRequest(header, body, data)


def open_response(envelope: dict[str, Any], request: RequestHeader) -> EnvelopedResponse:
    """Decode the response inside a decoded EnvelopeResponse, by the header of the request inside the EnvelopeRequest.

    Raises ProtocolError when there is none (the envelope itself failed) or its header does not decode.
    """
    if envelope["responseData"] is None:
        raise ProtocolError("expected a response, found null", 0, "responseData")
    data = b64decode(envelope["responseData"])
    header_version = response_header_version(request.api_key, request.api_version)
    correlation_id, end = read_response_header(data, header_version)
    body = decode_body(request.api_key, request.api_version, "response", data, end)
    return EnvelopedResponse(correlation_id, body, data)
