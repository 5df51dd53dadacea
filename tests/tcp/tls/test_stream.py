import json
import os
import random
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from kafkasniff.tcp.events import StreamData, StreamGap
from kafkasniff.tcp.tls.context import TlsContext, TlsLimits
from kafkasniff.tcp.tls.description import read_certificate
from kafkasniff.tcp.tls.key_log import KeyLog
from kafkasniff.tcp.tls.stream import TlsStream
from tests.calls.hand_made import connection
from tests.conftest import ROOT
from tests.tcp.tls.openssl import CLIENT, EXPIRES, SERVER, SUBJECT, Peers, Recording, data_of, decrypt, gaps_of

TLS_1_2, TLS_1_3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
SUITES = {
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CCM": "ECDHE-ECDSA-AES128-CCM",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CCM": "ECDHE-ECDSA-AES256-CCM",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8": "ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8": "ECDHE-ECDSA-AES256-CCM8:@SECLEVEL=0",
    # OpenSSL negotiates encrypt-then-MAC for these.
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA": "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384:@SECLEVEL=0",
}


def messages(seed: int, count: int = 12) -> list[tuple[int, bytes]]:
    """Messages of both sides, some of several records."""
    source = random.Random(seed)
    sizes = [source.choice((1, 40, 900, 3_000, 40_000)) for _ in range(count)]
    return [(number % 2, source.randbytes(size)) for number, size in enumerate(sizes)]


def assert_plain(recording: Recording, found: list[StreamData | StreamGap]) -> None:
    assert not gaps_of(found)
    for direction in (CLIENT, SERVER):
        assert data_of(found, direction) == b"".join(recording.messages[direction])


@pytest.mark.parametrize("name", SUITES)
def test_decrypts_every_suite_of_tls_1_2(tmp_path: Path, name: str) -> None:
    peers = Peers(tmp_path, TLS_1_2, SUITES[name])
    recording = peers.connect(messages(1), server_name="broker.example")
    stream, found = decrypt(recording.events, peers.context())
    assert_plain(recording, found)
    known = stream.description
    assert (known.version, known.cipher, known.server_name) == ("TLS 1.2", name, "broker.example")
    assert known.decrypted
    assert not known.resumed
    certificate = read_certificate(known.server_certificate)
    assert certificate is not None
    assert (certificate.subject, certificate.expires.replace(tzinfo=None)) == (SUBJECT, EXPIRES)


def test_decrypts_tls_1_3(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    recording = peers.connect(messages(2))
    stream, found = decrypt(recording.events, peers.context())
    assert_plain(recording, found)
    known = stream.description
    assert (known.version, known.cipher) == ("TLS 1.3", "TLS_AES_256_GCM_SHA384")
    certificate = read_certificate(known.server_certificate)
    assert certificate is not None
    assert certificate.subject == SUBJECT


@pytest.mark.parametrize("name", ["TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"])
def test_decrypts_ccm_of_tls_1_3(tmp_path: Path, name: str) -> None:
    """OpenSSL chooses these suites of TLS 1.3 by its configuration only, which a process reads once."""
    settings = tmp_path / "openssl.cnf"
    settings.write_text(
        "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = tls\n"
        f"[tls]\nCiphersuites = {name}\nCipherString = DEFAULT:@SECLEVEL=0\n"
    )
    code = (
        "import json, ssl, sys; from pathlib import Path; from tests.tcp.tls.openssl import Peers; "
        "made = Peers(Path(sys.argv[1]), ssl.TLSVersion.TLSv1_3).connect([(0, b'a request'), (1, b'an answer')]); "
        "print(json.dumps([(event.direction, event.data.hex()) for event in made.events]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "OPENSSL_CONF": str(settings)},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    recording = Recording(connection())
    for direction, data in json.loads(done.stdout):
        recording.add_packet(direction, bytes.fromhex(data))
    key_log = KeyLog()
    key_log.add((tmp_path / "keys.log").read_bytes())
    stream, found = decrypt([*recording.events], TlsContext(key_log))
    assert (stream.description.cipher, stream.description.decrypted) == (name, True)
    assert [data_of(found, direction) for direction in (CLIENT, SERVER)] == [b"a request", b"an answer"]


@pytest.mark.parametrize("version", [TLS_1_2, TLS_1_3])
def test_tells_the_protocol_that_was_chosen(tmp_path: Path, version: ssl.TLSVersion) -> None:
    peers = Peers(tmp_path, version)
    peers.client.set_alpn_protocols(["kafka", "h2"])
    peers.server.set_alpn_protocols(["h2"])
    stream, _ = decrypt(peers.connect(messages(3)).events, peers.context())
    assert (stream.description.offered_protocols, stream.description.chosen_protocol) == (("kafka", "h2"), "h2")


def test_follows_a_hello_retry_request(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    peers.server.set_ecdh_curve("secp384r1")
    recording = peers.connect(messages(4))
    _, found = decrypt(recording.events, peers.context())
    assert_plain(recording, found)


@pytest.mark.parametrize("segment", [1, 7, 1_448, 1 << 20])
@pytest.mark.parametrize("version", [TLS_1_2, TLS_1_3])
def test_packets_may_cut_records_anywhere(tmp_path: Path, version: ssl.TLSVersion, segment: int) -> None:
    peers = Peers(tmp_path, version)
    recording = peers.connect([(0, b"a" * 100), (1, b"b" * 300), (0, b"c")], segment=segment)
    _, found = decrypt(recording.events, peers.context())
    assert_plain(recording, found)


@pytest.mark.parametrize("tickets", [True, False])
def test_resumes_tls_1_2_with_the_first_session_only_logged(tmp_path: Path, tickets: bool) -> None:
    peers = Peers(tmp_path, TLS_1_2)
    if not tickets:
        peers.server.options |= ssl.OP_NO_TICKET
    first = peers.connect(messages(5))
    context = peers.context()
    second = peers.connect(messages(6), resume=True)
    for recording, resumed in ((first, False), (second, True)):
        stream, found = decrypt(recording.events, context)
        assert_plain(recording, found)
        assert stream.description.resumed == resumed


def test_resumes_tls_1_3(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    peers.connect(messages(7))
    recording = peers.connect(messages(8), resume=True)
    stream, found = decrypt(recording.events, peers.context())
    assert_plain(recording, found)
    assert stream.description.resumed


@pytest.mark.parametrize("version", [TLS_1_2, TLS_1_3])
def test_secrets_may_come_after_the_data(tmp_path: Path, version: ssl.TLSVersion) -> None:
    peers = Peers(tmp_path, version)
    recording = peers.connect(messages(9))
    context = TlsContext()
    stream = TlsStream(recording.connection, context)
    half = len(recording.events) // 2
    assert [found for event in recording.events[:half] for found in stream.take(event)] == []
    assert context.held > 0
    context.key_log.add(peers.key_log.read_bytes())
    found = [found for event in recording.events[half:] for found in stream.take(event)]
    assert_plain(recording, [*found, *stream.end()])
    assert context.held == 0


def test_secrets_that_come_with_the_last_packet_open_all(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    recording = peers.connect(messages(10))
    context = TlsContext()
    stream = TlsStream(recording.connection, context)
    assert [found for event in recording.events for found in stream.take(event)] == []
    context.key_log.add(peers.key_log.read_bytes())
    assert_plain(recording, stream.end())


def test_holds_no_more_than_the_limit_without_secrets(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    recording = peers.connect([(0, bytes(200_000))])
    context = TlsContext(limits=TlsLimits(held_per_connection=50_000))
    most = 0
    stream = TlsStream(recording.connection, context)
    for event in recording.events:
        assert stream.take(event) == []
        most = max(most, context.held)
    assert 0 < most <= 50_000
    assert context.held == 0
    context.key_log.add(peers.key_log.read_bytes())
    assert stream.end() == []
    assert (context.counters.late, context.counters.without_secrets) == (1, 0)
    assert stream.description.failure == "its secrets came when more had been sent than waits for them"


def test_secrets_that_never_come_are_not_late(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    recording = peers.connect([(0, bytes(200_000))])
    context = TlsContext(limits=TlsLimits(held_per_connection=50_000))
    decrypt(recording.events, context)
    assert (context.counters.late, context.counters.without_secrets) == (0, 1)


def test_without_secrets_it_tells_what_is_in_the_clear(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_2)
    recording = peers.connect(messages(11), server_name="broker.example")
    stream, found = decrypt(recording.events, TlsContext())
    assert found == []
    known = stream.description
    certificate = read_certificate(known.server_certificate)
    assert certificate is not None
    assert (known.version, known.server_name, certificate.subject) == ("TLS 1.2", "broker.example", SUBJECT)
    assert (known.decrypted, known.failure) == (False, "no secrets in the key log")


@pytest.mark.parametrize("version", [TLS_1_2, TLS_1_3])
def test_tells_why_a_client_refused_a_server(tmp_path: Path, version: ssl.TLSVersion) -> None:
    peers = Peers(tmp_path, version)
    peers.client.verify_mode = ssl.CERT_REQUIRED
    recording = peers.refuse()
    known = decrypt(recording.events, peers.context())[0].description
    assert known.alert is not None
    assert (known.alert.from_client, known.alert.name) == (True, "unknown_ca")


def test_tells_why_a_server_refused_a_client(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_2)
    peers.server.minimum_version = peers.server.maximum_version = TLS_1_3
    stream, _ = decrypt(peers.refuse().events, peers.context())
    assert stream.description.alert is not None
    assert (stream.description.alert.from_client, stream.description.alert.name) == (False, "protocol_version")
    assert str(stream.description).endswith(
        "alert protocol_version from the server, its ClientHello or ServerHello was not seen"
    )


@pytest.mark.parametrize("version", [TLS_1_2, TLS_1_3])
def test_wrong_secrets_give_nothing(tmp_path: Path, version: ssl.TLSVersion) -> None:
    peers = Peers(tmp_path, version)
    recording = peers.connect(messages(12))
    lines = [line.split() for line in peers.key_log.read_text().splitlines() if not line.startswith("#")]
    wrong = KeyLog()
    wrong.add("\n".join(f"{label} {name} {secret[::-1]}" for label, name, secret in lines).encode())
    context = TlsContext(wrong)
    stream, found = decrypt(recording.events, context)
    assert found == []
    assert stream.description.failure == "its secrets in the key log do not fit"
    assert context.counters.not_fitting == 1
    assert len(context.notes()) == 1


def test_a_message_lasts_from_its_first_to_its_last_packet(tmp_path: Path) -> None:
    peers = Peers(tmp_path, TLS_1_3)
    recording = peers.connect([(0, b"x" * 5_000)])
    _, found = decrypt(recording.events, peers.context())
    carriers = [event.arrival for event in recording.events if event.direction == CLIENT][-4:]
    assert [event.arrival for event in found if isinstance(event, StreamData)] == [carriers[0], carriers[-1]]
    assert {arrival for event in found for arrival in (event.arrival, *event.fragments)} == set(carriers)
    assert {event.delivered_by for event in found} == {carriers[-1]}


def assert_lossy(recording: Recording, dropped: set[int], peers: Peers, known_length: bool = True) -> None:
    """Decrypt without some packets: the records that are whole come out, and gaps say how much is missing."""
    events = [
        StreamGap(event.connection, event.direction, len(event.data) if known_length else None, event.arrival, False)
        if event.arrival.packet in dropped
        else event
        for event in recording.events
    ]
    _, found = decrypt(events, peers.context())
    for direction in (CLIENT, SERVER):
        records = recording.records(direction)
        kept = [data for data, packets in records if not packets & dropped]
        assert data_of(found, direction) == b"".join(kept)
        gaps = [gap for gap in gaps_of(found) if gap.direction == direction]
        assert bool(gaps) == (len(kept) < len(records))
        if gaps and all(gap.length is not None for gap in gaps):
            missing = sum(len(data) for data, packets in records if packets & dropped)
            assert sum(gap.length or 0 for gap in gaps) == missing


LOSSY = pytest.mark.parametrize(
    "cipher",
    [
        None,
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        "ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0",
    ],
)


@LOSSY
def test_a_lost_packet_costs_its_records_alone(tmp_path: Path, cipher: str | None) -> None:
    peers = Peers(tmp_path, TLS_1_2 if cipher else TLS_1_3, cipher)
    recording = peers.connect(messages(13))
    for event in recording.events[recording.handshake :]:
        assert_lossy(recording, {event.arrival.packet}, peers)


@LOSSY
def test_many_lost_packets_cost_their_records_alone(tmp_path: Path, cipher: str | None) -> None:
    peers = Peers(tmp_path, TLS_1_2 if cipher else TLS_1_3, cipher)
    recording = peers.connect(messages(14, 30))
    numbers = [event.arrival.packet for event in recording.events[recording.handshake :]]
    source = random.Random(15)
    for share in (0.02, 0.1, 0.4):
        for known_length in (True, False):
            dropped = {number for number in numbers if source.random() < share}
            assert_lossy(recording, dropped, peers, known_length)


def test_decryption_goes_on_when_the_rest_of_the_handshake_is_lost(tmp_path: Path) -> None:
    for version in (TLS_1_2, TLS_1_3):
        peers = Peers(tmp_path, version)
        recording = peers.connect(messages(16), segment=200)
        # Each hello is alone in a record; with a post-quantum key share it takes several segments.
        hellos = recording.packets_of_first_record(CLIENT) + recording.packets_of_first_record(SERVER)
        for lost in recording.events[hellos : recording.handshake]:
            _, found = decrypt(
                [
                    StreamGap(event.connection, event.direction, len(event.data), event.arrival, False)
                    if event is lost
                    else event
                    for event in recording.events
                ],
                peers.context(),
            )
            assert_plain(recording, [event for event in found if isinstance(event, StreamData)])


@pytest.mark.parametrize("version", [TLS_1_2, TLS_1_3])
def test_no_flipped_byte_gives_wrong_data(tmp_path: Path, version: ssl.TLSVersion) -> None:
    peers = Peers(tmp_path, version)
    sent = [(0, b"request one"), (1, b"answer one"), (0, b"request two"), (1, b"answer two")]
    whole = sum(len(data) for _, data in sent)
    recording = peers.connect(sent)
    context = peers.context()
    for index, event in enumerate(recording.events):
        for place in range(len(event.data)):
            damaged = bytearray(event.data)
            damaged[place] ^= 1 << (place % 8)
            events = [*recording.events]
            events[index] = event.with_data(bytes(damaged))
            stream, found = decrypt([*events], context)
            str(stream.description)
            for direction in (CLIENT, SERVER):
                kept = [item.data for item in found if isinstance(item, StreamData) and item.direction == direction]
                assert is_part(kept, recording.messages[direction])
            if index >= recording.handshake:
                lost = sent[index - recording.handshake][1]
                assert sum(len(item.data) for item in found if isinstance(item, StreamData)) == whole - len(lost)
                # Where a length grew, the stream may as well be cut by the end of the capture.
                assert gaps_of(found) or place in (3, 4)


def is_part(kept: list[bytes], sent: list[bytes]) -> bool:
    """Tell whether `kept` are some of the messages that were sent, in their order."""
    left = iter(sent)
    return all(data in left for data in kept)
