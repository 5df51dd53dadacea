"""A snapshot has the fields that classes declare."""

import importlib
import io
import re
from pathlib import Path

import pytest

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.snapshots.writing import _Writer, write_snapshot

PACKAGE = Path("kafkasniff")
CAPTURES = sorted(path for path in Path("captures").iterdir() if path.suffix in (".pcap", ".pcapng"))


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
    module = importlib.import_module(".".join(path.with_suffix("").parts))
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
    writer = _Writer(io.BytesIO(), None)
    writer.write([engine, rules.remembered()])
    found = set(writer.classes)
    assert len(found) > 50
    for cls in found:
        assert set(getattr(cls, "REBUILT", ())) <= {
            name for each in cls.__mro__ for name in getattr(each, "__slots__", ())
        }


def test_only_declared_fields_are_written():
    class Undeclared:
        def __init__(self) -> None:
            self.found = 1

    for each in (Undeclared(), lambda: None, open):
        with pytest.raises(TypeError, match="does not declare its fields"):
            write_snapshot([each], io.BytesIO())
