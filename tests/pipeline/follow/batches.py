"""Micro-batches over the captures in this repository."""

import os
import shutil
import time
from pathlib import Path

from kafkasniff.capture.files.pcap import FILE_HEADER_LENGTH
from kafkasniff.pipeline.follow.ledger import tables_of
from tests.pipeline.runs import RING

TABLES = tables_of(records=False)


def records(path):
    """Give the file header and the records of a little-endian pcap file."""
    data, position, found = Path(path).read_bytes(), FILE_HEADER_LENGTH, []
    while position < len(data):
        size = 16 + int.from_bytes(data[position + 8 : position + 12], "little")
        found.append(data[position : position + size])
        position += size
    return data[:FILE_HEADER_LENGTH], found


def put(folder, numbers):
    folder.mkdir(exist_ok=True)
    for number in numbers:
        path = Path(shutil.copy(RING[number], folder))
        os.utime(path, (time.time() - 30,) * 2)


def file_row(name):
    return ("ring", name, 10, 0, b"", 0, 0, 1, 0, 0, "read", None)
