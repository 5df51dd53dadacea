"""What is printed fits the terminal: commands in a real pseudo-terminal, from 60 to 240 columns wide."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

import pytest
from rich.cells import cell_len

from tests.cli.conftest import COMMAND, Run
from tests.conftest import CAPTURES

JAVA = "java-4.3.1-basic.pcap"
COMMANDS = (
    f"read {JAVA}",
    f"read {JAVA} -vv --limit 4 --time local",
    "read ipv6.pcap --connections --time relative",
    f"show {JAVA} 10 --context 2",
    f"diagnose {JAVA} --timeline group=billing",
    "explain rebalance-storm",
    "apis fetch",
    "apis produce 3",
    "errors 6",
    "help bounds",
    "read --help",
    "read no-such.pcap",
    f"read {JAVA} --api fech",
)


def in_a_terminal(environment: dict[str, str], width: int, *arguments: str) -> str:
    """Run the command in a terminal of its own, and give what it printed there, without colours."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {**environment, "TERM": "xterm-256color", "PAGER": "cat"}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen([*COMMAND, *arguments], stdout=end, stderr=end, env=environment, cwd=CAPTURES)
    os.close(end)
    output = b""
    while True:
        try:
            piece = os.read(main, 1 << 16)
        except OSError:  # nobody has the other end open any more
            break
        if not piece:
            break
        output += piece
    os.close(main)
    process.wait(60)
    return re.sub(r"\x1b\[[\d;]*m", "", output.decode()).replace("\r\n", "\n")


@pytest.mark.parametrize("width", [60, 80, 120, 160, 240])
def test_no_line_is_longer_than_the_terminal(environment: dict[str, str], width: int) -> None:
    too_long = {}
    for command in COMMANDS:
        shown = in_a_terminal(environment, width, *command.split())
        assert shown.count("\n") > 0
        assert "Traceback" not in shown
        too_long[command] = [line for line in shown.splitlines() if cell_len(line) > width]
    assert not any(too_long.values()), too_long


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160, 240])
def test_names_of_errors_are_whole(environment: dict[str, str], run: Run, width: int) -> None:
    calls = map(json.loads, run("read", JAVA, "--json", "--errors").stdout.splitlines())
    expected = [error["name"] for call in calls for error in call["errors"]]
    words = in_a_terminal(environment, width, "read", JAVA, "--errors").split()
    assert [word for word in words if word in expected] == expected
