"""Snapshots hold every field, keep what is shared shared, and choose no code."""

import importlib
import io
import os
import re
import subprocess
import sys
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from pathlib import Path

import msgpack
import pytest

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.compiled import is_compiled
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import Tally
from kafkasniff.render.diagnosis.findings import finding_line
from kafkasniff.snapshot import FORMAT, VERSION, SnapshotError, read_snapshot, state_classes, write_snapshot
from kafkasniff.tcp.events import Endpoint

PACKAGE = Path(__file__).parent.parent / "kafkasniff"
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


def attributes(declarations):
    """Give the attributes of each class in a .pxd by its name."""
    found, current = {}, None
    for line in declarations.splitlines():
        if match := re.match(r"cdef class (\w+)", line):
            current = found.setdefault(match[1], set())
        elif line and not line[0].isspace():
            current = None
        elif (
            current is not None
            and "(" not in line
            and (match := re.match(r"    cdef (?:public |readonly )?(.+)$", line))
        ):
            first, *more = match[1].split(",")
            current.update([first.split()[-1], *(name.strip() for name in more)])
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.pxd")), ids=lambda path: path.stem)
def test_slots_name_every_attribute_that_is_declared_for_c(path):
    """A snapshot has the fields in `__slots__`: one that only the .pxd has would be lost."""
    module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    for name, declared in attributes(path.read_text()).items():
        slots = getattr(module, name).__dict__.get("__slots__")
        if slots is not None:
            assert declared == set(slots), name


def test_classes_name_fields_that_are_rebuilt_among_their_own():
    engine, rules = Engine(), Diagnosis()
    for path in CAPTURES[:5]:
        for batch in CaptureReader(str(path)):
            for item in engine.feed(batch):
                rules.feed(item)
    found = state_classes([engine, rules.remembered()])
    assert len(found) > 50
    for cls in found:
        assert set(getattr(cls, "REBUILT", ())) <= {
            name for each in cls.__mro__ for name in getattr(each, "__slots__", ())
        }


@dataclass
class Elsewhere:
    """No class of kafkasniff."""

    path: str


def of(*records):
    return io.BytesIO(b"".join(map(msgpack.packb, [[FORMAT, VERSION], *records, [-10]])))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (io.BytesIO(b""), "is no snapshot of version 1"),
        (io.BytesIO(b"\x80\x04\x95"), "is no snapshot|is damaged"),
        (io.BytesIO(msgpack.packb([FORMAT, 2])), "is no snapshot of version 1"),
        (of([-9, "os", "mkdir"], [0]), r"has objects of os\.mkdir, which is no part"),
        (of([-9, "kafkasniff.cli.main", "main"], [0]), "is no part of what is remembered"),
        (of([-9, "kafkasniff.calls.engine", "Motor"], [0]), "which this kafkasniff does not have"),
        (of([-9, "kafkasniff.tcp.events", "Endpoint", "address"], [0]), "a Endpoint with other fields"),
        (of([-8, [0, 7]]), "is damaged"),
        (of([-8, [99, 7]]), "unknown kind: 99"),
    ],
)
def test_what_is_no_snapshot_of_ours_is_said(file, message):
    with pytest.raises(SnapshotError, match=message):
        read_snapshot(file)


@pytest.mark.skipif(not is_compiled(), reason="plain Python takes values of any type")
def test_a_field_of_the_wrong_type_is_said():
    file = io.BytesIO()
    write_snapshot(Tally(), file)
    records = [*msgpack.Unpacker(io.BytesIO(file.getvalue()))]
    fields, values = records[2][3:], records[3]
    values[1 + fields.index("count")] = "a text"
    with pytest.raises(SnapshotError, match="is damaged: TypeError"):
        read_snapshot(of(*records[1:]))


def test_only_declared_fields_are_written():
    class Undeclared:
        def __init__(self) -> None:
            self.found = 1

    for each in (Undeclared(), lambda: None, open):
        with pytest.raises(TypeError, match="does not declare its fields"):
            write_snapshot([each], io.BytesIO())


def test_who_is_told_of_states_that_go_is_left_out():
    bounded = Bounded[int](1, evicted=print)
    bounded.put("a", 1)

    assert again(bounded).evicted is None
    assert [*again(bounded).items()] == [("a", 1)]


GO_ON = """
import sys
from kafkasniff.compiled import is_compiled, prefer_sources
prefer_sources()
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.snapshot import read_snapshot
with open(sys.argv[1], "rb") as file:
    engine = read_snapshot(file)
batches = [*CaptureReader(sys.argv[2], chunk_bytes=20_000)]
items = [item for batch in batches[len(batches) // 2 :] for item in engine.feed(batch)] + [*engine.flush()]
sys.stdout.buffer.write(b"".join(JsonLines().line(item) for item in items if type(item).__name__ == "Call"))
"""


def test_either_build_goes_on_where_the_other_was(tmp_path):
    path = str(next(path for path in CAPTURES if path.stem == "loss-reorder-client-side"))
    engine, file = Engine(), tmp_path / "snapshot"
    batches = [*CaptureReader(path, chunk_bytes=20_000)]
    for batch in batches[: len(batches) // 2]:
        engine.feed(batch)
    with file.open("wb") as stream:
        write_snapshot(engine, stream)

    found = [
        subprocess.run(
            [sys.executable, "-c", GO_ON, str(file), path],
            env=os.environ | {"KAFKASNIFF_PURE": pure},
            check=True,
            capture_output=True,
        ).stdout
        for pure in ("0", "1")
    ]
    assert found[0] == found[1] != b""


@pytest.mark.parametrize("rule", Diagnosis().rules, ids=lambda rule: rule.id)
def test_the_states_of_rules_declare_their_fields(rule):
    assert again([rule.new_state(), rule.remembered()])
