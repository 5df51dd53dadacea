"""Long output on a terminal goes through a pager, as git's does."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.screens import on_terminal

CAPTURE = "vlan.pcap"


@pytest.fixture
def paged(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """An environment with a pager that writes to a file and shows nothing."""
    return {**environment, "PAGER": f"tee {tmp_path / 'paged'}", "NO_COLOR": "1"}


@pytest.mark.parametrize("command", [["read", CAPTURE], ["diagnose", CAPTURE], ["errors"], ["help", "bounds"]])
def test_a_pager_takes_all_lines_and_messages(
    command: list[str], environment: dict[str, str], paged: dict[str, str], tmp_path: Path
) -> None:
    shown, status = on_terminal(paged, *command)
    assert status == 0
    assert (tmp_path / "paged").read_text() == shown
    direct, _ = on_terminal({**environment, "PAGER": "cat", "NO_COLOR": "1"}, *command)
    assert shown == direct


@pytest.mark.parametrize("how", ["--no-pager", "PAGER=cat", "PAGER=", "PAGER=no-such-pager", "TERM=dumb"])
def test_none_where_none_is_wanted(how: str, paged: dict[str, str], tmp_path: Path) -> None:
    name, _, value = how.partition("=")
    options = [how] if how.startswith("-") else []
    shown, status = on_terminal(paged if options else {**paged, name: value}, "read", CAPTURE, *options)
    assert not (tmp_path / "paged").exists()
    assert (status, shown.count(" calls, ")) == (0, 1)


def test_none_where_output_is_no_terminal(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", f"tee {tmp_path / 'paged'}")
    assert run("read", CAPTURE).returncode == 0
    assert not (tmp_path / "paged").exists()


def test_a_pager_that_is_left_early(paged: dict[str, str]) -> None:
    shown, status = on_terminal({**paged, "PAGER": "head -n 3"}, "read", "java-4.3.1-basic.pcap", "--json")
    assert status == 141
    assert shown.count("\n") == 3


def test_the_status_stays(paged: dict[str, str]) -> None:
    assert on_terminal(paged, "diagnose", "sasl-plain-java.pcap", "--fail-on", "warning")[1] == 3
    shown, status = on_terminal(paged, "read", "missing.pcap")
    assert status == 1
    assert "No such file" in shown


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_ends_by_itself_where_a_screen_holds_all_and_shows_colours(environment: dict[str, str]) -> None:
    kept = {name: value for name, value in environment.items() if name not in ("PAGER", "LESS")}
    shown, status = on_terminal(kept, "read", CAPTURE, "--limit", "3")
    assert status == 0
    assert "\x1b[1;36mApiVersions" in shown
    assert "stopped at --limit" in shown
