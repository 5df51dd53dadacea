"""What is printed where it cannot be written, and names that would do something to a terminal."""

import json
import os
import resource
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Run
from tests.conftest import ROOT

CAPTURE = ROOT / "captures" / "vlan.pcap"
FULL = b"kafkasniff: standard output cannot be written: No space left on device\n"

PRINTING = [
    "--help",
    "--version",
    "--show-completion bash",
    "read --help",
    "live --help",
    "pipeline --help",
    "read captures/vlan.pcap",
    "read captures/vlan.pcap --json",
    "read captures/vlan.pcap -vv --limit 5",
    "read captures/kraft3-admin-all.pcap captures/loss-reorder-client-side.pcap --jobs 2",
    "diagnose captures/vlan.pcap",
    "diagnose captures/vlan.pcap --json",
    "diagnose captures/vlan.pcap --timeline client=tagc-c1",
    "apis",
    "apis fetch",
    "apis fetch 12 --json",
    "errors",
    "errors 6",
    "errors 6 --json",
    "explain",
    "explain acks-one",
    "explain --json",
]

HOSTILE = "\x1b[31m\n\x07\x9b\u202e\udcff.pcap"
"""Colours, a line end, a bell, a C1 control, a bidirectional override, and a byte that is not UTF-8."""
ESCAPED = "\\x1b[31m\\x0a\\x07\\x9b\\u202e\\udcff.pcap"


@pytest.mark.parametrize("command", PRINTING)
def test_a_full_disk_is_said(command: str, environment: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *command.split()], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, env=environment, check=False
        )
    assert done.returncode == 1
    assert done.stderr == FULL


def test_completion_on_a_full_disk(environment: dict[str, str]) -> None:
    variables = {"_KAFKASNIFF_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "kafkasniff explain re"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            COMMAND, stdout=full, stderr=subprocess.PIPE, env={**environment, **variables}, check=False
        )
    assert done.returncode == 1
    assert done.stderr == FULL


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
def test_completion_writes_no_file(option: str, environment: dict[str, str], tmp_path: Path) -> None:
    for shell, status in (("bash", 0), ("nosuch", 2)):
        done = subprocess.run(
            [*COMMAND, option, shell], capture_output=True, env={**environment, "HOME": str(tmp_path)}, check=False
        )
        assert done.returncode == (2 if option == "--install-completion" else status)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("read captures/vlan.pcap", 1),
        ("diagnose captures/vlan.pcap", 1),
        ("--help", 0),
        ("errors 6", 0),
        ("read captures/none.pcap", 1),
        ("read --bogus", 2),
        ("snif", 2),
    ],
)
@pytest.mark.parametrize("where", ["full", "closed pipe"])
def test_all_is_shown_where_messages_cannot_be_written(
    command: str, status: int, where: str, environment: dict[str, str]
) -> None:
    if where == "full":
        messages = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, messages = os.pipe()
        os.close(reading)
    words = [*COMMAND, *command.split()]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=messages, cwd=ROOT, env=environment, check=False, timeout=60
    )
    os.close(messages)
    whole = subprocess.run(words, capture_output=True, cwd=ROOT, env=environment, check=False, timeout=60)
    assert done.stdout == whole.stdout
    assert done.returncode == status


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("command", ["read captures/vlan.pcap", "diagnose captures/vlan.pcap", "--help", "apis"])
def test_closed_output_is_no_crash(command: str, closed: str, environment: dict[str, str]) -> None:
    script = f"{shlex.join(COMMAND)} {command} {closed}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert bool(done.stdout) == (closed == "2>&-")


def test_help_into_a_closed_pipe_is_silent(environment: dict[str, str]) -> None:
    script = f"{shlex.join(COMMAND)} --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=environment, check=False)
    assert done.stderr == b""
    assert done.returncode in (0, 141)


@pytest.mark.parametrize(
    ("limit", "what"),
    # The comments of packets wait in a temporary file, which is smaller than the capture.
    [(65_536, b"out.pcapng"), (4_096, os.fsencode(tempfile.gettempdir()))],
    ids=["the capture", "the temporary file"],
)
def test_a_capture_that_cannot_be_written_to_its_end(
    tmp_path: Path, environment: dict[str, str], limit: int, what: bytes
) -> None:
    done = subprocess.run(
        [*COMMAND, "read", str(CAPTURE), "--write", "out.pcapng"],
        capture_output=True,
        cwd=tmp_path,
        env=environment,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == b"kafkasniff: %b: cannot be written: File too large" % what
    assert b"Traceback" not in done.stderr


def test_a_disk_that_gets_full(tmp_path: Path, environment: dict[str, str]) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(tmp_path)]
    script = f"{shlex.join(mount)} && exec {shlex.join([*COMMAND, 'read', str(CAPTURE)])} --write {tmp_path}/out.pcapng"
    unshare = shutil.which("unshare")
    probe = [unshare or "false", "--mount", "sh", "-c", shlex.join(mount)]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tmpfs takes root")
    done = subprocess.run(
        [str(unshare), "--mount", "sh", "-c", script], capture_output=True, env=environment, check=False
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1].decode()
    assert last == f"kafkasniff: {tmp_path}/out.pcapng: cannot be written: No space left on device"


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", HOSTILE],
        ["read", HOSTILE, "--json"],
        ["diagnose", HOSTILE],
        ["live", HOSTILE],
        ["read", str(CAPTURE), "--keylog", HOSTILE],
        ["read", str(CAPTURE), "--write", f"none/{HOSTILE}"],
        ["read", str(CAPTURE), HOSTILE],
        ["read", str(CAPTURE), f"--{HOSTILE}"],
        ["pipeline", "--follow", HOSTILE, "tables"],
        ["apis", "fetch", "1", HOSTILE],
        [HOSTILE],
    ],
)
def test_names_are_escaped_in_messages(arguments: list[str], run: Run) -> None:
    done = run(*arguments)
    assert done.returncode in (1, 2)
    assert "udcff.pcap" in done.stderr
    assert "\\x1b[31m" in done.stderr
    assert all(line.isprintable() for line in done.stderr.split("\n"))
    usage = ["Usage: ", "Try '"] if done.returncode == 2 else []
    lines = done.stderr.splitlines()
    assert [line.startswith(begin) for line, begin in zip(lines, usage, strict=False)] == [True] * len(usage)
    # Behind the usage there is one line, and one more of a capture that was read beside the one with such a name.
    assert len(lines) - len(usage) == (2 if "packets, " in done.stderr else 1)


def test_a_capture_with_a_hostile_name(tmp_path: Path, run: Run) -> None:
    path = tmp_path / HOSTILE
    shutil.copy(CAPTURE, path)
    name = f"{tmp_path}/{HOSTILE[:-6]}\N{REPLACEMENT CHARACTER}.pcap"
    shown = run("read", str(path), "--json", "--write", f"{path}ng")
    assert {json.loads(line)["requestFile"] for line in shown.stdout.splitlines()} == {name}
    assert shown.stderr.splitlines()[-1].endswith(f" packets written to {tmp_path}/{ESCAPED}ng")
    found = run("diagnose", str(path), "--json")
    assert {item["file"] for line in found.stdout.splitlines() for item in json.loads(line)["evidence"]} == {name}
    # Files are named where there are several.
    rules = ("--rule", "acks-one", "--rule", "cleartext-credentials")
    shown = run("diagnose", str(path), "sasl-plain-java.pcap", *rules).stdout
    assert f"{tmp_path}/{ESCAPED}packet" in "".join(shown.split())
    for arguments in (["read", str(path), "-vv", "--connections"], ["read", f"{path}ng"], ["diagnose", str(path)]):
        done = run(*arguments)
        assert done.returncode == 0
        assert all(line.isprintable() for line in (done.stdout + done.stderr).split("\n"))
