# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""How many records a body has and how they are compressed, without the rest of their batches' headers."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from kafkasniff.octets import signed32
from kafkasniff.protocol.records.batches import COMPRESSIONS, MAX_BATCHES, read_batches
from kafkasniff.protocol.records.crc32c import sound_batch
from kafkasniff.protocol.records.layout import COMPRESSION

_COMPRESSION = COMPRESSION
_MOST_BATCHES = MAX_BATCHES
_MOST_KNOWN: Final = 1024
"""Totals that are remembered: most batches hold as many records as others."""


class Totals(NamedTuple):
    """Of the batches of one side of a call."""

    records: int
    codecs: Collection[str]
    """Names as of `Batch.compression`, each once; none where there are no batches."""


NO_BATCH: Final = Totals(0, ())


def totals_of(batches: Iterable[Any]) -> Totals:
    """Give the totals of batches."""
    counts, codecs = [], []
    for batch in batches:
        counts.append(batch.record_count or 0)
        codecs.append(batch.compression)
    return Totals(counts[0], codecs) if len(counts) == 1 else Totals(sum(counts), set(codecs))


def count_records(
    data: bytes, fields: Sequence[tuple[str, int, int]], side: Literal["request", "response"]
) -> Totals | None:
    """Give the totals of the batches in the `records` fields of a body, their CRCs checked.

    None where `read_batches` would find a problem, or a batch that is not of magic 2; in some cases where it would not.
    """
    records = codecs = batches = 0
    for _, start, end in fields:
        place = start
        while place < end:
            batches += 1
            size = sound_batch(data, place, end) if batches <= _MOST_BATCHES else 0
            if size:
                records += signed32(data, place + 57)
                codecs |= 1 << (data[place + 22] & _COMPRESSION)
                place += size
                continue
            # Brokers cut the last batch of an answer, which is no problem.
            if read_batches(data, place, end, side=side) != ([], []):
                return None
            break
    return _totals(records, codecs)


@lru_cache(maxsize=_MOST_KNOWN)
def _totals(records: int, codecs: int) -> Totals:
    """Give totals by a bit for the number of each codec."""
    return Totals(records, tuple(name for number, name in enumerate(COMPRESSIONS) if codecs >> number & 1))
