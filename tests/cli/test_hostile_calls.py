"""Captures of hostile calls through the command itself: each ends well, and shows the calls beside."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.hostile_calls import capture, field, gauge, heartbeat, kerberos_error, login, produce, push_telemetry

FORMS = [["read"], ["read", "-v"], ["read", "-vv"], ["read", "--json"], ["read", "--json", "--records"], ["diagnose"]]


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_integers_of_a_kerberos_token(run: Run, tmp_path: Path, form: list[str]) -> None:
    calls = [*login(1, kerberos_error(b"\x7f" * 9)), *login(3, kerberos_error(b"\x7f" * 4000)), heartbeat(5)]
    done = run(*form, str(capture(tmp_path / "tokens.pcap", calls)))
    assert done.returncode == 0
    assert "not shown whole" not in done.stderr
    if "--json" in form:
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["requestHeader"]["correlationId"] for line in lines] == [1, 2, 3, 4, 5]
        codes = [lines[place]["decoded"][0]["value"]["errorCode"] for place in (1, 3)]
        assert codes == ["0x" + "7f" * 9, "0x" + "7f" * 32 + "… (4000 bytes)"]
    elif form == ["read", "-v"]:
        assert "errorCode: 0x7f7f7f7f7f7f7f7f7f " in done.stdout.replace("\n", " ")


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    points, text = gauge(field(1, b"") * 180_000), gauge(field(1, field(7, field(1, b"x" * 15_000_000))))
    calls = [push_telemetry(number, points if number % 2 else text) for number in range(50)]
    calls += [produce(number, 150_000) for number in range(50, 70)] + [heartbeat(70)]
    return capture(tmp_path_factory.mktemp("bombs") / "bombs.pcap", calls)


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_metrics_and_records_of_a_few_bytes(run: Run, bombs: Path, form: list[str]) -> None:
    done = run(*form, str(bombs))
    assert done.returncode == 0
    assert len(done.stdout) < 30_000_000
    if form[0] == "diagnose":
        return
    assert "Heartbeat" in done.stdout or "HEARTBEAT" in done.stdout
    # Metrics are not opened where they are not shown.
    assert ("metrics" in done.stdout) == (form != ["read"])
    if form[-1] == "--records":
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        shown = [len(line["batches"][0]["records"]) for line in lines[50:70]]
        assert shown == [150_000] + [0] * 19
        assert all("half of the bound `decompressed`" in line["problems"][0]["message"] for line in lines[51:70])
