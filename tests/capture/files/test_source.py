import io
import os
from pathlib import Path

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.source import FileSource


def test_reads_a_file_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    source = FileSource(str(path))
    assert [source.read(4), source.read(4), source.read(4), source.read(4)] == [b"0123", b"4567", b"89", b""]
    assert (source.regular, source.offset) == (True, 10)
    source.close()


def test_peek_consumes_nothing() -> None:
    source = FileSource(io.BytesIO(b"0123"))
    assert source.peek(2) == b"01"
    assert source.peek(9) == b"0123"
    assert source.read(3) == b"012"
    assert source.read(3) == b"3"
    assert source.read(3) == b""


def test_pipe_gives_what_is_there() -> None:
    out_end, in_end = os.pipe()
    with open(out_end, "rb") as stream:
        source = FileSource(stream)
        os.write(in_end, b"abc")
        assert source.read(1 << 20) == b"abc"
        os.write(in_end, b"de")
        assert source.read(1 << 20) == b"de"
        os.close(in_end)
        assert source.read(1 << 20) == b""
    assert not source.regular


def test_parked_file_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    source = FileSource(str(path))
    assert source.read(4) == b"0123"
    before = len(os.listdir("/proc/self/fd"))
    source.park()
    assert len(os.listdir("/proc/self/fd")) == before - 1
    assert source.read(9) == b"456789"
    source.close()


def test_parked_file_that_was_replaced_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    source = FileSource(str(path))
    source.read(4)
    source.park()
    other = tmp_path / "other"
    other.write_bytes(b"0123456789")
    other.replace(path)
    with pytest.raises(CaptureError, match="another file took its place"):
        source.read(4)


def test_stream_of_the_caller_stays_open() -> None:
    stream = io.BytesIO(b"0123")
    FileSource(stream).close()
    assert not stream.closed


def test_directory_missing_and_unreadable(tmp_path: Path) -> None:
    for path, reason in [
        (tmp_path, f"Is a directory; name the captures in it: {tmp_path}/*.pcap"),
        (tmp_path / "missing", "No such file or directory"),
    ]:
        with pytest.raises(CaptureError) as caught:
            FileSource(str(path))
        assert str(caught.value) == f"{path}: cannot be opened: {reason}"
    # Python's versions say it in several ways.
    with pytest.raises(CaptureError, match=r"cannot be opened: .*embedded null"):
        FileSource("nul\0byte")


def test_read_that_the_system_refuses() -> None:
    class Broken(io.RawIOBase):
        def readinto(self, buffer: object) -> int:
            raise OSError(5, "Input/output error")

    with pytest.raises(CaptureError, match="-: byte 0: cannot be read: Input/output error"):
        FileSource(Broken()).read(10)
