"""Snapshots hold all values, and keep what is shared shared."""

import io
from collections import Counter, OrderedDict, deque
from pathlib import Path

import pytest

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Arrival, Interface
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.facts.profiles import Profile
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.render.diagnosis.findings import finding_line
from kafkasniff.snapshots.reading import read_snapshot
from kafkasniff.snapshots.tags import HEADER, MOST_NESTED_AT_ALL
from kafkasniff.snapshots.writing import write_snapshot
from kafkasniff.tcp.events import Endpoint

CAPTURES = sorted(path for path in Path("captures").iterdir() if path.suffix in (".pcap", ".pcapng"))


def again(what):
    file = io.BytesIO()
    write_snapshot(what, file)
    file.seek(0)
    return read_snapshot(file)


@pytest.mark.parametrize(
    "value",
    [
        None,
        -(1 << 70),
        1 << 63,
        0.1,
        "\udc80 of a name that is no UTF-8",
        b"\0" * 100,
        "a text of some length",
        [-1, 127, 128, -128, 1 << 61, -(1 << 61), 1 << 62],
        (1, ("a", b"b"), frozenset({3, Endpoint("10.0.0.1", 9092)})),
        {"a": [1, {2: {3}}], (1, 2): OrderedDict(b=1, a=2)},
        deque([1, 2], maxlen=3),
        Counter("abca"),
        bytearray(b"ab"),
        Endpoint("::1", 1),
    ],
)
def test_values_come_back(value):
    found = again(value)

    assert found == value
    assert type(found) is type(value)
    assert getattr(found, "maxlen", None) == getattr(value, "maxlen", None)


def test_what_is_shared_stays_shared():
    interface, text = Interface("a.pcap", 1), b"x" * 1_000
    first: list[object] = [interface, text]
    first.append(first)

    found = again({"one": first, "other": [interface, text]})

    assert found["one"][2] is found["one"]
    assert found["one"][0] is found["other"][0]
    assert found["one"][1] is found["other"][1]


def bounded(one):
    found = Bounded[object]()
    found.put(1, one)
    found.put(2, one)
    return found


HELD_BY_TWO = {
    "items of a list": (lambda one: [one, one], lambda found: (found[0], found[1])),
    "items of a tuple": (lambda one: (one, one), lambda found: (found[0], found[1])),
    "items of a deque": (lambda one: deque([one, one]), lambda found: (found[0], found[1])),
    "values of a dict": (lambda one: {1: one, 2: one}, lambda found: (found[1], found[2])),
    "values of one in order": (lambda one: OrderedDict({1: one, 2: one}), lambda found: (found[1], found[2])),
    "a value, and an item": (lambda one: {1: one, 2: [one]}, lambda found: (found[1], found[2][0])),
    "fields of C": (bounded, lambda found: (found.get(1), found.get(2))),
    "other fields": (lambda one: [Profile(one), Profile(one)], lambda found: (found[0].client_id, found[1].client_id)),
}
MADE = {
    "list": lambda: [1],
    "dict": dict,
    "set": lambda: {1},
    "tuple": lambda: (1, [2]),
    "named tuple": lambda: Endpoint("10.0.0.1", len(CAPTURES)),
    "text": lambda: "a text that is no constant " + str(len(CAPTURES)),
    "bytes": lambda: b"bytes that are none" + bytes(len(CAPTURES)),
    "an object": Tally,
}


@pytest.mark.parametrize("held", HELD_BY_TWO)
@pytest.mark.parametrize("kind", MADE)
def test_what_just_two_places_hold_is_one_again(kind, held):
    put, places = HELD_BY_TWO[held]

    first, second = places(again(put(MADE[kind]())))

    assert first is second


def test_views_are_remembered_as_their_bytes():
    """What `--follow` failed on: `TypeError: cannot pickle memoryview objects`."""
    assert again([memoryview(b"abcdef")[2:4]]) == [b"cd"]


def test_a_deep_chain_takes_no_calls_within_calls():
    chain: list[object] = []
    for _ in range(100_000):
        chain = [chain]

    found, depth = again(chain), 0
    while found:
        found, depth = found[0], depth + 1
    assert depth == 100_000


@pytest.mark.parametrize("number", [48, 49, 50, 51, 120])
def test_what_lies_deep_is_there_and_is_one(number):
    tally, text = Tally(), "a text that is no constant " + str(number)
    tally.add(Arrival(5, 7, Interface("a.pcap", 1)), text)
    chain: object = {"tally": tally, "again": [tally], "set": {text}, "deque": deque([text], 3), "tuple": (text, tally)}
    for _ in range(number):
        chain = [chain]

    found = again(chain)

    for _ in range(number):
        found = found[0]
    assert found["tally"] is found["again"][0] is found["tuple"][1]
    assert [(each.what, each.arrival.packet) for each in found["tally"].evidence] == [(text, 7)]
    assert found["set"] == {text}
    assert (found["deque"], found["deque"].maxlen) == (deque([text]), 3)


def test_tuples_are_nested_so_deep_and_no_deeper():
    nested: tuple[object, ...] = ()
    for _ in range(MOST_NESTED_AT_ALL - 1):
        nested = (nested,)

    assert again(nested) == nested
    with pytest.raises(TypeError, match="nested too deep"):
        again((nested,))


def test_a_tuple_that_holds_itself_is_refused():
    items: list[object] = []
    one = (items,)
    items.append(one)
    with pytest.raises(TypeError, match="a tuple holds itself"):
        again(one)


def test_objects_of_the_class_that_is_wanted_are_given():
    one, other = Interface("a.pcap", 1), Interface("b.pcap", 1)

    assert write_snapshot([one, Tally(), {1: other, 2: one}], io.BytesIO(), Interface) == [one, other]


def test_short_texts_and_small_numbers_take_few_bytes():
    file = io.BytesIO()
    write_snapshot(["a", 1, None], file)

    # list, its length, text, its length, the text, 1, nothing, end; the list is shared with this test.
    assert len(file.getvalue()) - len(HEADER) <= 9


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_rules_go_on_as_if_nothing_was(path):
    engine, straight = Engine(report_connections=True), Diagnosis()
    for batch in CaptureReader(str(path)):
        for item in engine.feed(batch):
            straight.feed(item)
    engine, carried = Engine(report_connections=True), Diagnosis()
    for batch in CaptureReader(str(path), chunk_bytes=max(path.stat().st_size // 9, 2_000)):
        for item in engine.feed(batch):
            carried.feed(item)
        # Rules know connections by identity, so that engine and rules go into one snapshot.
        engine, remembered = again([engine, carried.remembered()])
        carried = Diagnosis()
        carried.recall(remembered)

    assert [*map(finding_line, carried.findings())] == [*map(finding_line, straight.findings())]
    assert carried.failures() == straight.failures()


def test_who_is_told_of_states_that_go_is_left_out():
    bounded = Bounded[int](1, evicted=print)
    bounded.put("a", 1)

    assert again(bounded).evicted is None
    assert [*again(bounded).items()] == [("a", 1)]


@pytest.mark.parametrize("rule", Diagnosis().rules, ids=lambda rule: rule.id)
def test_the_states_of_rules_declare_their_fields(rule):
    assert again([rule.new_state(), rule.remembered()])
