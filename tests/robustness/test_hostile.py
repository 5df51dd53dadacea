"""Small forms of the hostile captures and files of tools/hostile, each read by a few commands; nothing is timed."""

from pathlib import Path

import pytest

from tools.hostile.cases import CASES
from tools.hostile.run import run
from tools.hostile.surroundings import CHECKS

SCALE = 0.01
SMALL = (
    "gssapi", "control-characters", "patterns", "tagged-fields", "announced-elements", "nested-envelopes",
    "snappy-sizes", "random-bodies", "rst-flood", "fragment-holes", "alternating-repeats", "odd-blocks",
    "huge-snaplen", "time-steps",
)  # fmt: skip
"""Cases whose work in small is like that in large; each stands for a family."""
SECRETS = ("secrets-of-damaged", "secrets-by-name")
REFUSED = ("names", "names-of-none", "key-log-device", "settings-recursion", "settings-keys", "settings-endless")


def faults(case: str, folder: Path, *commands: str) -> list[str]:
    given = CASES[case].build(folder, SCALE)
    return [fault for command in commands for fault in run(command, given, folder, timed=False).faults]


@pytest.mark.parametrize("case", SMALL)
def test_hostile_traffic_is_shown_without_harm(case: str, tmp_path: Path) -> None:
    assert faults(case, tmp_path, "read -vv", "read --json --records") == []


@pytest.mark.parametrize("case", SECRETS)
def test_no_planted_secret_is_shown(case: str, tmp_path: Path) -> None:
    assert faults(case, tmp_path, "read -vv", "read --json", "diagnose --json") == []


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_files_are_refused_in_words(case: str, tmp_path: Path) -> None:
    assert faults(case, tmp_path, "diagnose") == []


@pytest.mark.parametrize("case", SECRETS)
@pytest.mark.parametrize("command", ["read -vv", "read --json"])
def test_a_planted_secret_would_be_seen(case: str, command: str, tmp_path: Path) -> None:
    given = CASES[case].build(tmp_path, SCALE)._replace(options=("--show-secrets",))
    assert run(command, given, tmp_path, timed=False).faults == ["secret on stdout"]


@pytest.mark.parametrize("check", CHECKS)
def test_what_surrounds_a_run(check: str, tmp_path: Path) -> None:
    assert CHECKS[check].faults(tmp_path) == []


def test_what_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    given = CASES["names-of-none"].build(tmp_path, SCALE)._replace(refused=False)
    assert "exit 1" in run("read", given, tmp_path, timed=False).faults
