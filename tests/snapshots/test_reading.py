"""What reads snapshots chooses no code, and says what is none."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.capture.packets import Interface
from kafkasniff.compiled import is_compiled
from kafkasniff.snapshots import tags
from kafkasniff.snapshots.classes import SnapshotError
from kafkasniff.snapshots.reading import read_snapshot
from kafkasniff.snapshots.writing import write_snapshot

CAPTURES = sorted(path for path in Path("captures").iterdir() if path.suffix in (".pcap", ".pcapng"))


def text(value):
    return bytes([len(value)]) + value.encode()


def a_class(module, name, *names):
    """Give the beginning of an object of a class that was not met before."""
    return bytes([tags.CLASS]) + text(module) + text(name) + bytes([len(names)]) + b"".join(map(text, names))


def of(*parts):
    found = b"".join(bytes([part]) if isinstance(part, int) else part for part in parts)
    return tags.HEADER + found + bytes([tags.END])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no snapshot of version 2"),
        (b"\x80\x04\x95", "is no snapshot of version 2"),
        (tags.HEADER.replace(b"2", b"1") + b"\0\x23", "is no snapshot of version 2"),
        (of(a_class("os", "mkdir"), tags.OBJECT, 0), r"has objects of os\.mkdir, which is no part"),
        (of(a_class("kafkasniff.cli.main", "main"), tags.OBJECT, 0), "is no part of what is remembered"),
        (of(a_class("kafkasniff.calls.engine", "Motor"), tags.OBJECT, 0), "which this kafkasniff does not have"),
        (of(a_class("kafkasniff.tcp.events", "Endpoint", "address"), tags.NAMED_TUPLE, 0), "with other fields"),
        (of(a_class("kafkasniff.tcp.events", "Endpoint", "address", "port"), tags.SUB_TEXT, 0, 0), "is damaged"),
        (of(tags.REFERENCE, 7), "is damaged: IndexError"),
        (of(tags.SHARED, tags.TUPLE, 1, tags.REFERENCE, 0), "a value holds itself"),
        (of(tags.CONTENTS, 0), "unknown kind: 34"),
        (of(tags.NONE, tags.CONTENTS, 0), "is damaged: IndexError"),
        (of(tags.SHARED, tags.LIST, 0, tags.CONTENTS, 0), "where contents are to be"),
        (of(99), "unknown kind: 99"),
        (of(tags.SHARED, tags.SHARED), "unknown kind|is damaged"),
        (of(tags.SET, 1, tags.LIST, 0), "is damaged: TypeError"),
        (of(tags.LIST, 200), "is damaged"),
        (of(tags.TEXT, b"\xff\xff\xff\xff\xff\x7f"), "it ends too early"),
        (of(tags.INTEGER, b"\xff" * 11), "a number is too long"),
        (of(bytes([tags.LIST, 1]) * 300), "nested too deep"),
        (of(bytes([tags.SHARED]) * 300), "nested too deep|unknown kind"),
    ],
)
def test_what_is_no_snapshot_of_ours_is_said(data, message):
    with pytest.raises(SnapshotError, match=message):
        read_snapshot(io.BytesIO(data))


def test_a_snapshot_that_was_cut_anywhere_is_said():
    file = io.BytesIO()
    write_snapshot([Interface("a.pcap", 1), {1.5: b"x" * 100, "a name": (1 << 40, None)}, {3}], file)
    data = file.getvalue()
    for end in range(len(data)):
        with pytest.raises(SnapshotError):
            read_snapshot(io.BytesIO(data[:end]))


def test_what_stands_behind_is_left_alone():
    file = io.BytesIO()
    for number in range(3):
        write_snapshot([number], file)
    file.seek(len(file.getvalue()) // 3)

    assert read_snapshot(file) == [1]


def test_files_that_give_little_at_a_time_are_read():
    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 3))

    file = io.BytesIO()
    write_snapshot(["a text of some length"] * 3, file)

    assert read_snapshot(Slow(file.getvalue())) == ["a text of some length"] * 3


@pytest.mark.skipif(not is_compiled(), reason="plain Python takes values of any type")
def test_a_field_of_the_wrong_type_is_said():
    names = ("_names", "more")
    data = of(a_class("kafkasniff.diagnose.memory.tallies", "Names", *names), tags.OBJECT, 0, tags.SMALL, tags.TRUE)
    with pytest.raises(SnapshotError, match="is damaged: TypeError"):
        read_snapshot(io.BytesIO(data))


GO_ON = """
import sys
from kafkasniff.compiled import is_compiled, prefer_sources
prefer_sources()
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.snapshots.reading import read_snapshot
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
