"""Which files are of one capture point: those of one ring, as long as they follow each other in time."""

from kafkasniff.pipeline.indexes.indexing import FileReport

OVERLAP_NS = 1_000_000_000
"""A ring's next file begins when the last is full; packets are written a little out of order at most."""


def overlap(reports: list[FileReport]) -> bool:
    """Tell whether files were captured at the same time.

    Files whose names differ by a counter, but that do so, are of several capture points (`broker-1.pcap`,
    `broker-2.pcap`): each is then its own.
    """
    spans = sorted(
        (each.first_time, each.last_time)
        for each in reports
        if each.first_time is not None and each.last_time is not None
    )
    latest: int | None = None
    for first, last in spans:
        if latest is not None and first < latest - OVERLAP_NS:
            return True
        latest = last if latest is None else max(latest, last)
    return False
