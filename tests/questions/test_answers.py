"""Each number of stats, who and audit beside what the JSON lines of the same captures give in plain Python."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kafkasniff.cli.app import run
from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.questions.database import Database
from kafkasniff.questions.named import text_of
from kafkasniff.tables.declared import TABLES
from tests.conftest import CAPTURES, SHARED, needs_shared
from tests.questions import recomputed

pytestmark = needs_shared

CAPTURED = sorted(CAPTURES.glob("*.pcap*"))
HEALTHY = sorted((SHARED / "captures" / "healthy").glob("*.pcap*"))
FILES = [*CAPTURED, *(path for path in HEALTHY if path.name not in {each.name for each in CAPTURED})]


class Asked:
    """The command, run in this process."""

    def __init__(self, capture: Any) -> None:
        self._capture = capture

    def __call__(self, *arguments: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text(*arguments).splitlines()]

    def text(self, *arguments: str) -> str:
        """Give what it prints."""
        self._capture.readouterr()
        keys = [Path(each).with_suffix(".keys") for each in arguments if Path(each).suffix.startswith(".pcap")]
        run([*arguments, *(text for path in keys if path.exists() for text in ("--keylog", str(path)))])
        printed: bytes = self._capture.readouterr().out
        return printed.decode()


@pytest.fixture
def ask(capsysbinary: pytest.CaptureFixture[bytes]) -> Asked:
    return Asked(capsysbinary)


def calls_of(ask: Asked, path: Path, *options: str) -> list[dict[str, Any]]:
    return [line for line in ask("read", str(path), "--json", *options) if line["type"] == "call"]


@pytest.fixture(params=FILES, ids=lambda path: path.name, scope="module")
def path(request: pytest.FixtureRequest) -> Path:
    """A recording: all tests of one follow each other, so that its lines are read once."""
    found: Path = request.param
    return found


_LINES: dict[Path, list[dict[str, Any]]] = {}
"""Of the recording that is looked at."""


@pytest.fixture
def lines(ask: Asked, path: Path) -> list[dict[str, Any]]:
    """Its calls, as lines of JSON."""
    if path not in _LINES:
        _LINES.clear()
        _LINES[path] = calls_of(ask, path)
    return _LINES[path]


def test_stats(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    for keys in (["api_name"], ["topic"], ["group", "server"], ["error", "client_id"], ["client_host", "api_version"]):
        rows = ask("stats", str(path), "--by", ",".join(keys), "--json")
        found = {tuple(row.pop(key) for key in keys): row for row in rows}
        expected = recomputed.stats(lines, keys)
        assert len(found) == len(rows)
        assert found.keys() == expected.keys()
        for key, row in expected.items():
            assert found[key] == {name: pytest.approx(value) for name, value in row.items()}, key


def test_the_headline_counts_all_calls(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    told = ask.text("stats", str(path)).partition("\n")[0]
    clients = {(line["client"].rpartition(":")[0], line["requestHeader"].get("clientId")) for line in lines}
    topics = {name for line in lines for name in recomputed.named(line)["topic"]}
    counts = {
        "call": len(lines),
        "client": len(clients),
        "broker": len({line["server"] for line in lines}),
        "topic": len(topics),
        " with errors": sum(bool(line.get("errors")) for line in lines),
        " unanswered": sum(line["outcome"] == "unanswered" for line in lines),
        " throttled": sum((recomputed.setting(line, "throttleTimeMs") or 0) > 0 for line in lines),
    }
    for name, count in counts.items():
        words = f"{count:,}{name}" if name[0] == " " else f"{count:,} {name}{'s' * (count != 1)}"
        assert (words in told.replace(" in ", ", ").split(", ")) == (count > 0 or name[0] != " "), (told, words)


def test_more_of_stats(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    with_records = calls_of(ask, path, "--records")
    for key in ("client_id", "topic"):
        rows = {row.pop(key): row for row in ask("stats", str(path), "--by", key, "--more", "--json")}
        expected = recomputed.more(lines, key)
        assert rows.keys() == expected.keys()
        for value, (batches, records, size, empty, deepest) in expected.items():
            row = rows[value]
            assert [row["batches"], row["records"], row["empty_fetches"]] == [batches, records, empty], value
            assert row["max_in_flight"] == deepest, value
            assert (row["mean_batch_bytes"] or 0) * batches == pytest.approx(size)
        for value, ratio in recomputed.compression(with_records, key).items():
            assert rows[value]["compression_ratio"] == (ratio and pytest.approx(ratio)), value


def test_who(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    rows = ask("who", str(path), "--json")
    found = {tuple(row.values())[:8]: [row["calls"], row["bytes"], row["records"]] for row in rows}
    assert len(found) == len(rows)
    assert found == recomputed.who(lines)
    settings = recomputed.settings_of_users(lines)
    for place, (acks, codecs, levels) in settings.items():
        of_place = [row for row in rows if tuple(row.values())[:4] == place]
        assert sorted({each for row in of_place for each in row["acks"]}) == acks
        assert sorted({each for row in of_place for each in row["codecs"]}) == codecs
        assert sorted({each for row in of_place for each in row["isolation_levels"]}) == levels
    told = recomputed.lags(lines)
    times = [recomputed.nanoseconds(line["time"]) for line in lines]
    for row in rows:
        assert row["bytes_per_s"] == pytest.approx(row["bytes"] * 1e9 / (max(times) - min(times)))
        lag = told.get((row["topic"], row["client_host"], row["client_id"]))
        assert row["lag"] == (lag if row["role"] == "consumes" else None), row


def test_who_tells_apart_users_of_one_connection() -> None:
    connection = "'v', 'c', 0, 'request'"
    with Database() as database:
        for name in ("calls", "batches", "partitions"):
            database.make(TABLES[name], [column.name for column in TABLES[name].columns])
        for offset, principal, size in ((0, "alice", 5), (100, "alice", 7), (200, "bob", 11)):
            database.run(
                "INSERT INTO calls (vantage, connection, epoch, direction, stream_offset, time_ns, client_host, "
                f"api_name, topics, groups, principal) VALUES ({connection}, {offset}, {offset}, 'h', 'PRODUCE', "
                f"['t'], [], '{principal}')"
            )
            database.run(
                "INSERT INTO batches (vantage, connection, epoch, direction, stream_offset, api_name, topic, "
                f"compression, size_in_bytes, record_count) VALUES ({connection}, {offset}, 'PRODUCE', 't', 'none', "
                f"{size}, 1)"
            )
        answer = database.ask(text_of("who"))
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    assert {row["principal"]: (row["calls"], row["bytes"], row["records"]) for row in rows} == {
        "alice": (2, 12, 2),
        "bob": (1, 11, 1),
    }


def test_subscriptions_that_nobody_uses(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    rows = ask("who", str(path), "--unused", "--json")
    found = {(row["group"], row["topic"]): {*row["client_ids"]} for row in rows}
    assert len(found) == len(rows)
    assert found == recomputed.unused(lines)


def test_a_matrix_has_a_row_for_each_client(ask: Asked) -> None:
    path = str(CAPTURES / "franz-go.pcap")
    rows = ask("who", path, "--json")
    found = {row["client_id"]: row for row in ask("who", path, "--matrix", "--json")}
    assert found.keys() == {row["client_id"] for row in rows}
    for row in rows:
        assert f"{row['role']} {row['calls']}" in found[row["client_id"]][row["topic"]].split(", ")


def test_what_batches_cost_and_who_speaks_in_clear(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    names = ("batches", "bytes", "records", "uncompressed_bytes", "tiny_batches")
    rows = ask("audit", str(path), "--about", "cost", "--json")
    assert {tuple(row.values())[:4]: [row[name] for name in names] for row in rows} == recomputed.cost(lines)
    found: dict[tuple[Any, ...], list[int]] = {}
    security = ask("audit", str(path), "--about", "security", "--json")
    for row in security:
        place = row["client_host"], row["client_id"], row["principal"], row["security_protocol"]
        calls, size = found.get(place, [0, 0])
        found[place] = [calls + row["calls"], size + row["bytes"]]
        assert row["cleartext"] == (not row["security_protocol"].endswith("SSL"))
    assert found == recomputed.cleartext(lines)
    told = {(row["client_host"], row["client_id"], row["mechanism"]) for row in security if row["mechanism"]}
    assert told >= recomputed.mechanisms(lines)
    assert {each[2] for each in told} == {each[2] for each in recomputed.mechanisms(lines)}


@pytest.mark.parametrize("name", ["kraft3-fetch-from-follower", "java-4.3.1-basic"])
def test_fetches_across_racks(ask: Asked, name: str) -> None:
    path = SHARED / "captures" / "healthy" / f"{name}.pcap"
    rows = ask("audit", str(path), "--about", "racks", "--json")
    found = {tuple(row.values())[:5]: [row["fetches"], row["bytes"]] for row in rows}
    assert found == recomputed.racks(calls_of(ask, path))
    assert all(row["crosses"] == (row["broker_rack"] != row["rack_id"]) for row in rows if row["broker_rack"])


def test_certificates_that_end_soon(ask: Asked) -> None:
    path = str(SHARED / "captures" / "incidents" / "tls-expired-cert.pcap")
    (row,) = ask("audit", path, "--about", "tls", "--json")
    assert (row["expiring"], row["outdated"], row["connections"]) == (True, False, 28)
    if shutil.which("tshark") is not None:
        command = ["tshark", "-r", path, "-T", "fields", "-e", "x509af.utcTime"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
        [ends] = {line.rpartition(",")[2] for line in told if line}
        assert row["tls_server_expires"].replace("T", " ").removesuffix("Z") in ends
    assert run(["audit", path, "--about", "tls", "--fail-on-refused"]) == ExitStatus.FINDINGS


def test_libraries_that_are_known_to_fit(ask: Asked) -> None:
    path = str(CAPTURES / "java-4.3.1-basic.pcap")
    assert {row["fits_from"] for row in ask("audit", path, "--json") if row["software_name"]} == {"2.1.0"}
    assert {row["fits_from"] for row in ask("audit", path, "--target", "3.9", "--json")} == {None}


def test_intervals_add_up(ask: Asked) -> None:
    path = str(CAPTURES / "java-4.3.1-basic.pcap")
    rows = ask("stats", path, "--by", "server", "--every", "2s", "--json")
    times = [row["interval_start"] for row in rows]
    assert times == sorted(times)
    assert all(int(time[17:19]) % 2 == 0 for time in times)
    lines = calls_of(ask, Path(path))
    for row in rows:
        counted = sum(
            line["time"][:17] == row["interval_start"][:17]
            and int(line["time"][17:19]) // 2 == int(row["interval_start"][17:19]) // 2
            for line in lines
        )
        assert row["calls"] == counted


def test_audit_names_what_the_release_refuses(ask: Asked, path: Path, lines: list[dict[str, Any]]) -> None:
    for target, release in (("4.0", "4.0.1"), ("3.9.1", "3.9.1"), ("4.4", "4.4.0")):
        rows = ask("audit", str(path), "--target", target, "--json")
        found = {tuple(row[name] for name in _AUDITED): (row["refused"], row["steps_down"]) for row in rows}
        assert found == recomputed.audited(lines, release)
        assert sum(row["calls"] for row in rows) == sum("requestApiKey" in line["requestHeader"] for line in lines)


_AUDITED = ("client_host", "client_id", "api_name", "api_version")
