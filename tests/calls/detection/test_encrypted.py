from collections import Counter

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.reading import read
from tests.conftest import CAPTURES

CAPTURE = str(CAPTURES / "tls12-aes128-cbc-sha256.pcap")
KEYS = str(CAPTURES / "tls12-aes128-cbc-sha256.keys")
SUITE = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"


@pytest.mark.parametrize(("keys", "protocol"), [(KEYS, "kafka"), (None, "tls")])
def test_a_connection_says_what_its_handshake_said(keys: str | None, protocol: str) -> None:
    reports = [item for item in read(CAPTURE, connections=True, key_log=keys) if isinstance(item, ConnectionReport)]
    assert Counter(report.protocol for report in reports) == {protocol: 12}
    for report in reports:
        assert report.tls is not None
        assert (report.tls.version, report.tls.cipher) == ("TLS 1.2", SUITE)
        assert report.evidence.startswith(f"begins with a TLS handshake (TLS 1.2, {SUITE}, certificate CN=localhost ")
        assert report.tls.decrypted == (keys is not None)


def test_calls_say_ssl() -> None:
    calls = [item for item in read(CAPTURE, key_log=KEYS) if isinstance(item, Call)]
    assert Counter(call.security_protocol for call in calls) == {"SSL": 73}
    assert {call.principal for call in calls} <= {None, "User:ANONYMOUS"}


def test_packets_of_a_call_are_all_that_its_decryption_needs() -> None:
    calls = [item for item in read(CAPTURE, key_log=KEYS, keep_packets=True) if isinstance(item, Call)]
    for call in calls:
        assert call.request is not None
        assert call.response is not None
        assert {call.request.first, call.request.last} <= {*call.request.packets}
        assert {call.response.first, call.response.last} <= {*call.response.packets}
        opening = [arrival.packet for arrival in call.request.packets if arrival.packet < call.time.packet]
        # ClientHello, ServerHello, Certificate …: at least what both sides said in the clear.
        assert len(opening) >= 3
