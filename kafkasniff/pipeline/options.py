"""What a run is asked for."""

from dataclasses import dataclass

CHUNK_BYTES = 4 << 20
"""Bytes that are indexed at a time. They give a row for every bucket; to write and read one takes some 90 µs."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for; the defaults suit files on this machine or on a file system that all share."""

    key_log: bytes = b""
    """Lines of a TLS key log."""
    records: bool = False
    """Write the table `records` too."""
    begin: int | None = None
    """Only calls and connections from this time on, in ns since 1970 …"""
    end: int | None = None
    """… and before this."""
    payload: bool = False
    """Let the packets' bytes travel with their places: where not every task can read the files again."""
    buckets: int | None = None
    """Number of tasks that connections are shared among; None: by the size of the files."""
    range_bytes: int = 512 << 20
    """Bytes of a pcap file that one task reads, at least; a file of twice as many is split."""
    chunk_bytes: int = CHUNK_BYTES
    """Bytes of a file that are indexed at a time, about."""

    def wants(self, time: int) -> bool:
        """Tell whether something of a time is asked for."""
        return (self.begin is None or time >= self.begin) and (self.end is None or time < self.end)
