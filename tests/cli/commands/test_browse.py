"""`kafkasniff browse` in tmux: what its keys lead to, on a real terminal."""

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkasniff.reading import Reading
from tests.accounts import needs_root
from tests.cli.conftest import COMMAND, Run
from tests.cli.running import exchange
from tests.conftest import CAPTURES
from tests.networks import own_network

PCAP = str(CAPTURES / "rebalance-storm.pcap")
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Tmux:
    """A terminal of tmux with the browser in it."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 100, lines: int = 30) -> None:
        self._socket = str(folder / "tmux")
        command = f"{shlex.join([*COMMAND, 'browse', *arguments])}; echo ended with $?; sleep 60"
        self._do("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), command)

    def _do(self, *arguments: str) -> str:
        command = ["tmux", "-S", self._socket, *arguments]
        # What says how large the terminal is would be believed.
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    def keys(self, *keys: str) -> None:
        self._do("send-keys", *keys)

    def resize(self, columns: int, lines: int) -> None:
        self._do("resize-window", "-x", str(columns), "-y", str(lines))

    @property
    def screen(self) -> str:
        return self._do("capture-pane", "-p")

    def shows(self, text: str) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if text in (screen := self.screen):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"expected {text!r} on\n{screen}")

    def end(self) -> None:
        self._do("kill-server")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    socket = tmp_path / "tmux"
    if socket.exists():
        subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False, capture_output=True)


@needs_tmux
def test_keys_lead_where_they_should(folder: Path) -> None:
    tmux = Tmux(folder, PCAP)
    tmux.shows("352 calls  d 1 finding")
    tmux.keys("j", "j", "Enter")
    tmux.shows("coordinatorKeys: [shipments-app-11]")
    tmux.resize(60, 20)
    tmux.resize(160, 40)
    # 16 bytes a line where there is room.
    tmux.shows("00 0a 00 06 00 00 00 00  00 13 73 68 69 70 6d 65")
    tmux.keys("&", "api == heartbeat and error", "Enter")
    tmux.shows("& api == heartbeat and error: 19 of 352 calls")
    assert "REBALANCE_IN_PROGRESS" in tmux.shows("    18 ")
    tmux.keys("?")
    tmux.shows("write the packets of the marked calls")
    tmux.keys("q", "q", "q")
    tmux.shows("ended with 0")


@needs_tmux
def test_begin_with_a_filter(folder: Path) -> None:
    tmux = Tmux(folder, PCAP, "--where", "api == LeaveGroup")
    screen = tmux.shows("of 352 calls")
    assert "Fetch v18" not in screen
    tmux.keys("C-c")
    tmux.shows("ended with 0")


@needs_tmux
@needs_root
def test_calls_of_an_interface_as_they_end(folder: Path) -> None:
    with own_network():
        path = folder / "marked.pcapng"
        tmux = Tmux(folder, "lo", "--write", str(path))
        tmux.shows("0 calls  listening")
        exchange(True).close()
        screen = tmux.shows("1 call  listening")
        assert "quiet-one" in screen
        tmux.keys("p")
        tmux.shows("PAUSED")
        exchange(True).close()
        time.sleep(0.5)
        assert "1 call " in tmux.screen
        tmux.keys("p")
        tmux.shows("2 calls  listening")
        tmux.keys("m")
        tmux.shows("1 marked")
        tmux.keys("w")
        tmux.shows("write the packets of 1 marked call")
        tmux.keys("Enter")
        tmux.shows("packets written to")
        tmux.keys("q")
        tmux.shows("ended with 0")
        assert len([*Reading(str(path)).calls()]) == 1


def test_what_cannot_be_browsed_is_said(run: Run) -> None:
    done = run("browse", PCAP)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "kafkasniff: standard output is no terminal; `kafkasniff read` prints calls\n"
    assert run("browse", PCAP, "--where", "apo == 1").returncode == 2
    assert run("browse", PCAP, "--time", "delta").returncode == 2
