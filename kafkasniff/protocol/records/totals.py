"""How many records a body has and how they are compressed, without the rest of their batches' headers."""

import struct
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import COMPRESSIONS, MAX_BATCHES, read_batches
from kafkasniff.protocol.records.checksums import COPIED_BYTES, MAGIC_2_CRC_FROM, checksum_of_magic_2
from kafkasniff.protocol.records.layout import MAGIC_2, MAGIC_2_TOTALS, OFFSET_AND_SIZE

_COUNTED_BYTES: Final = MAX_BATCHES * MAGIC_2.size
"""Bytes of the longest message whose fields cannot have more batches than are shown."""

_UNCOUNTED: Final = OFFSET_AND_SIZE.size
"""Bytes of a batch that its size does not count."""

_LEAST_COUNTED: Final = MAGIC_2.size - _UNCOUNTED


class Totals(NamedTuple):
    """Of the batches of one side of a call."""

    records: int
    codecs: Collection[str]
    """Names as of `Batch.compression`, each once; none where there are no batches."""


def totals_of(batches: Iterable[Any]) -> Totals:
    """Give the totals of batches."""
    counts, codecs = [], []
    for batch in batches:
        counts.append(batch.record_count or 0)
        codecs.append(batch.compression)
    return Totals(counts[0], codecs) if len(counts) == 1 else Totals(sum(counts), set(codecs))


def count_records(data: bytes, fields: list[RecordsField], side: Literal["request", "response"]) -> Totals | None:
    """Give the totals of the batches in the `records` fields of a body, their CRCs checked.

    None where `read_batches` would find a problem, or a batch that is not of magic 2; in some cases where it would not.
    """
    if len(data) > _COUNTED_BYTES:
        return None
    unpack, checksum = MAGIC_2_TOTALS.unpack_from, checksum_of_magic_2()
    # Of small batches a copy takes less time than a view does.
    content = data if len(data) <= COPIED_BYTES else memoryview(data)
    records = codecs = 0
    try:
        for _, start, end in fields:
            place = start
            while place < end:
                counted, magic, crc, attributes, count = unpack(data, place)
                behind = place + counted + _UNCOUNTED
                if (
                    magic != 2
                    or counted < _LEAST_COUNTED
                    or behind > end
                    or checksum(content[place + MAGIC_2_CRC_FROM : behind]) != crc
                ):
                    # Brokers cut the last batch of an answer, which is no problem.
                    if read_batches(data, place, end, side=side) != ([], []):
                        return None
                    break
                records += count
                codecs |= 1 << (attributes & 7)
                place = behind
    except struct.error:
        # The message ends within a header.
        return None
    return Totals(records, _names(codecs))


@cache
def _names(codecs: int) -> tuple[str, ...]:
    """Give the names of codecs by a bit for the number of each."""
    return tuple(name for number, name in enumerate(COMPRESSIONS) if codecs >> number & 1)
