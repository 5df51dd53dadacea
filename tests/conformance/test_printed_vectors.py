"""A capture composed of the vectors prints, with `--records`, what Kafka's own classes read in them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conformance.composed_captures import fetch, write
from tests.conformance.recordings import printed_lines
from tests.conformance.vector_rows import Row, as_base64, json_text, name_of, rows
from tests.protocol.records.made_batches import batch, record


def test_batches_and_records_are_printed_as_kafka_reads_them(tmp_path: Path, add_figure: Callable[..., None]) -> None:
    path = tmp_path / "records.pcap"
    write(path, (fetch(number, "orders", bytes.fromhex(row["hex"])) for number, row in enumerate(rows("records"))))
    lines = printed_lines([path], "--records")
    assert len(lines) == len(rows("records"))
    different = []
    for row, line in zip(rows("records"), lines, strict=True):
        assert line["outcome"] == "answered"
        if [as_in_row(item) for item in line.get("batches", ())] != [
            without_sequences(item) for item in row["batches"]
        ]:
            different.append(row["case"])
    add_figure("Printed vectors", "records", rows=len(lines), different=len(different))
    assert different == []


def as_in_row(printed: dict[str, Any]) -> dict[str, Any]:
    assert (printed.pop("where"), printed.pop("path")) == ("response", "responses[0].partitions[0].records")
    printed.pop("partialTrailingBytes", None)
    return {**printed, "records": [record_as_in_row(item) for item in printed["records"]]}


def record_as_in_row(item: dict[str, Any]) -> dict[str, Any]:
    found = {
        "offset": item["offset"],
        "timestamp": item["timestamp"],
        "key_b64": as_base64(item, "key"),
        "value_b64": as_base64(item, "value"),
        "headers": [[header["key"], as_base64(header, "value")] for header in item["headers"]],
    }
    return found | ({"control": item["control"]} if "control" in item else {})


def without_sequences(item: dict[str, Any]) -> dict[str, Any]:
    """Give a batch of a row less what the lines do not repeat: each record's sequence, and the last."""
    records = [{name: value for name, value in record.items() if name != "sequence"} for record in item["records"]]
    return {name: value for name, value in item.items() if name != "lastSequence"} | {"records": records}


def test_records_of_internal_topics_are_printed_as_kafka_reads_them(
    tmp_path: Path, add_figure: Callable[..., None]
) -> None:
    # A value alone does not say what it is: it takes the key of its kind.
    keys = {row["type"].removesuffix("Key"): bytes.fromhex(row["hex"]) for row in rows("other") if row["role"] == "key"}
    internal = [row for row in rows("other") if "topic" in row]

    def carried(row: Row) -> bytes:
        data = bytes.fromhex(row["hex"])
        key, value = {
            "key": (data, None),
            "value": (keys.get(row["type"].removesuffix("Value")), data),
            "metadata": (None, data),
        }[row["role"]]
        return batch(record(0, key, value), 1)

    path = tmp_path / "internal.pcap"
    write(path, (fetch(number, row["topic"], carried(row)) for number, row in enumerate(internal)))
    lines = printed_lines([path], "--records")
    different = []
    for row, line in zip(internal, lines, strict=True):
        place = f"responses[0].partitions[0].records[0].records[0].{'key' if row['role'] == 'key' else 'value'}"
        [entry] = [entry for entry in line["decoded"] if entry["path"] == place]
        found = entry["type"], entry["version"], json_text(entry["value"])
        if found != (row["type"], row["version"], json_text(row["json"])):
            different.append(name_of(row))
    add_figure("Printed vectors", "records of internal topics", rows=len(lines), different=len(different))
    assert different == []
