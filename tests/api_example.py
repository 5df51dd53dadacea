"""Uses all of the public API on a capture; mypy and pyright read it, and test_api.py runs it."""

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import kafkasniff

CAPTURES = Path(__file__).resolve().parent.parent / "captures"
CAPTURE = CAPTURES / "java-4.3.1-basic.pcap"


def slowest(path: Path) -> tuple[str | None, str | None, datetime]:
    """The call that took longest: its API, its client and when it began."""
    with kafkasniff.read(path) as reading:
        call: kafkasniff.Call = max(reading.calls(), key=lambda call: call.total_ns or 0)
    return call.api_name, call.client_id, call.time.datetime


def counts(path: Path) -> tuple[int, int, int]:
    """Calls, and then again from a second iteration, and connections."""
    reading: kafkasniff.Reading = kafkasniff.read([str(path)], connections=True)
    items: list[kafkasniff.Item] = list(reading)
    calls = sum(isinstance(item, kafkasniff.Call) for item in items)
    reports = [item for item in reading if isinstance(item, kafkasniff.ConnectionReport)]
    assert sum(report.calls for report in reports) == calls
    summary: kafkasniff.Summary = reading.summary
    return calls, summary.counts.calls, len(reports)


def matching(path: Path) -> int:
    """Calls that an expression chooses."""
    wanted = kafkasniff.Filter("api == fetch and latency > 100ms")
    with suppress(kafkasniff.FilterError):
        kafkasniff.read(path, where="nonsense")
    return sum(1 for _ in kafkasniff.read(path, where=wanted).calls())


def duration(path: Path) -> timedelta:
    """How long a capture is."""
    reading = kafkasniff.read(path)
    for _ in reading.batches():
        pass
    first, last = reading.summary.first_datetime, reading.summary.last_datetime
    assert first is not None
    assert last is not None
    return last - first


def bodies(path: Path) -> dict[str, Any]:
    """A Metadata call as the JSON lines have it, and by its parts."""
    call = next(call for call in kafkasniff.read(path, records=True, limit_value=16).calls() if call.api_key == 3)
    request: kafkasniff.Frame | None = call.request
    assert request is not None
    arrival: kafkasniff.Arrival = request.first
    errors: list[kafkasniff.FieldError] = call.errors
    found = call.to_dict()
    assert found["requestPacket"] == arrival.packet
    assert found["requestSizeBytes"] == request.size
    assert [error["code"] for error in found.get("errors", [])] == [error.code for error in errors]
    assert call.response_body is not None
    assert call.response_body.value == found["response"]
    return found


def others(path: Path) -> list[dict[str, Any]]:
    """Everything that is no call, as dicts."""
    items = kafkasniff.read(path, connections=True, show_secrets=False)
    return [
        kafkasniff.to_dict(item)
        for item in items
        if isinstance(item, (kafkasniff.Gap, kafkasniff.RawToken, kafkasniff.ConnectionReport))
    ]


def diagnosed(path: Path) -> list[str]:
    """Rules that found something, and what could not be judged."""
    findings: kafkasniff.Findings = kafkasniff.diagnose(
        path, ignore=["acks-one"], thresholds={"commit-storm.per_second": 5}
    )
    for finding in findings:
        shown: kafkasniff.Evidence = finding.evidence[0]
        assert kafkasniff.to_dict(finding)["evidence"][0]["packet"] == shown.arrival.packet
    return sorted({finding.rule for finding in findings}) + findings.not_judged


def frames(path: Path) -> tuple[int, int, int]:
    """Rows of the calls as columns."""
    reading = kafkasniff.read(path)
    table, frame, polars = reading.to_arrow(), reading.to_pandas(), reading.to_polars()
    assert sum(len(block) for block in reading.blocks()) == table.num_rows
    return table.num_rows, len(frame), len(polars)


def listened(interface: str) -> int:
    """Calls on an interface within a moment."""
    with kafkasniff.live(interface, bpf="tcp port 9", seconds=0.2) as listening:
        calls = sum(isinstance(item, kafkasniff.Call) for item in listening)
    assert listening.summary.counts.calls == calls
    return calls


def refused(path: Path) -> str:
    """Why a file is no capture."""
    try:
        kafkasniff.read(path)
    except kafkasniff.CaptureError as error:
        return str(error)
    return ""


def undefined(folder: Path) -> str:
    """Why a folder holds no definitions."""
    try:
        kafkasniff.load_definitions([folder])
    except kafkasniff.DefinitionError as error:
        return str(error)
    return ""
