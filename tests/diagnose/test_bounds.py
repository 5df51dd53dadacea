"""What rules remember does not grow with the capture: limits are made small, and objects are counted."""

import gc
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest

from benchmarks.diagnose import Crowd
from kafkasniff.diagnose import rule
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.protocol.bodies.scanning import Scanner

LIMIT = 20
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every memory by key, whatever its limit, keeps `LIMIT` keys."""
    begin = Bounded.__init__

    def begin_small(self: Bounded[Any], most: int = LIMIT, evicted: Any = None) -> None:
        begin(self, min(most, LIMIT), evicted)

    monkeypatch.setattr(Bounded, "__init__", begin_small)
    monkeypatch.setattr(rule, "MOST_KEPT", LIMIT)


def objects(root: object) -> int:
    """How many objects are reachable from one, code left out, and what scanners keep of the last hundreds of bodies."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, (*CODE, Scanner)):
            seen.add(id(each))
            waiting += gc.get_referents(each)
    return len(seen)


@pytest.mark.parametrize("shared", [False, True], ids=["many client ids", "one client id"])
@pytest.mark.usefixtures("small_limits")
def test_state_stops_growing(shared: bool) -> None:
    diagnosis, crowd = Diagnosis(), Crowd(shared)

    def after(clients: range) -> int:
        for number in clients:
            for item in crowd.client(number, 5):
                diagnosis.feed(item)
        return objects(diagnosis)

    full = after(range(100))
    assert after(range(100, 400)) < 1.15 * full
    if not shared:
        assert len(diagnosis.limits_reached()) > 10


@pytest.mark.usefixtures("small_limits")
def test_one_call_may_name_many_topics() -> None:
    def after(topics: int) -> int:
        diagnosis, crowd = Diagnosis(), Crowd()
        for number in range(25):
            for item in crowd.client(number, topics):
                diagnosis.feed(item)
        return objects(diagnosis)

    assert after(300) < 1.15 * after(75)
