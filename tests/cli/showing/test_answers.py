import fcntl
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import IO

import pytest

from tests.cli.conftest import COMMAND
from tests.conftest import CAPTURES


def _unread(pipe: IO[bytes]) -> int:
    """Give how many bytes wait in a pipe."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)


@pytest.mark.parametrize("command", [("stats", "-"), ("report", "-", "-o", "report.html")])
def test_sigterm_leaves_nothing_on_disk(command: tuple[str, ...], environment: dict[str, str], tmp_path: Path) -> None:
    content = (CAPTURES / "rebalance-storm.pcap").read_bytes()
    folder = tmp_path / "temporary"
    folder.mkdir()
    with subprocess.Popen(
        [*COMMAND, *command],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment | {"TMPDIR": str(folder)},
        cwd=tmp_path,
    ) as process:
        assert process.stdin
        process.stdin.write(content)
        process.stdin.flush()
        # What was written is read only when the folder is there.
        while _unread(process.stdin):
            time.sleep(0.01)
        assert any(folder.iterdir())
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()
    assert [*folder.iterdir()] == []
