"""Which bytes may be a response of some API."""

import pytest

from kafkasniff.calls.resync.fitting import Fitting
from tests.calls.hand_made import heartbeat_response, metadata_response
from tests.conftest import needs_shared
from tests.robustness.conversations import combine, vectors


@needs_shared
def test_every_response_that_kafka_wrote_fits() -> None:
    fitting = Fitting()
    for requests, responses in vectors():
        for row in responses:
            message = combine(requests[0], row, 7).response
            assert message is None or fitting.tells(message.frame[4:]) is not None


def test_a_few_integers_tell_nothing() -> None:
    assert Fitting().tells(heartbeat_response(7)[4:]) is False
    assert Fitting().tells(metadata_response(7)[4:]) is True


@pytest.mark.parametrize("body", [b'{"jsonrpc": "2.0"}', b"\x08\x96\x01\x12\x07testing", b"\xff" * 40])
def test_what_no_layout_fits(body: bytes) -> None:
    assert Fitting().tells(b"\0\0\0\7" + body) is None
