"""The public API: what it gives on a recording that its broker's log describes, and that its types are known."""

import gzip
import inspect
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dpkt
import pytest

import kafkasniff
from tests import api_example
from tests.conftest import CAPTURES, ROOT

CAPTURE = CAPTURES / "java-4.3.1-basic.pcap"
TLS = CAPTURES / "tls13-aes128-gcm.pcap"
OF_THE_ENGINE = {
    "connection", "context", "fetch_session", "header", "key", "pairing_problems", "response_start", "show_secrets",
    "tls",
}  # fmt: skip
"""What items have for the parts of the package alone."""
LOGGED = 108
"""Calls in the broker's log of that recording; `test_counts` looks."""


def test_counts() -> None:
    with gzip.open(CAPTURES / "java-4.3.1-basic.requestlog.jsonl.gz", "rt") as lines:
        assert sum(1 for _ in lines) == LOGGED
    assert api_example.counts(CAPTURE) == (LOGGED, LOGGED, 19)


def test_frames() -> None:
    for name in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(name)
    assert api_example.frames(CAPTURE) == (LOGGED, LOGGED, LOGGED)


def test_all_that_there_is() -> None:
    with gzip.open(CAPTURES / "tls13-aes128-gcm.requestlog.jsonl.gz", "rt") as lines:
        logged = sum(1 for _ in lines)
    assert api_example.everything_of_calls(TLS, TLS.with_suffix(".keys")) == logged
    (told,) = api_example.everything_of_findings(CAPTURES / "sasl-plain-java.pcap")
    assert told.startswith("cleartext-credentials ")
    assert len(api_example.everything_else(CAPTURES / "loss-reorder-client-side.pcap")) > 1
    if os.geteuid() == 0:
        # Of a busy machine the kernel drops packets, which is said.
        assert all("dropped by the kernel" in text for text in api_example.watched("lo"))


def test_the_example_uses_each_public_name_and_option() -> None:
    text = (ROOT / "tests" / "api_example.py").read_text()
    for name in kafkasniff.__all__:
        assert f"kafkasniff.{name}" in text, name
    for function in (kafkasniff.Reading, kafkasniff.diagnose, kafkasniff.live):
        for option in inspect.signature(function).parameters.values():
            if option.kind == option.KEYWORD_ONLY and not option.name.endswith("_limits"):
                assert f"{option.name}=" in text, option.name
    for of in (kafkasniff.Call, kafkasniff.Summary, kafkasniff.Finding, kafkasniff.Gap, kafkasniff.ConnectionReport):
        for name in of.__slots__:
            assert name.startswith("_") or name in OF_THE_ENGINE or f".{name}" in text, (of, name)


def test_times() -> None:
    with CAPTURE.open("rb") as stream:
        times = [time for time, _ in dpkt.pcap.Reader(stream)]
    assert api_example.duration(CAPTURE) == timedelta(microseconds=int((times[-1] - times[0]) * 1_000_000))
    api, client, began = api_example.slowest(CAPTURE)
    assert (api, client) == ("JOIN_GROUP", "shop-c2")
    assert began.tzinfo is UTC
    assert datetime(2026, 11, 21, 0, 38, 7, tzinfo=UTC) < began < datetime(2026, 11, 21, 0, 38, 22, tzinfo=UTC)


def test_items_as_dicts() -> None:
    found = api_example.bodies(CAPTURE)
    assert found["requestHeader"]["requestApiKeyName"] == "METADATA"
    assert {each["type"] for each in api_example.others(CAPTURES / "sasl-handshake-v0.pcap")} == {"connection", "sasl"}


def test_diagnosing() -> None:
    assert api_example.diagnosed(CAPTURES / "sasl-plain-java.pcap") == ["cleartext-credentials"]
    assert api_example.diagnosed(TLS) == ["8 TLS connections"]
    (finding, *_) = kafkasniff.diagnose(CAPTURES / "sasl-plain-java.pcap", rules=["cleartext-credentials"])
    assert finding.severity == "warning"
    for wrong in ({"rules": ["none"]}, {"thresholds": {"commit-storm.none": 1.0}}):
        with pytest.raises(ValueError, match="none"):
            kafkasniff.diagnose(CAPTURE, **wrong)  # type: ignore[arg-type]


def test_the_name_of_the_package_of_rules_stays_callable() -> None:
    from kafkasniff.diagnose import catalogue

    assert catalogue.RULES_BY_ID["commit-storm"].severity == "warning"
    assert kafkasniff.diagnose(TLS).summary.packets == 543


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to capture")
def test_listening() -> None:
    assert api_example.listened("lo") == 0


def test_what_is_no_capture() -> None:
    assert "expected a pcap or pcapng magic number" in api_example.refused(Path(__file__))
    assert "there is no such folder or jar" in api_example.undefined(Path("nowhere"))
    with pytest.raises(kafkasniff.CaptureError, match="expected the path of a capture, found none"):
        kafkasniff.read([])


def test_iterations_are_apart() -> None:
    reading = kafkasniff.read(CAPTURE)
    first, second = iter(reading), iter(reading)
    pairs = [(repr(one), repr(other)) for one, other in zip(first, second, strict=True)]
    assert len(pairs) == LOGGED
    assert all(one == other for one, other in pairs)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with CAPTURE.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        reading = kafkasniff.read("-")
        assert len(list(reading)) == LOGGED
        with pytest.raises(kafkasniff.CaptureError, match="standard input can be read once only"):
            list(reading)


def test_reprs_are_short(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 50)
    folder.mkdir()
    shutil.copy(CAPTURES / "loss-reorder-client-side.pcap", folder)
    reading = kafkasniff.read(folder / "loss-reorder-client-side.pcap", connections=True)
    assert all(len(repr(item)) < 400 for item in reading)
    call = next(kafkasniff.read(CAPTURES / "vlan.pcap").calls())
    assert repr(call) == (
        "Call(ApiVersions v0 10.77.0.2:49672 to 10.77.0.1:20000 'tagc-admin', answered in 237.253 ms)"
    )
    assert "Reading(['" in repr(reading)


@pytest.mark.parametrize(
    "checker",
    [
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "tests/api_example.py"],
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "tests/api_example.py"],
    ],
    ids=["mypy", "pyright"],
)
def test_types(checker: list[str]) -> None:
    if subprocess.run([*checker[:3], "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"{checker[2]} is not installed")
    done = subprocess.run(checker, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_public_name_is_used_in_the_example() -> None:
    text = (ROOT / "tests" / "api_example.py").read_text()
    assert [name for name in kafkasniff.__all__ if f"kafkasniff.{name}" not in text] == []
