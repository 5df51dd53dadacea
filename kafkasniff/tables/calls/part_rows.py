# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Rows of what calls hold: record batches, and what is told of partitions."""

from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.octets import signed32, unsigned16, unsigned32
from kafkasniff.protocol.api_keys import FETCH
from kafkasniff.protocol.error_codes.codes import error_name
from kafkasniff.protocol.records.batches import COMPRESSIONS
from kafkasniff.protocol.records.layout import COMPRESSION, CONTROL, HEADER_BYTES, LOG_APPEND_TIME, TRANSACTIONAL
from kafkasniff.tables.blocks.block import Block
from kafkasniff.tables.bodies import content_bytes
from kafkasniff.tables.calls.call_reader import ToldPartition
from kafkasniff.tables.partition_rows import MEASURES, OFFSETS

_OFFSETS = len(OFFSETS)
_CODE, _HIGH, _START = (MEASURES.index(name) for name in ("errorCode", "highWatermark", "logStartOffset"))
_FETCH = FETCH
_TWO_32 = 1 << 32
_HEADER = HEADER_BYTES[2]
_COMPRESSION, _LOG_APPEND_TIME, _TRANSACTIONAL, _CONTROL = COMPRESSION, LOG_APPEND_TIME, TRANSACTIONAL, CONTROL


def _signed64(data: bytes, at: int) -> int:
    """Read eight bytes as a signed number; raises IndexError."""
    return signed32(data, at) * _TWO_32 + unsigned32(data, at + 4)


def put_batch(block: Block, call: Call, found: tuple[Any, ...], decompresses: bool) -> None:
    """Set the columns of one of the reader's batches, of magic 2, laid out as DefaultRecordBatch has it."""
    frame: Frame = found[0]
    at = found[6]
    data = frame.data
    base = _signed64(data, at)
    attributes = unsigned16(data, at + 21)
    block.text(found[1])
    block.text(found[2])
    block.text(call.context.topics.get(found[3]) if found[4] else found[3])
    block.number(found[5])
    block.number(2)
    block.number(base)
    block.number(base + signed32(data, at + 23))
    block.number(signed32(data, at + 12))
    block.text(COMPRESSIONS[attributes & _COMPRESSION])
    block.text("LogAppendTime" if attributes & _LOG_APPEND_TIME else "CreateTime")
    block.number(_signed64(data, at + 27))
    block.number(_signed64(data, at + 35))
    block.number(_signed64(data, at + 43))
    epoch = unsigned16(data, at + 51)
    block.number(epoch - 0x10000 if epoch >= 0x8000 else epoch)
    block.number(signed32(data, at + 53))
    block.number((attributes & _TRANSACTIONAL) != 0)
    block.number((attributes & _CONTROL) != 0)
    block.number(signed32(data, at + 57))
    size = signed32(data, at + 8) + 12
    block.number(size)
    block.number(1)
    if attributes & _COMPRESSION == 0:
        block.number(size)
    elif decompresses:
        content = content_bytes(data, at, at + size)
        if content < 0:
            block.skip(1)
        else:
            block.number(content + _HEADER)
    else:
        block.skip(1)


def put_partition(block: Block, call: Call, told: ToldPartition) -> None:
    """Set the columns of what the reader was told of a partition."""
    block.text(call.context.topics.get(told.topic) if told.is_id and told.topic else told.topic)
    block.number(told.partition)
    chosen = -1
    for index in range(_OFFSETS):
        if told.told >> index & 1:
            chosen = index
            break
    if chosen < 0:
        block.skip(1)
    else:
        block.number(told.measures[chosen])
    block.number(told.bytes)
    block.number(told.records)
    if told.told >> _CODE & 1:
        code = told.measures[_CODE]
        block.number(code)
        block.text(error_name(code) if code else None)
    else:
        block.skip(2)
    has_high = told.told >> _HIGH & 1
    if has_high:
        block.number(told.measures[_HIGH])
    else:
        block.skip(1)
    if told.told >> _START & 1:
        block.number(told.measures[_START])
    else:
        block.skip(1)
    is_known = told.has_records or chosen >= 0
    if has_high and is_known and told.measures[_HIGH] >= 0 and call.api_key == _FETCH:
        behind = told.behind if told.has_records else told.measures[chosen]
        block.number(max(told.measures[_HIGH] - behind, 0))
    else:
        block.skip(1)
