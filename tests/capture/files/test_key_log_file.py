import os
from pathlib import Path

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files import key_log_file
from kafkasniff.capture.files.key_log_file import KeyLogFile


def test_gives_what_is_added(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    path.write_bytes(b"one\ntwo\nthr")
    file = KeyLogFile(str(path))
    assert list(file.read_new()) == [b"one\ntwo\nthr"]
    with path.open("ab") as stream:
        stream.write(b"ee\nfour\n")
    assert list(file.read_new()) == [b"three\nfour\n"]
    assert list(file.read_new()) == []
    file.close()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"none\.log: cannot be opened: No such file"):
        KeyLogFile(str(tmp_path / "none.log"))
    with pytest.raises(CaptureError, match="cannot be opened: Is a directory"):
        KeyLogFile(str(tmp_path))


def test_a_file_too_large_for_a_key_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.log"
    path.write_bytes(bytes(101))
    monkeypatch.setattr(key_log_file, "LARGEST", 100)
    with pytest.raises(CaptureError, match="expected a key log of at most 100 bytes, found more"):
        list(KeyLogFile(str(path)).read_new())


def test_a_large_file_comes_in_pieces_of_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_log_file, "PIECE_BYTES", 10)
    path = tmp_path / "keys.log"
    path.write_bytes(b"one\ntwo\nthree\n" + b"x" * 25 + b"\nfour\nfi")
    file = KeyLogFile(str(path))
    pieces = list(file.read_new())
    assert pieces == [b"one\ntwo\n", b"three\n", b"x" * 10, b"x" * 10, b"xxxxx\n", b"four\nfi"]
    with path.open("ab") as stream:
        stream.write(b"ve\n")
    assert list(file.read_new()) == [b"five\n"]


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "keys.pipe"
    os.mkfifo(path)
    for name in (str(path), "/dev/null"):
        with pytest.raises(CaptureError) as caught:
            KeyLogFile(name)
        assert str(caught.value) == f"{name}: is no regular file; copy what it gives into a file first"
