"""`--jobs N`: the same bytes for any N, and an orderly end whatever happens to a process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Run
from tests.conftest import CAPTURES, ROOT

RUNNER = """
import json, os, sys
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.cli.processes import jobs
from kafkasniff.cli.processes import turns
from kafkasniff.cli.app import command_line
from kafkasniff.cli.options.arguments import with_optional_values

commands, folder = json.loads(sys.argv[1])
jobs.LEAST_BYTES = 0
turns._TURN_BYTES, turns._TURN_PACKETS = 20_000, 30
CaptureReader.__init__.__kwdefaults__["chunk_bytes"] = 10_000
for index, arguments in enumerate(commands):
    for descriptor in (1, 2):
        opened = os.open(f"{folder}/{index}.{descriptor}", os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    try:
        command_line(arguments)(with_optional_values(arguments), prog_name="kafkasniff")
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.write(f"status {end.code}")
        sys.stderr.flush()
"""
"""Runs commands with such small batches and turns that small captures have many of both."""

JOBS = ("1", "2", "3")


def outputs(commands: Sequence[Sequence[str]], folder: Path, environment: dict[str, str]) -> list[tuple[bytes, bytes]]:
    """What each command writes to standard output and standard error, the latter with its exit status."""
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps([commands, str(folder)])],
        cwd=CAPTURES,
        env=environment,
        timeout=240,
        check=True,
    )
    found = [((folder / f"{i}.1").read_bytes(), (folder / f"{i}.2").read_bytes()) for i in range(len(commands))]
    assert not any(b"Traceback" in messages for _, messages in found)
    return found


READ = [
    ["read"],
    ["read", "--json", "--connections", "--records"],
    ["read", "-v", "--time", "relative"],
    ["read", "--time", "delta", "--connections"],
    ["read", "--time", "delta", "--api", "fetch", "--api", "metadata"],
    ["read", "--json", "--errors", "--two-pass"],
]
DIAGNOSE = [["diagnose", "--json"], ["diagnose"]]


@pytest.mark.parametrize(
    ("files", "forms"),
    [
        (["java-4.3.1-basic.pcap"], [*READ, *DIAGNOSE]),
        (["loss-reorder-client-side.pcap"], [READ[3], DIAGNOSE[0]]),
        (["nanoseconds.pcap", "librdkafka.pcap"], [READ[0], READ[3]]),
        (["tls13-aes128-gcm.pcap", "--keylog", "tls13-aes128-gcm.keys"], READ[1:3]),
        ([f"rotate-size/part-0{part}.pcap" for part in (8, 0, 1)], [READ[1], DIAGNOSE[1]]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) and isinstance(value[0], str) else "",
)
def test_the_same_bytes_for_any_number_of_jobs(
    files: list[str], forms: list[list[str]], tmp_path: Path, environment: dict[str, str]
) -> None:
    commands = [[form[0], *files, *form[1:], "--jobs", jobs] for form in forms for jobs in JOBS]
    found = outputs(commands, tmp_path / "out", environment)
    for index, form in enumerate(forms):
        first, *others = found[index * len(JOBS) : (index + 1) * len(JOBS)]
        assert b"status 0" in first[1], form
        assert others == [first] * len(others), form
    assert len(found[0][0]) > 10_000


def test_without_the_runner_it_is_the_command_itself(run: Run, tmp_path: Path, environment: dict[str, str]) -> None:
    (shown,) = outputs([["read", "java-4.3.1-basic.pcap", "--json", "--jobs", "2"]], tmp_path / "out", environment)
    assert shown[0].decode() == run("read", "java-4.3.1-basic.pcap", "--json").stdout


def test_a_damaged_file(tmp_path: Path, environment: dict[str, str]) -> None:
    cut, text = tmp_path / "cut.pcap", tmp_path / "text.pcap"
    cut.write_bytes((CAPTURES / "kraft3-admin-all.pcap").read_bytes()[:200_001])
    text.write_bytes(b"no capture")
    commands = [
        [command, str(cut), *more, "--jobs", jobs]
        for command, *more in (["read"], ["read", "--json", str(text)], ["diagnose", str(text)])
        for jobs in JOBS
    ]
    found = outputs(commands, tmp_path / "out", environment)
    for start in range(0, len(found), len(JOBS)):
        assert found[start] == found[start + 1] == found[start + 2]
        assert b"cut.pcap: byte 1" in found[start][1]
        assert found[start][1].endswith(b"status 1")


TURN = """
import sys
from kafkasniff.cli.processes.jobs import Workers
from kafkasniff.cli.terminal.output import Output

def work(number, pipe):
    pipe.write(b"a line\\n")
    pipe.end_turn((10, 3))

output = Output(sys.stdout.buffer)
with Workers(1, work) as workers:
    workers.all[0].copy_turn(output, (10, int(sys.argv[1])))
output.flush()
"""
"""A worker that has read 10 packets and 3 calls, and a first process that expects 10 and so many."""


def test_processes_that_have_not_read_the_same_are_an_error(environment: dict[str, str]) -> None:
    same, other = (
        subprocess.run([sys.executable, "-c", TURN, calls], env=environment, capture_output=True, check=False)
        for calls in ("3", "4")
    )
    assert (same.returncode, same.stdout, same.stderr) == (0, b"a line\n", b"")
    assert (other.returncode, other.stdout) == (1, b"a line\n")
    assert other.stderr == b"kafkasniff: captures changed while they were read; use one process\n"


def test_the_command_line_bounds_them(run: Run) -> None:
    for value in ("0", "-1", "many"):
        done = run("read", "java-4.3.1-basic.pcap", "--jobs", value)
        assert done.returncode == 2
        assert "--jobs" in done.stderr


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture that takes long enough to be interrupted: one recording again and again."""
    path = tmp_path_factory.mktemp("large") / "large.pcap"
    content = (CAPTURES / "kraft3-admin-all.pcap").read_bytes()
    path.write_bytes(content[:24] + content[24:] * 8)
    return path


SMALL_BATCHES = """
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.cli.main import main

CaptureReader.__init__.__kwdefaults__["chunk_bytes"] = 100_000
main()
"""


def started(environment: dict[str, str], *arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", SMALL_BATCHES, *arguments, "--jobs", "3"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def workers(process: "subprocess.Popen[bytes]") -> list[int]:
    """The processes that a process has started, as soon as there are two."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if len(found) == 2:
            return [int(each) for each in found]
        time.sleep(0.01)
    raise AssertionError("no worker processes")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_control_c_ends_with_what_is_known_in_order(large: Path, environment: dict[str, str]) -> None:
    whole = subprocess.run(
        [*COMMAND, "read", str(large), "--json"], env=environment, stdout=subprocess.PIPE, cwd=ROOT, check=False
    ).stdout.splitlines()
    with started(environment, "read", str(large), "--json") as process:
        assert process.stdout
        assert process.stderr
        others = workers(process)
        # Nothing more is read, so that the pipe is full when it is interrupted.
        beginning = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        lines = (beginning + process.stdout.read()).splitlines()
        assert process.wait(60) == 130
        messages = process.stderr.read().decode()
    assert not any(map(alive, others))
    assert "Traceback" not in messages
    assert " packets, " in messages.splitlines()[-1]
    ended = [line for line in lines if b'"outcome":"response-not-captured"' not in line]
    assert 0 < len(ended) < len(whole)
    assert ended == [line for line in whole if b'"outcome":"response-not-captured"' not in line][: len(ended)]


def test_control_c_gives_the_findings_so_far(large: Path, environment: dict[str, str]) -> None:
    with started(environment, "diagnose", str(large), "--json") as process:
        workers(process)
        process.send_signal(signal.SIGINT)  # the first process alone, as kill does
        found, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert [json.loads(line)["type"] for line in found.splitlines()] == ["finding"] * len(found.splitlines())
    assert b"Traceback" not in messages
    assert b" packets, " in messages


@pytest.mark.parametrize("command", ["read", "diagnose"])
def test_a_killed_worker_is_an_error_in_a_sentence(command: str, large: Path, environment: dict[str, str]) -> None:
    with started(environment, command, str(large), "--json") as process:
        assert process.stderr
        others = workers(process)
        os.kill(others[1], signal.SIGKILL)
        _, messages = process.communicate(timeout=120)
        assert process.returncode == 1
    assert messages.decode().splitlines()[-1:] == [
        "kafkasniff: process 3 of --jobs was ended by SIGKILL; what follows is missing"
    ]
    assert not any(map(alive, others))


def test_a_closed_pipe_is_silent(large: Path, environment: dict[str, str]) -> None:
    with started(environment, "read", str(large), "-v") as process:
        assert process.stdout
        assert process.stderr
        others = workers(process)
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""
    assert not any(map(alive, others))
