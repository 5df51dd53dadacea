# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What a Produce request brings: of each batch the few fields of its header that rules look at."""

from kafkasniff.diagnose.seen import Produced, SeenCall
from kafkasniff.protocol.records.layout import MAGIC_2, MAGIC_AT, OFFSET_AND_SIZE

FIELDS = frozenset({"topicData", "name", "topicId", "partitionData", "index", "records"})
"""Fields of a Produce request that `produced` reads."""

_COMPRESSION = 0x07
_MOST_BATCHES = 1_000


def produced(seen: SeenCall) -> list[Produced]:
    """Give what a Produce request brings for each partition; what is no batch is left out."""
    if seen.produced is None:
        seen.produced = _read(seen)
    return seen.produced


def _read(seen: SeenCall) -> list[Produced]:
    assert seen.call.request is not None
    batches: list[Produced] = []
    data, places = seen.call.request.data, iter(seen.records)
    for topic in seen.request.get("topicData") or ():
        for item in topic["partitionData"]:
            if "recordsSizeInBytes" not in item:
                continue
            place = next(places, None)
            if place is None or place[2] > len(data):
                return batches
            _, start, end = place
            found = partition_of(data, start, end)
            if found is not None:
                records, plain, producer = found
                batches.append(Produced(topic, item["index"], records, plain, producer, start, end))
    return batches


def partition_of(data: bytes, start: int, end: int) -> tuple[int, bool, tuple[int, int, int]] | None:
    """Give the number of records, whether none is compressed, and the producer's id, epoch and sequence."""
    if end - start >= MAGIC_2.size and data[start + MAGIC_AT] == 2:
        header = MAGIC_2.unpack_from(data, start)
        if start + OFFSET_AND_SIZE.size + header[1] == end:
            # One batch of the newest format for each partition: what every client of the last years sends.
            return max(header[12], 0), not header[5] & _COMPRESSION, header[9:12]
    records, plain, producer = 0, True, (-1, -1, -1)
    for _ in range(_MOST_BATCHES):
        if end - start <= MAGIC_AT + 1:
            break
        size = OFFSET_AND_SIZE.size + OFFSET_AND_SIZE.unpack_from(data, start)[1]
        if data[start + MAGIC_AT] == 2 and end - start >= MAGIC_2.size:
            header = MAGIC_2.unpack_from(data, start)
            compressed = header[5] & _COMPRESSION
            records += max(header[12], 0)
            producer = header[9:12] if producer[0] < 0 else producer
        else:
            compressed = data[start + MAGIC_AT + 1] & _COMPRESSION
            records += 2 if compressed else 1
        plain &= not compressed
        if size <= OFFSET_AND_SIZE.size:
            break
        start += size
    return (records, plain, producer) if records else None
