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


def everything_of_calls(path: Path, key_log: Path) -> int:
    """Calls of a capture of TLS that names all its clients, read with all options and asked for all that they have."""
    reading = kafkasniff.Reading(
        [path],
        show_secrets=True,
        connections=True,
        keep_packets=True,
        keep_secrets=False,
        records=True,
        limit_value=8,
        records_limit=1 << 20,
        two_pass=True,
        fetch_sessions=True,
        metrics=True,
        key_log=key_log,
        max_ratio=100,
        where="latency >= 0ns",
    )
    calls = 0
    for call in reading.calls():
        side: kafkasniff.Frame | None = call.response or call.request
        assert side is not None
        sizes = [arrival.packet for arrival in (side.first, *side.packets, side.last)]
        assert call.ended.time >= call.time.time
        assert sizes
        assert call.outcome in ("answered", "no-response-expected")
        assert (call.response_delay_ns or 0) <= (call.total_ns or 0)
        assert call.pending_ns is None
        asked = (call.api_version, call.response_api_version, call.correlation_id, call.number)
        assert None not in asked
        assert f"{call.client}-{call.server}"
        assert call.security_protocol == "SSL"
        assert not call.problems
        assert len(call.batches) == len(call.batch_headers)
        assert all(call.topics.values())
        assert all(each["path"] for each in call.decoded)
        if call.request_body is not None:
            assert call.request_body.partial is None
        assert call.principal is None or call.principal.startswith("User:")
        assert (call.software_name is None) == (call.software_version is None)
        calls += 1
    reading.close()
    done, size = reading.bytes_read()
    assert done == size
    assert not reading.finish()
    summary = reading.summary
    assert summary.first_time is not None
    assert summary.last_time is not None
    assert summary.last_time >= summary.first_time
    assert not [*summary.damages, *summary.notes, *summary.not_decrypted]
    assert summary.cut_packets == summary.dropped_packets == summary.largest_lag_ns == 0
    assert summary.packets > (summary.matched or 0) > 0
    assert not summary.values_seen
    return calls


def everything_of_findings(path: Path) -> list[str]:
    """Whom findings are about, how bad they are and what they explain."""
    findings = kafkasniff.diagnose(
        [path], rules=["cleartext-credentials"], key_log=None, two_pass=True, where="not error"
    )
    told = []
    for finding in findings:
        assert finding.last_time >= finding.first_time
        assert finding.count >= len(finding.evidence) > 0
        assert finding.evidence[0].call
        assert finding.evidence[0].what
        assert finding.severity == finding.worst
        assert not finding.consequences
        told += [f"{finding.rule} {', '.join(finding.subject)}: {finding.summary} {finding.cause} {finding.fix}"]
    assert findings.summary.counts.calls
    assert not findings.limits
    return told


def everything_else(path: Path) -> list[str]:
    """What lies between calls, with the places of packets, and connections."""
    told = []
    for item in kafkasniff.read(path, connections=True):
        if isinstance(item, kafkasniff.Gap):
            arrival = item.arrival
            told.append(f"{item.direction} {item.length} {item.acknowledged} {arrival.interface.file}")
        elif isinstance(item, kafkasniff.ConnectionReport):
            told.append(
                f"{item.protocol} {item.evidence} {item.calls} {item.client} {item.server} {item.last.datetime}"
            )
        elif isinstance(item, kafkasniff.RawToken):
            told.append(f"{item.client} {item.server} {item.arrival.time}")
    return told


def watched(interface: str) -> list[str]:
    """What went wrong while listening, with all options."""
    listening = kafkasniff.live(
        [interface],
        bpf="tcp port 9",
        seconds=0.1,
        connections=True,
        records=True,
        limit_value=8,
        show_secrets=False,
        key_log=None,
        where="error",
    )
    listening.stop()
    assert not list(listening)
    listening.close()
    return listening.messages
