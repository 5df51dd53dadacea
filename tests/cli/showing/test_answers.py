import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.conftest import CAPTURES


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
        while not any(folder.iterdir()):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()
    assert [*folder.iterdir()] == []
