"""What tcpdump and dumpcap add to names when they rotate (tcpdump(8): -C, -W, -G; dumpcap(1): -b)."""

import pytest

from kafkasniff.tables.rings import ring_of, without_compression


@pytest.mark.parametrize(
    ("path", "ring"),
    [
        # dumpcap: counter and time before the ending.
        ("/c/trace_00001_20261124120000.pcapng", "/c/trace"),
        ("/c/trace_00002_20261124120100.pcapng.gz", "/c/trace"),
        # tcpdump -C: a counter behind the whole name; -W: with zeros before it.
        ("/c/trace.pcap", "/c/trace"),
        ("/c/trace.pcap1", "/c/trace"),
        ("/c/trace.pcap02", "/c/trace"),
        ("/c/trace07", "/c/trace"),
        # tcpdump -G with strftime's times.
        ("/c/trace-2026-11-24T12:00:00Z.pcap", "/c/trace"),
        ("/c/trace-20261124120000.pcap", "/c/trace"),
        # Others.
        ("/c/broker1.pcap", "/c/broker1"),
        ("/c/broker-2.pcap", "/c/broker"),
        ("/c/20261124.pcap", "/c/20261124"),
        ("/d/trace.pcap", "/d/trace"),
    ],
)
def test_files_of_a_ring_have_one_name(path: str, ring: str) -> None:
    assert ring_of(path) == ring


def test_compression_is_no_part_of_a_name() -> None:
    for ending in ("gz", "zst", "zstd", "lz4", "XZ", "bz2"):
        assert without_compression(f"a.pcap.{ending}") == "a.pcap"
    assert without_compression("gz") == "gz"
