# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What a Produce request brings: of each batch the few fields of its header that rules look at."""

try:
    import cython
except ImportError:
    from kafkasniff import uncompiled as cython

from kafkasniff.octets import signed32, unsigned16, unsigned32
from kafkasniff.protocol.records.layout import COMPRESSION, MAGIC_2, MAGIC_AT, OFFSET_AND_SIZE

_COMPRESSION = COMPRESSION
_MOST_BATCHES = 1_000


@cython.final
@cython.freelist(64)
@cython.cclass
class Produced:
    """The batches of one partition in a Produce request, none of whose checksums was verified."""

    __slots__ = (
        "base_sequence",
        "end",
        "name",
        "partition",
        "plain",
        "producer_epoch",
        "producer_id",
        "records",
        "start",
        "topic",
    )

    def __init__(self, records: int, plain: bool, producer: tuple[int, int, int]) -> None:
        """Take what was read of them."""
        self.topic: str | None = None
        """Name or id of the topic, as in the request."""
        self.name: str | None = None
        """The topic's name, as far as known."""
        self.partition = -1
        self.records = records
        """Records of all batches; a compressed message of magic 0 or 1 counts as two, as it holds others."""
        self.plain = plain
        """Whether no batch is compressed."""
        self.producer_id, self.producer_epoch, self.base_sequence = producer
        """Of the first batch; -1 for none."""
        self.start = self.end = 0
        """Where the batches begin in the request's data, and end."""


def batches_in(data: bytes, start: int, end: int) -> Produced | None:
    """Read the batches in a `records` field; None for what is no batch."""
    return _one_batch(data, start, end) or _several(data, start, end)


def _one_batch(data: bytes, start: int, end: int) -> Produced | None:
    """Read one batch of the newest format, if it is all there is: what every client of the last years sends."""
    if end - start < MAGIC_2.size or data[start + MAGIC_AT] != 2 or signed32(data, start + 8) + 12 != end - start:
        return None
    found = Produced.__new__(Produced)
    found.records = max(signed32(data, start + 57), 0)
    found.plain = not data[start + 22] & _COMPRESSION
    found.producer_id = (signed32(data, start + 43) << 32) + unsigned32(data, start + 47)
    found.producer_epoch = (unsigned16(data, start + 51) ^ 0x8000) - 0x8000
    found.base_sequence = signed32(data, start + 53)
    return found


def partition_of(data: bytes, start: int, end: int) -> tuple[int, bool, tuple[int, int, int]] | None:
    """Give the number of records, whether none is compressed, and the producer's id, epoch and sequence."""
    found = batches_in(data, start, end)
    if found is None:
        return None
    return found.records, found.plain, (found.producer_id, found.producer_epoch, found.base_sequence)


def _several(data: bytes, start: int, end: int) -> Produced | None:
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
    return Produced(records, plain, producer) if records else None
