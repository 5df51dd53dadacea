"""What is printed fits the terminal: commands in a real pseudo-terminal, from 60 to 240 columns wide."""

import json
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Run
from tests.cli.forks import Forks
from tests.cli.screens import on_terminal
from tests.conftest import CAPTURES, ROOT

JAVA = "java-4.3.1-basic.pcap"
COMMANDS = (
    f"read {JAVA}",
    f"read {JAVA} -vv --limit 4 --time local",
    f"read {JAVA} --columns number,time,client_id,api,latency,error,topic,group,request.acks",
    "read ipv6.pcap --connections --time relative",
    f"show {JAVA} 10 --context 2",
    f"diagnose {JAVA} --timeline group=billing",
    "diagnose sasl-plain-java.pcap",
    "diagnose sasl-plain-java.pcap --brief",
    "diagnose tls13-aes128-gcm.pcap",
    "diagnose snaplen-96.pcap",
    "diagnose loss-reorder-client-side.pcap --rule default-client-id --rule uncompressed-batches",
    f"stats {JAVA}",
    f"who {JAVA}",
    f"compare {JAVA} kafka-python.pcap",
    "audit cluster-0.8.2.2-startup-shutdown.pcap --target 4.0",
    "explain rebalance-storm",
    "apis fetch",
    "apis produce 3",
    "errors 6",
    "help bounds",
    "read --help",
    "read no-such.pcap",
    f"read {JAVA} --api fech",
)


def in_a_terminal(forks: Forks, width: int, *arguments: str) -> str:
    """Give what the command prints in a terminal, without colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", on_terminal(forks.environment, *arguments, columns=width, forks=forks)[0])


@pytest.mark.parametrize("width", [60, 80, 120, 160, 240])
def test_no_line_is_longer_than_the_terminal(forks: Forks, width: int) -> None:
    too_long = {}
    for command in COMMANDS:
        shown = in_a_terminal(forks, width, *command.split())
        assert shown.count("\n") > 0
        assert "Traceback" not in shown
        too_long[command] = [line for line in shown.splitlines() if cell_len(line) > width]
    assert not any(too_long.values()), too_long


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160, 240])
def test_names_of_errors_are_whole(forks: Forks, run: Run, width: int) -> None:
    calls = map(json.loads, run("read", JAVA, "--json", "--errors").stdout.splitlines())
    expected = [error["name"] for call in calls for error in call["errors"]]
    words = in_a_terminal(forks, width, "read", JAVA, "--errors").split()
    assert [word for word in words if word in expected] == expected


@pytest.mark.parametrize("commands", ["read,show", "diagnose,stats,who"])
def test_no_word_is_broken_that_fits(environment: dict[str, str], commands: str) -> None:
    paths = [str(CAPTURES / JAVA), str(CAPTURES / "rebalance-storm.pcap")]
    options = ["--commands", commands, "--widths", "60,100,160"]
    command = [sys.executable, "-m", "tools.check_widths", *paths, *options]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "screens of" in done.stdout
