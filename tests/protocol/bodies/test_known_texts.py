"""Texts that readers remember come out as they lie in the message, whichever were read before."""

from typing import Any

from kafkasniff.tables.calls.call_reader import CallReader
from tests.diagnose.made import call

MANY = [f"topic-{number}" for number in range(3_000)]
"""More than are remembered."""


def commit(*names: str | bytes) -> Any:
    return call(8, 2, {"groupId": "billing", "topics": [{"name": name} for name in names]}, {"topics": []})


def test_each_text_is_its_own() -> None:
    reader = CallReader()
    for _ in range(2):
        assert reader.read_call(commit(*MANY))
        assert list(reader.topics) == MANY


def test_texts_alike_where_they_are_looked_at() -> None:
    reader = CallReader()
    alike = ["a1xxcd", "a2xxcd"]
    assert reader.read_call(commit(*alike, *alike))
    assert list(reader.topics) == alike


def test_what_is_not_utf8_is_refused_and_not_remembered() -> None:
    reader = CallReader()
    assert [reader.read_call(commit(b"\xff\xfe")) for _ in range(2)] == [False, False]
    assert reader.read_call(commit("größe"))
    assert list(reader.topics) == ["größe"]
