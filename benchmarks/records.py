"""Measure how fast compressed record batches become JSON lines, CRC checked: `python -m benchmarks.records`.

Each figure is the best of several rounds of CPU time in one process, in thousands of records a second.
"""

import time
from collections.abc import Callable
from itertools import cycle
from random import Random

import orjson

from benchmarks.batches import CODECS, Record, compress_records, order
from kafkasniff.protocol.records.batches import as_json, read_batches
from kafkasniff.protocol.records.checksums import computed_crc
from kafkasniff.protocol.records.records import read_records

BATCH_SIZES = (1, 10, 25, 50, 75, 100, 200, 500, 2000)
RECORDS = 20_000
ROUNDS = 15
GOAL = 500
"""Thousands of records a second that each codec should reach in batches of 100 to 500 records."""


def main() -> None:
    """Print the tables."""
    random = Random(5)
    orders = [order(random) for _ in range(RECORDS)]
    print(f"{RECORDS} records with values of {sum(len(item.value) for item in orders) // RECORDS} bytes")
    print(f"\n{'records a batch':<16}   (lz4)")
    for size in BATCH_SIZES:
        print(f"{size:<16}{_speed(_to_json_lines, _batches(orders, CODECS.index('lz4'), [size])):>10,.0f}")
    mixes = {"100": [100], "500": [500], "100 to 500": [random.randint(100, 500) for _ in range(100)]}
    print(f"\n{'codec':<16}" + "".join(f"{name:>12}" for name in mixes) + "   records a batch")
    for number, codec in enumerate(CODECS):
        speeds = [_speed(_to_json_lines, _batches(orders, number, sizes)) for sizes in mixes.values()]
        verdict = "reaches" if speeds[-1] >= GOAL else "misses"
        print(f"{codec:<16}" + "".join(f"{speed:>12,.0f}" for speed in speeds) + f"   {verdict} {GOAL}")
    batches = _batches(orders, 0, [500])
    seconds = _best_time(_check_crcs, batches)
    print(f"\nCRC-32C alone: {sum(map(len, batches)) / seconds / 1e9:.1f} GB/s")


def _batches(orders: list[Record], codec: int, sizes: list[int]) -> list[bytes]:
    """Put the records into batches of `sizes` in turn."""
    batches = []
    start = 0
    for size in cycle(sizes):
        if start >= len(orders):
            return batches
        batches.append(compress_records(orders[start : start + size], codec, 3).encode(start, 1_700_000_000_000))
        start += size
    return batches


def _speed(work: Callable[[list[bytes]], None], batches: list[bytes]) -> float:
    return RECORDS / _best_time(work, batches) / 1000


def _best_time(work: Callable[[list[bytes]], None], batches: list[bytes]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work(batches)
        best = min(best, time.process_time() - start)
    return best


def _to_json_lines(fields: list[bytes]) -> None:
    for data in fields:
        batches, problems = read_batches(data, 0, len(data), side="request")
        for batch in batches:
            records, more_problems = read_records(data, batch)
            assert not problems + more_problems
            assert len(records) == batch.record_count
            orjson.dumps({**as_json(batch), "records": records})


def _check_crcs(fields: list[bytes]) -> None:
    for data in fields:
        computed_crc(data, 0, len(data))


if __name__ == "__main__":
    main()
