import os
from pathlib import Path

import pytest

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.source import FileSource


def test_pipes_and_devices_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.pcap"
    os.mkfifo(pipe)
    link = tmp_path / "link.pcap"
    link.symlink_to(pipe)
    reading, writing = os.pipe()
    for path in (pipe, link, "/dev/zero", f"/dev/fd/{reading}"):
        with pytest.raises(CaptureError) as caught:
            FileSource(str(path))
        assert str(caught.value) == (
            f"{path}: is no regular file; for what a pipe or a device gives, name `-` and redirect standard input"
        )
    os.close(reading)
    os.close(writing)
