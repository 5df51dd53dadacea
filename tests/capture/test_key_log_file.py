from pathlib import Path

import pytest

from kafkasniff.capture import key_log_file
from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.key_log_file import KeyLogFile


def test_gives_what_is_added(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    path.write_bytes(b"one\ntwo\nthr")
    file = KeyLogFile(str(path))
    assert file.read_new() == b"one\ntwo\nthr"
    with path.open("ab") as stream:
        stream.write(b"ee\nfour\n")
    assert file.read_new() == b"three\nfour\n"
    assert file.read_new() == b""
    file.close()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"none\.log: cannot be read: No such file"):
        KeyLogFile(str(tmp_path / "none.log"))
    with pytest.raises(CaptureError, match="cannot be read: Is a directory"):
        KeyLogFile(str(tmp_path))


def test_a_file_too_large_for_a_key_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.log"
    path.write_bytes(bytes(101))
    monkeypatch.setattr(key_log_file, "LARGEST", 100)
    with pytest.raises(CaptureError, match="expected a key log of at most 100 bytes, found more"):
        KeyLogFile(str(path)).read_new()
