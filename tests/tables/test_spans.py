from array import array
from pathlib import Path

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.packets import Interface, PacketBatch
from kafkasniff.tables.declared import FILES
from kafkasniff.tables.spans import FileSpans


def batch(path: str, *times: int, cut: int = 0) -> PacketBatch:
    """Give a batch of packets, of which the first `cut` are not there whole."""
    count = len(times)
    original = array("q", [90 if index < cut else 60 for index in range(count)])
    captured = array("q", [60] * count)
    return PacketBatch(
        b"",
        1,
        array("q", [0] * count),
        captured,
        original,
        array("q", times),
        array("q", [0] * count),
        [Interface(path, 1)],
    )


def test_rows_say_what_was_read_of_each_file(tmp_path: Path) -> None:
    whole, missing = tmp_path / "trace-1.pcap", tmp_path / "trace-2.pcap"
    whole.write_bytes(bytes(1_234))
    spans = FileSpans([str(whole), str(missing)])
    spans.add(batch(str(whole), 500, 300, cut=1))
    spans.add(batch(str(whole), 900))
    spans.add(batch(str(whole)))
    names = [column.name for column in FILES.columns]
    rows = [
        dict(zip(names, row, strict=True))
        for _, _, row in spans.rows([CaptureError(f"{missing}: cannot be opened: No such file or directory")])
    ]
    assert [Path(row["file"]).name for row in rows] == ["trace-1.pcap", "trace-2.pcap"]
    assert [row["packets"] for row in rows] == [3, 0]
    assert [row["cut_packets"] for row in rows] == [1, 0]
    assert [row["size_bytes"] for row in rows] == [1_234, None]
    assert [row["reason"] for row in rows] == [None, f"{missing}: cannot be opened: No such file or directory"]
    assert [row["state"] for row in rows] == ["read", "not read"]
