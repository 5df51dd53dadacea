from collections import Counter
from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.reading import read
from tests.conftest import CAPTURES
from tests.tcp.conversations import Talk, batch
from tests.tcp.tls.hellos import CLIENT_HELLO_MESSAGE, SERVER_HELLO_MESSAGE

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


def record(message: bytes) -> bytes:
    """A TLS record with a message of the handshake."""
    return b"\x16\3\3" + len(message).to_bytes(2, "big") + message


def test_bytes_behind_the_hellos_are_counted_by_their_sender() -> None:
    """A client's record of 53 bytes and a server's alert of 7: what `diagnose` tells a failed handshake by."""
    talk = Talk().open()
    for side, sent in (
        (0, record(CLIENT_HELLO_MESSAGE)),
        (1, record(SERVER_HELLO_MESSAGE)),
        (0, b"\x17\3\3\0\x30" + bytes(48)),
    ):
        talk.send(side, sent)
    talk.send(1, bytes.fromhex("15030300020228"))
    engine = Engine(report_connections=True)
    (report,) = engine.feed(batch(talk.close().frames)) + engine.flush()
    assert isinstance(report, ConnectionReport)
    assert report.tls is not None
    assert report.tls.protected == (53, 7)


def packets_of(path: str) -> list[bytes]:
    """The header of a little-endian pcap file, and its packets with theirs."""
    data = Path(path).read_bytes()
    found, at = [data[:24]], 24
    while at < len(data):
        end = at + 16 + int.from_bytes(data[at + 8 : at + 12], "little")
        found.append(data[at:end])
        at = end
    return found


def test_encrypted_bytes_that_come_again_as_others_change_no_call(tmp_path: Path) -> None:
    packets = packets_of(CAPTURE)
    changed = [each for packet in packets for each in (packet, packet[:-1] + bytes([packet[-1] ^ 1]))]
    path = tmp_path / "repeated.pcap"
    path.write_bytes(packets[0] + b"".join(changed[2:]))
    reading = read(str(path), key_log=KEYS)
    wanted = [*map(str, read(CAPTURE, key_log=KEYS).calls())]
    assert [*map(str, reading.calls())] == wanted
    assert any("repeated bytes with other contents" in note for note in reading.summary.notes)


def test_an_answer_whose_encrypted_request_was_lost_is_shown(tmp_path: Path) -> None:
    """Also where the packets of calls are noted, of which it has one frame alone."""
    whole = [*read(CAPTURE, key_log=KEYS).calls()]
    lost = next(call.request for call in whole[20:] if call.request is not None)
    packets = packets_of(CAPTURE)
    del packets[lost.last.packet]
    path = tmp_path / "lost.pcap"
    path.write_bytes(b"".join(packets))
    found = [call for call in read(str(path), key_log=KEYS, keep_packets=True).calls() if call.request is None]
    assert [(call.outcome, call.security_protocol) for call in found] == [("request-not-captured", "SSL")]


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


def test_a_handshake_that_nothing_follows_was_decrypted_all_the_same(tmp_path: Path) -> None:
    """A client that opens a connection and never uses it: a key log brings no more to light."""
    first = next(iter(read(CAPTURE, key_log=KEYS).calls()))
    path = tmp_path / "unused.pcap"
    path.write_bytes(b"".join(packets_of(CAPTURE)[: first.time.packet]))
    for keys, protocol in ((KEYS, "empty"), (None, "tls")):
        reading = read(str(path), key_log=keys)
        assert list(reading) == []
        assert {name for name, _ in reading.summary.counts.others} == {protocol}
