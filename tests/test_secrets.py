from pathlib import Path

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.secrets import SecretSources
from kafkasniff.tcp.tls.key_log import MASTER_SECRET
from tests.conftest import CAPTURES

RANDOM, MASTER = bytes(32), bytes(48)
LINE = f"CLIENT_RANDOM {RANDOM.hex()} {MASTER.hex()}\n"


def test_takes_secrets_from_captures_as_they_are_read() -> None:
    reader = CaptureReader(str(CAPTURES / "tls12-aes256-gcm-embedded.pcapng"))
    sources = SecretSources([reader], None)
    for _ in reader:
        pass
    assert sources.key_log.changes == 0
    sources.refresh()
    assert sources.key_log.changes == 12, "one a connection"
    sources.refresh()
    assert sources.key_log.changes == 12


def test_takes_secrets_of_the_capture_that_has_them() -> None:
    names = ["java-4.3.1-basic.pcap", "tls12-aes256-gcm-embedded.pcapng", "franz-go.pcap"]
    readers = [CaptureReader(str(CAPTURES / name)) for name in names]
    sources = SecretSources(readers, None)
    for reader, changes in zip(readers, (0, 12, 12), strict=True):
        for _ in reader:
            sources.refresh()
        assert sources.key_log.changes == changes


def test_takes_what_is_added_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    path.write_text("# TLS secrets log file\n")
    sources = SecretSources([], str(path))
    path.write_text("# TLS secrets log file\n" + LINE)
    sources.refresh()
    assert sources.key_log.secret(MASTER_SECRET, RANDOM) == MASTER


def test_an_empty_file_may_still_be_filled(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    path.touch()
    assert SecretSources([], str(path)).key_log.changes == 0


def test_a_file_that_is_no_key_log(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    path.write_text("-----BEGIN PRIVATE KEY-----\n")
    with pytest.raises(CaptureError, match="not a TLS key log"):
        SecretSources([], str(path))
