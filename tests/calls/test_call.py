"""A call of two frames laid out by hand."""

import struct
from typing import Any

import pytest

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.headers import read_request_header
from tests.calls.hand_made import (
    MILLISECOND,
    arrival,
    connection,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
)


def frame(message: bytes, first: int, last: int, lacking: int = 0) -> Frame:
    """Give a message that came in packets `first` to `last`, which arrive a millisecond after each other."""
    content = message[4 : len(message) - lacking]
    return Frame(struct.unpack_from(">i", message)[0], content, arrival(first), arrival(last), 0)


def made(request: Frame | None, response: Frame | None, **fields: Any) -> Call:
    header = None if request is None else read_request_header(request.data)
    of = connection()
    return Call(of, *map(str, of.endpoints), request, response, header, "answered", arrival(9), **fields)


def test_times_are_those_of_first_and_last_bytes() -> None:
    call = made(frame(metadata_request(7), 1, 3), frame(metadata_response(7), 5, 9))
    assert call.time == arrival(1)
    assert call.total_ns == 8 * MILLISECOND
    assert call.response_delay_ns == 2 * MILLISECOND


def test_the_header_says_what_is_asked() -> None:
    call = made(frame(metadata_request(7, client_id="cart"), 1, 1), None)
    assert (call.api_key, call.api_version, call.api_name) == (3, 1, "METADATA")
    assert (call.correlation_id, call.client_id) == (7, "cart")
    assert (call.total_ns, call.response_delay_ns, call.response_body) == (None, None, None)


def test_an_answer_alone_has_its_correlation_id() -> None:
    call = made(None, frame(metadata_response(-2), 5, 9))
    assert (call.correlation_id, call.time) == (-2, arrival(5))
    assert call.api_key is call.api_name is call.client_id is call.request_body is call.response_body is None
    assert call.scan_response(frozenset({"topics"})) is None


def test_bodies_are_those_of_the_version() -> None:
    call = made(frame(metadata_request(7, topic="carts"), 1, 1), frame(metadata_response(7, topic="carts"), 2, 2))
    assert call.request_body is not None
    assert call.response_body is not None
    assert call.request_body.value == {"topics": [{"name": "carts"}]}
    assert call.response_body.value is not None
    assert call.response_body.value["brokers"] == [{"nodeId": 7, "host": "broker-1", "port": 9092, "rack": None}]
    assert call.problems == []


def test_errors_are_named_with_their_path() -> None:
    call = made(frame(heartbeat_request(3), 1, 1), frame(heartbeat_response(3, 27), 2, 2))
    assert call.errors == [FieldError("response", "errorCode", 27, "REBALANCE_IN_PROGRESS")]


@pytest.mark.parametrize("lacking", [1, 5])
def test_of_a_message_that_is_cut_there_is_a_part(lacking: int) -> None:
    response = metadata_response(7)
    call = made(frame(metadata_request(7), 1, 1), frame(response, 2, 2, lacking))
    assert call.response_body is not None
    assert call.response_body.value is None
    assert call.response_body.partial is not None
    assert call.response_body.partial["brokers"][0]["host"] == "broker-1"
    size = len(response) - 4
    assert f"{size - lacking} of the message's {size} bytes are there" in [each.message for each in call.problems]
    assert call.scan_response(frozenset({"brokers"})) is None


def test_a_scan_takes_only_what_is_asked_for() -> None:
    call = made(frame(metadata_request(7), 1, 1), frame(metadata_response(7), 2, 2))
    names = frozenset({"brokers", "host"})
    scan = call.scan_response(names)
    assert scan is not None
    assert scan.value == {"brokers": [{"host": "broker-1"}]}
    assert call.scan_response(names) is scan
