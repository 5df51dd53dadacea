"""A kafkasniff.toml that a stranger made: what it may cost, and what it may be."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.conftest import ROOT

CAPTURE = str(ROOT / "captures" / "vlan.pcap")


def diagnose(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    words = [*COMMAND, "diagnose", CAPTURE]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment, check=False, timeout=60)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x." * 20_000 + b"x = 1\n", "line 1: expected at most 32 dots"),
        (b"# ...\n[" + b"x." * 20_000 + b"x]\n", "line 2: expected at most 32 dots"),
        (b"y = {" + b"x." * 20_000 + b"x = 1}\n", "line 1: expected at most 32 dots"),
        (b"x = " + b"[" * 20_000 + b"]" * 20_000, "nested too deep"),
        (b"x = " + b"{x = " * 8_000 + b"1" + b"}" * 8_000, "nested too deep"),
        (b"x = " + b"9" * 60_000, "is no TOML: "),
        (b"diagnose = 3\n", "expected `diagnose` to be a table"),
        (b"[diagnose", "is no TOML: "),
        (b"\xff", "expected UTF-8, found something else at byte 0"),
        (b"#" * 65_537, "expected at most 64 KiB"),
    ],
)
def test_a_hostile_file_is_refused(content: bytes, said: str, tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "kafkasniff.toml").write_bytes(content)
    done = diagnose(tmp_path, environment)
    assert done.returncode == 2
    *usage, sentence = done.stderr.splitlines()
    assert len(usage) == 2
    assert sentence.startswith("Error: Invalid value: kafkasniff.toml")
    assert said in sentence


@pytest.mark.parametrize("kind", ["fifo", "folder", "device", "unreadable"])
def test_only_a_regular_file_is_read(kind: str, tmp_path: Path, environment: dict[str, str]) -> None:
    path = tmp_path / "kafkasniff.toml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)
    done = diagnose(tmp_path, environment)
    assert done.returncode == 2
    said = {"folder": "cannot be opened: Is a directory", "unreadable": "cannot be opened: Too many levels"}
    assert f"kafkasniff.toml: {said.get(kind, 'is no regular file')}" in done.stderr.splitlines()[-1]


def test_a_large_harmless_file_is_read(tmp_path: Path, environment: dict[str, str]) -> None:
    text = '# ................................................\n[diagnose]\nignore = ["acks-one"]\n'
    (tmp_path / "kafkasniff.toml").write_text(text + "#" * (65_536 - len(text)))
    done = diagnose(tmp_path, environment)
    assert done.returncode == 0
    assert done.stderr.startswith(f"kafkasniff: {tmp_path}/kafkasniff.toml leaves out acks-one\n")
