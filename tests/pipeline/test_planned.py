"""What `pipeline --dry-run` prints."""

import pytest

from kafkasniff.cli.showing.planned import show_plan
from kafkasniff.pipeline.planning import OfRing, RunPlan

NOON = 1_795_176_000_000_000_000
"""2026-11-20T12:00:00Z."""


def plan(**changed: object) -> RunPlan:
    given = {
        "files": 3,
        "new": [OfRing("small.pcap", 1, 1_000, None), OfRing("ring.pcap", 2, 5_000_000, NOON)],
        "size": 5_001_000,
        "unread": [],
        "changed": None,
        "steps": 1,
        "index_tasks": 2,
        "buckets": 8,
    }
    return RunPlan(**{**given, **changed})  # type: ignore[arg-type]


def shown(capsys: pytest.CaptureFixture[str], given: RunPlan, at_once: int | None = 2) -> list[str]:
    show_plan(given, "0123abcd", at_once)
    return capsys.readouterr().out.splitlines()


def test_captures_are_listed_the_largest_first(capsys: pytest.CaptureFixture[str]) -> None:
    first, *captures, steps = shown(capsys, plan())
    assert first.startswith("run 0123abcd: 3 of 3 files would be read, 5")
    assert [line.split(":")[0] for line in captures] == ["  ring.pcap", "  small.pcap"]
    assert captures[0].endswith("from 2026-11-20T12:00:00.000000Z")
    assert captures[1].endswith("no packets")
    assert steps == "1 step; about 2 tasks for the index, 8 for calls in each step; 2 at once"


def test_what_is_many_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    new = [OfRing(f"{number}.pcap", 1, 1_000, NOON) for number in range(53)]
    lines = shown(capsys, plan(files=70, new=new, unread=[f"{number}: damaged" for number in range(12)]), None)
    assert lines[0].startswith("run 0123abcd: 53 of 70 files")
    assert sum(line.endswith("from 2026-11-20T12:00:00.000000Z") for line in lines) == 50
    assert "  and 3 rotated captures more" in lines
    assert "would not be read: 0: damaged" in lines
    assert "would not be read: 2 more files" in lines
    assert lines[-1].endswith("the cluster decides how many run at once")


def test_why_all_is_read_again_is_said_and_hostile_names_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    new = [OfRing("a\x1b[31m.pcap", 1, 1_000, NOON)]
    lines = shown(capsys, plan(new=new, changed="the time zone\x07 changed"))
    assert lines[1] == r"all would be read again: the time zone\x07 changed"
    assert lines[2].startswith(r"  a\x1b[31m.pcap: 1 file")


def test_without_anything_new_no_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, plan(new=[], size=0, steps=0)) == ["run 0123abcd: 0 of 3 files would be read, 0 B"]
