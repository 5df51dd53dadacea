"""What happens to a run when a line cannot be made: a fault that no capture may turn into the end of the rest."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.cli.options.shape import Shape
from kafkasniff.cli.processes.turns import show
from kafkasniff.cli.showing.reading import LineFormat, Showing, json_format, terminal_format
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading
from tests.cli.hostile_calls import capture, heartbeat


class Standard:
    """Standard output with a buffer for bytes."""

    def __init__(self, path: Path) -> None:
        self.buffer = path.open("w+b")

    def isatty(self) -> bool:
        return False


def failing(form: LineFormat, number: int) -> LineFormat:
    """A form that fails at the call with this correlation id."""

    def call(item: Call) -> bytes:
        if item.correlation_id == number:
            raise TypeError("made to fail")
        return form.call(item)

    return form._replace(call=call, calls=lambda items, wanted: (b"", 0))


def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: LineFormat, calls: int) -> tuple[list[bytes], Showing]:
    path = capture(tmp_path / "calls.pcap", [heartbeat(number) for number in range(1, calls + 1)])
    output = Standard(tmp_path / "out")
    monkeypatch.setattr(sys, "stdout", output)
    showing = Showing(Reading([str(path)]), Filter(), form)
    showing.run(flush_batches=False)
    output.buffer.seek(0)
    return output.buffer.read().splitlines(), showing


def test_a_call_that_cannot_be_shown_in_json_has_its_header_and_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, showing = shown(monkeypatch, tmp_path, failing(json_format(), 3), 500)
    calls = [json.loads(line) for line in lines]
    assert [call["requestHeader"]["correlationId"] for call in calls] == [*range(1, 501)]
    failed = calls[2]
    assert (failed["request"], failed["response"], failed["outcome"]) == (None, None, "answered")
    assert failed["requestHeader"]["requestApiKeyName"] == "HEARTBEAT"
    [problem] = failed["problems"]
    assert problem["where"] == "request"
    assert problem["message"].startswith("cannot be shown (TypeError)")
    assert all("problems" not in call for call in calls if call is not failed)
    assert showing.failures == {"TypeError": 1}
    assert capsys.readouterr().err.splitlines()[-1].endswith(", 1 not shown whole (TypeError)")


def test_a_call_that_cannot_be_shown_as_text_has_its_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines, _ = shown(monkeypatch, tmp_path, failing(terminal_format(Shape()), 3), 500)
    assert len(lines) == 500
    assert b"Heartbeat v0" in lines[2]
    assert b"cannot be shown (TypeError)" in lines[2]
    assert [number for number, line in enumerate(lines) if b"cannot" in line] == [2]


def test_failures_in_other_processes_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connections = [[heartbeat(number) for number in range(2000)] for _ in range(6)]
    path = str(capture(tmp_path / "calls.pcap", *connections))
    monkeypatch.setattr(sys, "stdout", Standard(tmp_path / "out"))
    show(2, lambda: Reading([path]), Filter(), failing(json_format(), 3))
    assert capsys.readouterr().err.splitlines()[-1].endswith(", 6 not shown whole (TypeError)")


def test_what_cannot_even_be_said_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(item: Any, message: str) -> bytes:
        raise ValueError(message)

    form = failing(json_format(), 1)._replace(failed=fail)
    lines, showing = shown(monkeypatch, tmp_path, form, 2)
    assert len(lines) == 1
    assert showing.failures == {"TypeError": 1}
