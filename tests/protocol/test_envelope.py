from base64 import b64encode

import pytest

from kafkasniff.protocol.envelope import open_request, open_response
from kafkasniff.protocol.errors import ProtocolError
from kafkasniff.protocol.headers import RequestHeader

# DeleteTopics v1: one topic, timeout 100 ms.
REQUEST = bytes.fromhex("0014" + "0001" + "00000005" + "0001" + "63" + "00000001" + "0001" + "74" + "00000064")
RESPONSE = bytes.fromhex("00000005" + "00000000" + "00000001" + "0001" + "74" + "0003")


def test_request_and_response_inside() -> None:
    inner = open_request({"requestData": b64encode(REQUEST).decode()})
    assert inner.header == RequestHeader(20, 1, 5, "c", 1, 11)
    assert inner.body.value == {"topicNames": ["t"], "timeoutMs": 100}
    assert inner.data == REQUEST
    answer = open_response({"responseData": b64encode(RESPONSE).decode(), "errorCode": 0}, inner.header)
    assert answer.correlation_id == 5
    assert answer.body.value == {"throttleTimeMs": 0, "responses": [{"name": "t", "errorCode": 3}]}
    assert answer.body.problems == []


def test_what_holds_no_message() -> None:
    header = RequestHeader(20, 1, 5, "c", 1, 11)
    with pytest.raises(ProtocolError):
        open_request({"requestData": ""})
    with pytest.raises(ProtocolError, match="found null"):
        open_response({"responseData": None, "errorCode": 7}, header)
    with pytest.raises(ProtocolError):
        open_response({"responseData": "", "errorCode": 0}, header)
