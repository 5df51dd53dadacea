"""Runs of the pipeline over the captures in this repository, and what is in their tables."""

import json
import struct
from collections import defaultdict
from pathlib import Path

import pyarrow.dataset as ds

from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.pipeline.follow.ledger import Ledger, run_id, tables_of
from kafkasniff.pipeline.inputs.files import find_inputs
from kafkasniff.pipeline.loading import load
from kafkasniff.pipeline.options import Options
from kafkasniff.pipeline.run_record import Observer
from tests.pipeline.expected import COMPARED, comparable

CAPTURES = Path("captures")

RING = [str(path) for path in sorted(CAPTURES.glob("rotate-size/*.pcap"))]


def write(spark, sources, folder, options=None):
    options = options or Options()
    sources = [str(source) for source in sources]
    ledger = Ledger(str(folder), run_id([], []), tables_of(options.records))
    state = ledger.open()
    try:
        return load(spark, ledger, state, find_inputs(sources, leave_out=str(folder)), options, Observer())
    finally:
        ledger.close()


def rows(folder, table):
    return ds.dataset(f"{folder}/{table}", partitioning="hive").to_table().to_pylist()


def by_vantage(folder):
    found = defaultdict(lambda: {table: [] for table in COMPARED})
    for table in COMPARED:
        for row in rows(folder, table):
            found[row["vantage"]][table].append(row)
    return {
        vantage: {table: comparable(table, of_table) for table, of_table in tables.items()}
        for vantage, tables in found.items()
    }


EMBEDDED = "captures/tls12-aes256-gcm-embedded.pcapng"

CALLS_OF_EMBEDDED = 76
"""In the broker's own log."""

PACKETS, SECRETS = {0x0A0D0D0A, 1, 6}, {0x0A0D0D0A, 1, 10}
"""Types of the blocks of pcapng: sections and interfaces, with packets or with decryption secrets."""


def split(folder):
    """Write the packets and the secrets of a capture into one each; give their paths."""
    content = Path(EMBEDDED).read_bytes()
    traffic, secrets, at = [], [], 0
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at)
        for blocks, kinds in ((traffic, PACKETS), (secrets, SECRETS)):
            blocks += [content[at : at + size]] * (kind in kinds)
        at += size
    folder.mkdir()
    (folder / "traffic.pcapng").write_bytes(b"".join(traffic))
    (folder / "secrets.pcapng").write_bytes(b"".join(secrets))
    return str(folder / "traffic.pcapng"), str(folder / "secrets.pcapng")


def key_log_in(path):
    """Give the secrets in a capture."""
    reader = CaptureReader(path)
    list(reader)
    return b"".join(reader.take_secrets())


def all_rows(folder):
    """Give the rows of all tables, in an order of their own, but for the run."""
    return {
        table: sorted(
            json.dumps({name: value for name, value in row.items() if name != "run_id"}, default=str)
            for row in rows(folder, table)
        )
        for table in tables_of(records=False)
    }
