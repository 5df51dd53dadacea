"""Blocks of rows, as they are declared, bounded, and taken by DuckDB through Arrow's C data interface."""

from typing import Any

import duckdb
import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.tables.blocks.block import Block
from kafkasniff.tables.blocks.columns import ROWS
from kafkasniff.tables.declared import CALLS, Column, Table
from kafkasniff.tables.filling import blocks_of
from tests.conftest import CAPTURES

RECORDING = CAPTURES / "java-4.3.1-basic.pcap"


def rows_of(stream: Any) -> list[dict[str, Any]]:
    taken = duckdb.sql("select * from stream")
    return [dict(zip(taken.columns, row, strict=True)) for row in taken.fetchall()]


def calls_of_the_recording() -> list[Call]:
    return [item for item in kafkasniff.read([str(RECORDING)]) if isinstance(item, Call)]


def test_a_table_of_more_columns_is_refused() -> None:
    wide = Table("wide", "", (*CALLS.columns, *(Column(f"more_{number}", "int64", "") for number in range(64))))
    with pytest.raises(ValueError, match="wide: expected 63 columns at most"):
        Block(wide)


def test_columns_are_those_of_the_declared_table() -> None:
    [block] = blocks_of(calls_of_the_recording())
    declared = {column.name: column.type for column in CALLS.columns}
    assert {field.name: field.type for field in block.fields} == declared
    assert list(rows_of(block)[0]) == [*declared]


def test_a_block_is_bounded() -> None:
    call = calls_of_the_recording()[0]
    blocks = list(blocks_of([call] * (ROWS + 1)))
    assert [len(block) for block in blocks] == [ROWS, 1]
    assert len(rows_of(blocks[1])) == 1
