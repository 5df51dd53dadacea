"""`live --jobs`: the kernel shares connections out among processes, and all calls come, each once."""

import json
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.cli.conftest import COMMAND, Run
from tests.cli.running import exchange
from tests.networks import own_network

CONNECTIONS = 60


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    with own_network():
        yield


def test_each_call_comes_from_one_process(environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, "live", "lo", "--json", "--jobs", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    said = [process.stderr.readline() for _ in range(2)]
    assert sorted(line.partition(":")[0] for line in said) == ["process 1 of 2", "process 2 of 2"]
    assert all("listening on lo" in line for line in said)
    for _ in range(CONNECTIONS):
        exchange(answer=True).close()
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    text, messages = process.communicate(timeout=30)
    assert process.returncode == 0
    calls = [json.loads(line) for line in text.splitlines()]
    assert {call["outcome"] for call in calls} == {"answered"}
    # Each has a server of its own, so that a client's port may come again.
    assert Counter((call["client"], call["server"]) for call in calls).most_common(1)[0][1] == 1
    assert len(calls) == CONNECTIONS
    shares = [int(count) for count in re.findall(r"^process \d of 2: .* (\d+) calls,", messages, re.M)]
    assert len(shares) == 2
    assert sum(shares) == CONNECTIONS
    assert min(shares) > 0


def test_a_process_that_cannot_begin_ends_all(run: Run) -> None:
    done = run("live", "nowhere0", "--json", "--jobs", "2")
    assert done.returncode == 1
    assert done.stderr.count("kafkasniff: nowhere0: no such interface") == 2


def test_what_needs_all_calls_is_refused(run: Run) -> None:
    assert run("live", "lo", "--jobs", "2").returncode == 2
    assert run("live", "lo", "--jobs", "2", "--json", "--limit", "3").returncode == 2
