"""A command in a forked process does what it does in a new interpreter."""

import subprocess

import pytest

from tests.cli.forks import COMMAND, Forks
from tests.cli.screens import on_terminal
from tests.conftest import CAPTURES

JAVA = CAPTURES / "java-4.3.1-basic.pcap"


@pytest.mark.parametrize(
    ("arguments", "stdin", "status"),
    [
        (["read", "vlan.pcap", "--json"], None, 0),
        (["read", "-", "--errors"], JAVA.read_bytes(), 0),
        # The command ends before it has read all of it.
        (["read", "-", "--limit", "1"], JAVA.read_bytes() * 10, 0),
        (["stats", "vlan.pcap"], None, 0),
        (["diagnose", "rebalance-storm.pcap", "--fail-on", "error"], None, 3),
        (["read", "missing.pcap"], None, 1),
        (["read", "--no-such-option"], None, 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_through_pipes(forks: Forks, arguments: list[str], stdin: bytes | None, status: int) -> None:
    environment = forks.environment
    alone = subprocess.run(
        [*COMMAND, *arguments], input=stdin, capture_output=True, cwd=CAPTURES, env=environment, check=False
    )
    forked = forks.run(arguments, CAPTURES, stdin)
    assert (forked.returncode, forked.stdout, forked.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert forked.returncode == status


@pytest.mark.parametrize("arguments", ["read vlan.pcap --limit 3", "apis fetch", "read missing.pcap"])
def test_on_a_terminal(forks: Forks, arguments: str) -> None:
    environment, words = forks.environment, arguments.split()
    assert on_terminal(environment, *words, forks=forks) == on_terminal(environment, *words)


def test_after_the_time_limit_of_a_test_another_begins(forks: Forks) -> None:
    assert forks.run(["--version"], CAPTURES, None).returncode == 0
    assert forks._process is not None
    forks._process.kill()
    forks._process.wait()
    assert forks.run(["--version"], CAPTURES, None).returncode == 0
