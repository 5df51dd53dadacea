"""PROXY headers before TLS, and TLS as Go 1.26 speaks it, around messages that Kafka's own classes wrote."""

import json
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.detection.conversation import Conversation
from kafkasniff.calls.detection.proxied import ProxiedConversation
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.limits import CallLimits
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.reading import read
from kafkasniff.tcp.tls.context import TlsContext
from tests.calls.hand_made import BUDGET, connection, data, gap, metadata_request, metadata_response
from tests.conftest import ROOT
from tests.tcp.conversations import Talk, batch

RECORDINGS = ROOT / "tests" / "tcp" / "tls" / "recordings"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.pcap"))
FRAMES = [
    (bytes.fromhex(each["request"]), bytes.fromhex(each["response"]))
    for each in json.loads((RECORDINGS / "frames.json").read_text())
]
ALICE = r"User:CN=alice,OU=Ops,O=Example\, Inc."
V1 = b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 9093\r\n"
V2 = bytes.fromhex("0d0a0d0a000d0a515549540a2111000cc0a80001c0a8000bdc042385")
CLIENT_HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(501)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_inside_tls_of_today_is_read(name: str) -> None:
    path = RECORDINGS / f"{name}.pcap"
    items = [*read(str(path), connections=True, key_log=str(path.with_suffix(".keys")))]
    calls = [item for item in items if isinstance(item, Call)]
    frames = [(call.request and call.request.data, call.response and call.response.data) for call in calls]
    assert frames == [(request[4:], response[4:]) for request, response in FRAMES]
    assert not any(call.pairing_problems for call in calls)
    assert {call.principal for call in calls} == {ALICE if "client-certificate" in name else None}
    (report,) = [item for item in items if isinstance(item, ConnectionReport)]
    assert report.tls is not None
    assert (report.protocol, report.tls.decrypted, report.tls.server_name) == ("kafka", True, "broker.example")


@pytest.mark.parametrize("name", NAMES)
def test_without_secrets_it_is_tls_and_the_certificates_of_tls_1_2_are_told(name: str) -> None:
    (report,) = [*read(str(RECORDINGS / f"{name}.pcap"), connections=True)]
    assert isinstance(report, ConnectionReport)
    assert report.tls is not None
    assert (report.protocol, report.tls.server_name) == ("tls", "broker.example")
    assert (report.tls.client_certificate is not None) == name.startswith("tls12")


def test_what_is_written_of_it_can_be_decrypted_again(tmp_path: Path) -> None:
    """The packets of a call name that with the PROXY header, without which it is no TLS."""
    path = RECORDINGS / "tls13-post-quantum-proxy-v2.pcap"
    reading = read(str(path), keep_packets=True, key_log=str(path.with_suffix(".keys")))
    for call in reading:
        assert isinstance(call, Call)
        assert call.request is not None
        assert 4 in [arrival.packet for arrival in call.request.packets]


@pytest.mark.parametrize("header", [V1, V2], ids=["v1", "v2"])
@pytest.mark.parametrize("at", [0, 1, 5, 11, 20, None])
@pytest.mark.parametrize("behind", [CLIENT_HELLO, metadata_request(1)], ids=["tls", "kafka"])
def test_a_header_may_end_anywhere(header: bytes, at: int | None, behind: bytes) -> None:
    """In a segment of its own (None), in two, or in that of what follows."""
    talk = Talk().open()
    if at is None:
        talk.send(0, header).send(0, behind)
    else:
        talk.send(0, header[: at or len(header)] + (b"" if at else behind))
        if at:
            talk.send(0, header[at:] + behind)
    if behind is not CLIENT_HELLO:
        talk.send(1, metadata_response(1))
    engine = Engine(report_connections=True)
    items = engine.feed(batch(talk.close().frames)) + engine.flush()
    (report,) = [item for item in items if isinstance(item, ConnectionReport)]
    calls = [item for item in items if isinstance(item, Call)]
    if behind is CLIENT_HELLO:
        assert (report.protocol, calls) == ("tls", [])
        # Of TLS that is only recognised nothing more would be told.
        assert report.tls is not None
    else:
        assert [(call.api_key, call.outcome) for call in calls] == [(3, "answered")]


def test_a_header_without_an_end_is_nothing() -> None:
    engine = Engine(report_connections=True)
    (report,) = engine.feed(batch(Talk().open().send(0, V1[:30]).close().frames)) + engine.flush()
    assert isinstance(report, ConnectionReport)
    assert report.protocol == "unknown"


def undecided() -> ProxiedConversation:
    of = connection()
    return ProxiedConversation(Conversation(of, CallLimits(), CallOptions(), BUDGET), TlsContext(), 0, False)


def test_what_lacks_of_a_header_ends_the_wait_for_it() -> None:
    of, conversation = connection(), undecided()
    assert conversation.take(data(of, 0, V1[:20], 1)) == []
    assert conversation.take(gap(of, 0, 10, 2)) == []
    for number in (1, 2):
        conversation.take(data(of, 0, metadata_request(number), 3))
    assert conversation.protocol == "kafka"
