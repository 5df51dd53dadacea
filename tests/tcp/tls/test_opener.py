"""Records of TLS 1.3 sealed here with `cryptography`, keys and all, and opened by what is tested."""

from itertools import count

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from kafkasniff.capture.packets import Arrival
from kafkasniff.tcp.tls.cipher_suites import suite_of
from kafkasniff.tcp.tls.opener import RecordOpener, tls13_opener
from kafkasniff.tcp.tls.records import Record
from tests.tcp.tls.openssl import INTERFACE

HANDSHAKE_SECRET, SECRET = bytes(range(32)), bytes(range(100, 132))
ARRIVAL = Arrival(0, 1, INTERFACE)
APPLICATION, HANDSHAKE = 23, 22


def expand(secret: bytes, label: bytes, length: int) -> bytes:
    info = length.to_bytes(2, "big") + bytes([6 + len(label)]) + b"tls13 " + label + b"\x00"
    return HKDFExpand(hashes.SHA256(), length, info).derive(secret)


def seal(secret: bytes, sequence: int, data: bytes, content_type: int = APPLICATION, padding: int = 0) -> Record:
    inner = data + bytes([content_type]) + bytes(padding)
    header = b"\x17\x03\x03" + (len(inner) + 16).to_bytes(2, "big")
    nonce = bytes(a ^ b for a, b in zip(expand(secret, b"iv", 12), sequence.to_bytes(12, "big"), strict=True))
    fragment = AESGCM(expand(secret, b"key", 16)).encrypt(nonce, inner, header)
    return Record(0, header, fragment, (ARRIVAL,), ARRIVAL)


def secrets() -> list[bytes]:
    """The secret of the data and those behind KeyUpdates."""
    found = [SECRET]
    for _ in range(3):
        found.append(expand(found[-1], b"traffic upd", 32))
    return found


@pytest.fixture
def opener() -> RecordOpener:
    suite = suite_of(0x1301)
    assert suite is not None
    return tls13_opener(suite, HANDSHAKE_SECRET, SECRET)


def test_follows_the_change_from_handshake_to_data(opener: RecordOpener) -> None:
    sealed = [seal(HANDSHAKE_SECRET, 0, b"finished", HANDSHAKE), seal(SECRET, 0, b"one"), seal(SECRET, 1, b"two")]
    found = [opener.open(record, 0) for record in sealed]
    assert [opened.content.data for opened in found if opened] == [b"finished", b"one", b"two"]
    assert [opened.lost_records for opened in found if opened] == [0, 0, 0]


def test_follows_key_updates(opener: RecordOpener) -> None:
    for secret in secrets():
        for sequence in range(3):
            opened = opener.open(seal(secret, sequence, b"data"), 0)
            assert opened is not None
            assert opened.lost_records == 0


def test_follows_a_key_update_that_was_lost(opener: RecordOpener) -> None:
    first, second, third, _ = secrets()
    assert opener.open(seal(first, 0, b"data"), 0)
    opened = opener.open(seal(third, 4, b"data"), 500)
    assert opened is not None
    assert opened.lost_records is None
    assert opener.open(seal(second, 0, b"data"), 0) is None


def test_takes_off_padding(opener: RecordOpener) -> None:
    opened = opener.open(seal(SECRET, 0, b"data", padding=100), 0)
    assert opened is not None
    assert opened.content.data == b"data"


def test_tells_what_lost_records_held(opener: RecordOpener) -> None:
    assert opener.open(seal(SECRET, 0, b"data"), 0)
    lost = [seal(SECRET, sequence, bytes(200)) for sequence in (1, 2, 3)]
    opened = opener.open(seal(SECRET, 4, b"data"), sum(record.size for record in lost))
    assert opened is not None
    assert (opened.lost_records, opened.lost_length) == (3, 600)


def test_does_not_tell_it_where_records_are_padded(opener: RecordOpener) -> None:
    assert opener.open(seal(SECRET, 0, b"data", padding=3), 0)
    opened = opener.open(seal(SECRET, 2, b"data"), 200)
    assert opened is not None
    assert (opened.lost_records, opened.lost_length) == (1, None)


def test_searches_no_farther_than_the_lost_bytes_reach(opener: RecordOpener) -> None:
    assert opener.open(seal(SECRET, 0, b"data"), 0)
    assert opener.open(seal(SECRET, 50, b"data"), 200) is None
    assert opener.open(seal(SECRET, 50, b"data"), 1_100)


def test_searches_within_a_bound_when_the_loss_is_not_known(opener: RecordOpener) -> None:
    assert opener.open(seal(SECRET, 0, b"data"), 0)
    assert opener.open(seal(SECRET, 5_000, b"data"), None) is None
    assert opener.open(seal(SECRET, 4_000, b"data"), None)


def test_gives_up_after_a_bounded_number_of_failures(opener: RecordOpener) -> None:
    foreign = bytes(32)
    for attempt in count():
        assert opener.open(seal(foreign, 0, b"data"), None) is None
        if opener.exhausted:
            break
        assert attempt < 100


def test_records_without_a_handshake_secret_are_no_loss() -> None:
    suite = suite_of(0x1301)
    assert suite is not None
    opener = tls13_opener(suite, None, SECRET)
    assert opener.open(seal(HANDSHAKE_SECRET, 0, b"finished", HANDSHAKE), 0) is None
    opened = opener.open(seal(SECRET, 0, b"data"), 50)
    assert opened is not None
    assert opened.lost_records == 0
