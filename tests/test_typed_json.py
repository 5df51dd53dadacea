import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.finding import Evidence
from kafkasniff.typed_json import from_json, to_json
from tests.conftest import ROOT


class Point(NamedTuple):
    x: int
    name: str | None


@dataclass(frozen=True, slots=True)
class Shape:
    points: Sequence[Point]
    data: bytes = b""
    colour: Literal["red", "blue"] = "red"
    parts: dict[tuple[int, str], set[int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    inner: "Shape | None" = None
    anything: Any = None


SHAPE = Shape(
    (Point(1 << 80, None), Point(-1, "\udcff\n")),
    bytes(range(256)),
    "blue",
    {(1, "a"): {1, 2}, (2, "b"): set()},
    Counter(a=3),
    Shape(()),
    {"text": [1, None, True]},
)


def test_values_come_back_as_they_were() -> None:
    again = from_json(to_json(SHAPE, Shape), Shape)
    assert again == SHAPE
    assert (type(again.counts), type(again.points), type(again.points[0])) == (Counter, tuple, Point)
    assert from_json(to_json([SHAPE, Point(1, "")], list[Shape | Point]), list[Shape | Point]) == [SHAPE, Point(1, "")]
    assert from_json(to_json({"a": (1,)}, Mapping[str, tuple[int, ...]]), Mapping[str, tuple[int, ...]]) == {"a": (1,)}


def test_sets_are_written_in_one_order() -> None:
    names = ["one", "other", "three", "", "2"]
    orders = [names, names[::-1], names[2:] + names[:2]]
    assert {to_json(frozenset(order), frozenset[str]) for order in orders} == {b'["","2","one","other","three"]'}


def test_packets_of_evidence_come_back() -> None:
    evidence = Evidence(Arrival(1 << 60, 7, Interface("a.pcap", 1, name="eth0")), "seen")
    again = from_json(to_json(evidence, Evidence), Evidence)
    assert (again.arrival.time, again.arrival.packet, again.what) == (1 << 60, 7, "seen")
    found, expected = again.arrival.interface, evidence.arrival.interface
    assert type(found) is Interface
    assert [getattr(found, name) for name in Interface.TYPES] == [getattr(expected, name) for name in Interface.TYPES]


def test_it_is_json_on_one_line() -> None:
    data = to_json(Point(7, "\u2028é\n"), Point)
    assert data.isascii()
    assert b"\n" not in data
    assert json.loads(data) == ["Point", 7, "\u2028é\n"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", int),
        (b"\x80\x04.", int),
        (b"1.5", int),
        (b"true", int),
        (b"null", str),
        (b'"!"', bytes),
        (b'"green"', Literal["red", "blue"]),
        (b"{}", Point),
        (b"[]", Point),
        (b'["Point",1]', Point),
        (b'["Point",1,"a",2]', Point),
        (b'["Shape",1,"a"]', Point),
        (b'["os.system","ls"]', Shape | Point),
        (b'[["a"]]', dict[str, int]),
        (b'[[[],1]]', dict[str, int]),
        (b"[1,2]", tuple[int]),
        (b'{"a":1}', dict[str, int]),
        (b"[" * 100_000, list[int]),
    ],
)  # fmt: skip
def test_what_is_no_such_value_is_refused(data: bytes, kind: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the text may be of `json`
        from_json(data, kind)


@pytest.mark.parametrize(("value", "kind"), [({1}, Point), (Shape(()), Point), (object(), int)])
def test_what_the_annotation_does_not_allow_is_not_written(value: Any, kind: Any) -> None:
    with pytest.raises(TypeError):
        to_json(value, kind)


def test_nothing_else_makes_objects_of_what_it_reads() -> None:
    """Whoever writes what such a module reads would choose what is run."""
    found = {
        str(path.relative_to(ROOT / "kafkasniff"))
        for path in Path(ROOT, "kafkasniff").rglob("*.py")
        if re.search(r"\b(pickle|marshal|shelve|dill|multiprocessing)\b", path.read_text())
        and re.search(r"^\s*(import|from) (pickle|marshal|shelve|dill|multiprocessing)\b", path.read_text(), re.M)
    }
    assert found == set()
