"""The headers of record batches as columns, of `records` fields that hold one usual batch each."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from kafkasniff.protocol.body_columns import Buffer, Marks, Numbers
from kafkasniff.protocol.records.checksums import MAGIC_2_CRC_FROM, checksum_of_magic_2
from kafkasniff.protocol.records.layout import MAGIC_2, OFFSET_AND_SIZE

BatchHeaders = NDArray[np.void]
"""Rows with the fields of `MAGIC_2`, big-endian."""

_HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("size", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("record_count", ">i4"),
    ]
)
_DELETE_HORIZON = 0x40
_FARTHEST_OFFSET = 1 << 62


def read_batch_columns(buffer: Buffer, at: Numbers, size: Numbers) -> tuple[BatchHeaders, Marks]:
    """Read the headers of batches that should fill `records` fields; tell which of these are odd.

    Odd are other formats than magic 2, wrong sizes and CRCs, more than one batch, and what has a delete horizon.
    """
    headers = buffer.block(at, MAGIC_2.size).view(_HEADER).ravel()
    odd: Marks = (size < MAGIC_2.size) | (headers["magic"] != 2) | (headers["size"] != size - OFFSET_AND_SIZE.size)
    odd |= (headers["attributes"] & _DELETE_HORIZON != 0) | (headers["base_offset"] > _FARTHEST_OFFSET)
    sound = np.flatnonzero(~odd)
    covered = zip((at[sound] + MAGIC_2_CRC_FROM).tolist(), (at[sound] + size[sound]).tolist(), strict=True)
    data, checksum = buffer.data, checksum_of_magic_2()
    computed = [checksum(data[begin:end]) for begin, end in covered]
    odd[sound] = headers["crc"][sound] != np.array(computed, np.int64)
    return headers, odd
