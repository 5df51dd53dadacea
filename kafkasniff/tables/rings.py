"""Which files belong together: those that one capture was rotated into."""

import os
import re
from functools import lru_cache

_COMPRESSED = re.compile(r"\.(gz|zst|zstd|lz4|xz|bz2)$", re.IGNORECASE)
# tcpdump -C puts its counter behind the whole name, also behind an ending in it (tcpdump.c, MakeFilename).
_ENDING = re.compile(r"\.(pcapng|pcap|ntar|cap|dump|dmp)\d*$", re.IGNORECASE)
_COUNTERS = re.compile(r"([-_.:T]\d+Z?|\d{4,}Z?)+$")


def without_compression(path: str) -> str:
    """Give a path without the ending that compression adds."""
    return _COMPRESSED.sub("", path)


@lru_cache(maxsize=1024)
def ring_of(path: str) -> str:
    """Give directory and name of a file without what tcpdump (-C, -W, -G) and dumpcap (-b) add when they rotate."""
    folder, name = os.path.split(path)
    bare = without_compression(name)
    without_ending = _ENDING.sub("", bare)
    if without_ending == bare:
        # Without an ending, all digits at the end are tcpdump's counter.
        without_ending = bare.rstrip("0123456789")
    return os.path.join(folder, _COUNTERS.sub("", without_ending) or without_ending)
