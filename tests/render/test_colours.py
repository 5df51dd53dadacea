import io
import os

import pytest

from kafkasniff.render.colours import PLAIN, colours_for
from tests.conftest import open_terminal


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def terminal() -> io.TextIOWrapper:
    _, end = open_terminal()
    return os.fdopen(end, "w")


def test_a_terminal_has_colours(terminal: io.TextIOWrapper) -> None:
    colours = colours_for(terminal)
    assert colours.error == "\x1b[1;31m"
    assert colours.off == "\x1b[0m"


def test_a_pipe_has_none() -> None:
    assert colours_for(io.StringIO()) == PLAIN


def test_no_color(terminal: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert colours_for(terminal) == PLAIN


def test_a_dumb_terminal_has_none(terminal: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert colours_for(terminal) == PLAIN


def test_force_color_reaches_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert colours_for(io.StringIO()).error.startswith("\x1b[")
