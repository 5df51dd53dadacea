"""Record batches of every magic and codec, against Kafka's own bytes and what its iterators make of them."""

import re
from collections.abc import Callable
from typing import Any

from kafkasniff.protocol.records.batches import Batch, as_json, read_batches
from kafkasniff.protocol.records.records import read_records
from tests.conformance.vector_rows import Row, as_base64, rows
from tests.conftest import ROOT

PADDING = b"\x07" * 5
"""Stands before and behind the bytes of the field, as the rest of a message does."""


def test_batches_and_records_are_those_of_kafka(add_figure: Callable[..., None]) -> None:
    different = []
    counted = {"batches": 0, "records": 0}
    for row in rows("records"):
        found, problems = read_row(row)
        counted["batches"] += len(found)
        counted["records"] += sum(len(batch["records"]) for batch in found)
        if found != row["batches"] or problems != expected_problems(row):
            different.append(row["case"])
    add_figure("Record batches", "records", rows=len(rows("records")), **counted, different=len(different))
    assert different == []


def test_bytes_behind_the_last_whole_batch_are_said_and_no_problem_in_a_response() -> None:
    for row in rows("records"):
        data = bytes.fromhex(row["hex"])
        batches, problems = read_batches(data, 0, len(data), side="response")
        assert (batches[-1].end if batches else 0) == row["validBytes"], row["case"]
        if batches:
            assert batches[-1].partial_trailing_bytes == row["sizeInBytes"] - row["validBytes"], row["case"]
            assert not any(batch.partial_trailing_bytes for batch in batches[:-1])
        assert len(problems) == sum(not batch["crcValid"] for batch in row["batches"]), row["case"]


def test_bytes_behind_the_last_whole_batch_are_a_problem_in_a_request() -> None:
    for row in rows("records"):
        data = bytes.fromhex(row["hex"])
        batches, problems = read_batches(data, 0, len(data), side="request")
        assert len(batches) == len(row["batches"])
        broken = [offset for offset, _, message in problems if "CRC" not in message]
        assert broken == ([row["validBytes"]] if row["partialTrailing"] else []), row["case"]


def read_row(row: Row) -> tuple[list[dict[str, Any]], list[str]]:
    """Give a row's batches in the form of the row, and the paths of all problems."""
    data = PADDING + bytes.fromhex(row["hex"]) + PADDING
    batches, problems = read_batches(data, len(PADDING), len(data) - len(PADDING), side="response")
    paths = [path for _, path, _ in problems]
    found = []
    for batch in batches:
        records, record_problems = read_records(data, batch)
        paths += [path for _, path, _ in record_problems]
        item = as_json(batch)
        item.pop("partialTrailingBytes", None)
        item["lastSequence"] = batch.sequence(batch.last_offset)
        item["records"] = [in_form_of_row(batch, record) for record in records]
        found.append(item)
    return found, paths


def expected_problems(row: Row) -> list[str]:
    return [f"[{index}]" for index, batch in enumerate(row["batches"]) if not batch["crcValid"]]


def in_form_of_row(batch: Batch, record: dict[str, Any]) -> dict[str, Any]:
    item = {
        "offset": record["offset"],
        "timestamp": record["timestamp"],
        "key_b64": as_base64(record, "key"),
        "value_b64": as_base64(record, "value"),
        "headers": [[header["key"], as_base64(header, "value")] for header in record["headers"]],
    }
    if batch.magic == 2:
        item["sequence"] = batch.sequence(record["offset"])
    if "control" in record:
        item["control"] = record["control"]
    return item


def test_the_documentation_names_the_values_of_every_field() -> None:
    """All values that Kafka's iterators gave, of each magic: nulls and words stand in docs/json.md."""
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    table = text[text.index("\n### batches\n") : text.index("\n### records\n")]
    documented = {
        name: (kind, meaning)
        for names, kind, meaning in re.findall(r"^\| (`.*?) \| (.*?) \| (.*) \|$", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    for row in rows("records"):
        for batch in read_batches(bytes.fromhex(row["hex"]), 0, len(row["hex"]) // 2, side="response")[0]:
            for name, value in as_json(batch).items():
                kind, meaning = documented[name]
                types = {type(None): "null", bool: "boolean", int: "number", str: "string"}
                assert types[type(value)] in kind, name
                if isinstance(value, str):
                    assert f"`{value}`" in meaning, name
