"""Engines that are saved after every few packets give what one gives that is not."""

from pathlib import Path

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.follow.carry import Saved, Saver, load, save
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.render.json.items import connection_line
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.tcp.tls.key_log import KeyLog

CAPTURES = sorted(path for path in Path("captures").iterdir() if path.suffix in (".pcap", ".pcapng"))
KEYS = b"\n".join(path.read_bytes() for path in sorted(Path("captures").glob("*.keys")))


def lines(path, folder, chunk_bytes, saved):
    key_log = KeyLog()
    key_log.add(KEYS)
    engine = Engine(report_connections=True, key_log=key_log)
    found = []
    for batch in CaptureReader(str(path), chunk_bytes=chunk_bytes):
        found += map(line, engine.feed(batch))
        if saved:
            engine = load(str(folder), save(str(folder), engine))
    return [*found, *map(line, engine.flush())]


def line(item):
    if isinstance(item, Call):
        return JsonLines().line(item)
    return connection_line(item) if isinstance(item, ConnectionReport) else type(item).__name__.encode()


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_saved_engines_go_on_as_if_nothing_was(tmp_path, path):
    chunk_bytes = max(path.stat().st_size // 9, 2_000)

    assert lines(path, tmp_path, chunk_bytes, saved=True) == lines(path, tmp_path, chunk_bytes, saved=False)


def test_the_parts_that_something_tells_of_are_told(tmp_path):
    one, other = (PlacedInterface(f"{part}.pcap", 1, part=part, number=0) for part in (3, 8))

    saver = Saver(str(tmp_path))
    saver.save("something before it")
    saved, parts = saver.save({"first": one, "again": [one], "other": other})
    saver.save("and behind")
    saver.close()

    assert parts == {3, 8}
    again = load(str(tmp_path), saved)
    assert (again["first"].file, again["first"].part, again["other"].part) == ("3.pcap", 3, 8)
    assert again["again"][0] is again["first"]


def test_what_is_not_there_or_cut_is_said(tmp_path):
    saved = save(str(tmp_path), ["something"] * 100)
    (tmp_path / saved.path).write_bytes((tmp_path / saved.path).read_bytes()[:20])

    for each, why in ((saved, "is no snapshot|is damaged"), (Saved("carry/gone"), "cannot be read: No such file")):
        with pytest.raises(PipelineError, match=why):
            load(str(tmp_path), each)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PipelineError, match="cannot be written: Not a directory"):
        save(str(tmp_path / "file"), [])


def test_what_this_version_cannot_read_is_said(tmp_path):
    saved = save(str(tmp_path), Engine())
    path = tmp_path / saved.path
    path.write_bytes(path.read_bytes().replace(b"Engine", b"Motors"))

    with pytest.raises(
        PipelineError, match=r"has objects of kafkasniff\.calls\.engine\.Motors, which this kafkasniff does"
    ):
        load(str(tmp_path), saved)
