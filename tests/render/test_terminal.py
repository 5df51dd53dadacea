"""Whether output goes to a terminal, with real ones; NO_COLOR as no-color.org has it, widths as terminals tell them."""

import fcntl
import io
import os
import struct
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest

from kafkasniff.render import terminal
from tests.conftest import open_terminal

NAMES = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS")


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextIO]:
    """A terminal of 77 columns, of a kind that has colours; no variable says otherwise."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    outer, inner = open_terminal()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 77, 0, 0))
    with os.fdopen(inner, "w") as stream:
        yield stream
    os.close(outer)


def test_colours_are_for_terminals_that_have_them(screen: TextIO, monkeypatch: pytest.MonkeyPatch) -> None:
    assert terminal.is_terminal(screen)
    assert terminal.is_coloured(screen)
    assert not terminal.is_coloured(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal.is_coloured(screen)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert terminal.is_coloured(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.is_coloured(screen)


def test_the_width_is_the_terminals_unless_columns_says_another(
    screen: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert (terminal.terminal_width(), terminal.message_width(), terminal.text_width()) == (77, None, 77)
    for columns, width, text in (("50", 50, 60), ("200", 200, 120), ("0", 77, 77), ("many", 77, 77)):
        monkeypatch.setenv("COLUMNS", columns)
        assert (terminal.terminal_width(), terminal.text_width()) == (width, text), columns


def test_running_text_has_100_characters_a_line_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert (terminal.terminal_width(), terminal.text_width()) == (None, 100)
