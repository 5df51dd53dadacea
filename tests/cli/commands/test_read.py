import json
import os
import re
import select
import signal
import subprocess
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Run
from tests.conftest import CAPTURES, open_terminal

NAME = "java-4.3.1-basic"
PCAP = f"{NAME}.pcap"
FACTS = json.loads((CAPTURES / f"{NAME}.json").read_text())


def calls(output: str) -> list[dict[str, Any]]:
    return [item for line in output.splitlines() if (item := json.loads(line))["type"] == "call"]


def logged_calls(name: str) -> Counter[tuple[str, int]]:
    """What the brokers themselves counted, by API and version."""
    counts = json.loads((CAPTURES / f"{name}.json").read_text())["brokerLoggedCalls"]
    split = {key.rpartition(" v"): number for key, number in counts.items()}
    return Counter({(api, int(version)): number for (api, _, version), number in split.items()})


def ended(call: dict[str, Any]) -> str:
    """When a call ended, where it was answered; the last moment of all else."""
    if call["totalTimeMs"] is None:
        return "9999-T00:38:1"
    end = datetime.fromisoformat(call["time"]) + timedelta(milliseconds=call["totalTimeMs"])
    return end.isoformat(timespec="microseconds")


@pytest.mark.parametrize("mode", ["absolute", "relative"])
@pytest.mark.parametrize("time_of", ["response", "request"])
@pytest.mark.parametrize("number", [1, 37, 61, 108])
def test_a_time_copied_from_the_list_selects_its_line(run: Run, mode: str, time_of: str, number: int) -> None:
    options = ("--time", mode, "--time-of", time_of)
    line = run("read", PCAP, *options).stdout.splitlines()[number - 1]
    time = line.split()[1]
    assert line in run("read", PCAP, *options, "--from", time, "--to", time).stdout.splitlines()
    # Also when fewer digits were copied.
    assert line in run("read", PCAP, *options, "--from", time[:-3], "--to", time[:-3]).stdout.splitlines()


def hold_what_the_broker_logged(output: str, name: str) -> None:
    """Every answer shown was logged, and every call logged is shown; some answers never left the broker."""
    shown: dict[bool, Counter[tuple[str, int]]] = {True: Counter(), False: Counter()}
    for call in calls(output):
        header = call["requestHeader"]
        shown[call["outcome"] in ("answered", "no-response-expected")][
            header["requestApiKeyName"], header["requestApiVersion"]
        ] += 1
    logged = logged_calls(name)
    assert shown[True] <= logged <= shown[True] + shown[False]
    assert logged.total() - shown[True].total() <= 1


def test_json_lines_hold_what_the_broker_logged(run: Run) -> None:
    done = run("read", PCAP, "--json")
    assert done.returncode == 0
    hold_what_the_broker_logged(done.stdout, NAME)


def test_lines_for_people_have_no_colour_in_a_pipe(run: Run) -> None:
    done = run("read", PCAP)
    lines = done.stdout.splitlines()
    assert len(lines) == sum(logged_calls(NAME).values())
    assert "\x1b" not in done.stdout
    assert [int(line.split()[0]) for line in lines] == [*range(1, len(lines) + 1)]
    assert all(re.match(r" +\d+ \d\d:\d\d:\d\d\.\d{6} +127\.0\.0\.1:\d+ → 127\.0\.0\.1:19110", line) for line in lines)
    assert re.fullmatch(r"482 packets, \d+ of \d+ connections Kafka, 108 calls, .* s from 2026-.*Z\n", done.stderr)


@pytest.mark.parametrize("name", ["vlan", "linux-sll2", "ipv6", "nanoseconds", "kafka-python", "franz-go"])
def test_other_captures_hold_what_the_broker_logged(run: Run, name: str) -> None:
    hold_what_the_broker_logged(run("read", f"{name}.pcap", "--json").stdout, name)


def test_several_files_are_one_capture(run: Run) -> None:
    files = [f"rotate-size/{path.name}" for path in sorted((CAPTURES / "rotate-size").iterdir())]
    done = run("read", "--json", *files[::-1])
    hold_what_the_broker_logged(done.stdout, "rotate-size")
    assert {call["requestFile"] for call in calls(done.stdout)} > {files[0], files[-1]}


def test_verbose_shows_bodies_and_very_verbose_bytes(run: Run) -> None:
    out = run("read", PCAP, "-v", "--api", "joingroup", "--limit", "1").stdout
    assert "    groupId: billing" in out
    assert "response v9" in out
    assert "000000  00 0b" not in out
    assert (
        "000000  00 0b                           requestApiKey = 11"
        in run("read", PCAP, "-vv", "--api", "joingroup", "--limit", "1").stdout
    )


def test_secrets_stay_hidden_unless_asked_for(run: Run) -> None:
    # "alice-secret" within base64, at each of the three alignments.
    forms = ("alice-secret", "YWxpY2Utc2VjcmV0", "FsaWNlLXNlY3JldA", "hbGljZS1zZWNyZX")
    for options in (["--json"], ["-v"], ["-vv"]):
        hidden = run("read", "sasl-plain-java.pcap", *options).stdout
        assert not any(form in hidden for form in forms)
        assert "61 6c 69 63 65" not in hidden
        assert "***" in hidden
    shown = run("read", "sasl-plain-java.pcap", "--json", "--show-secrets", "--api", "36").stdout
    assert any(form in shown for form in forms)


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        (["--api", "FETCH"], lambda call: call["requestHeader"]["requestApiKey"] == 1),
        (["--api", "fetch", "--api", "12"], lambda call: call["requestHeader"]["requestApiKey"] in (1, 12)),
        (["--client-id", "shop-c1"], lambda call: call["requestHeader"]["clientId"] == "shop-c1"),
        (["--group", "billing"], lambda call: "billing" in json.dumps([call["request"], call["response"]])),
        (["--errors"], lambda call: "errors" in call),
        (["--errors", "MEMBER_ID_REQUIRED"], lambda call: "MEMBER_ID_REQUIRED" in json.dumps(call.get("errors"))),
        (["--errors", "79"], lambda call: "MEMBER_ID_REQUIRED" in json.dumps(call.get("errors"))),
        (["--slower-than", "200ms"], lambda call: (call["totalTimeMs"] or 0) > 200),
        (["--slower-than", "0.2s", "--api", "fetch"], lambda call: (call["totalTimeMs"] or 0) > 200),
        (["--host", "127.0.0.1:19110", "--port", "19110", "--api", "3"], lambda call: call["server"][-5:] == "19110"),
        (["--from", "+5s"], lambda call: ended(call) >= "2026-11-21T00:38:12.643499"),
        (["--to", "2026-11-21T00:38:10"], lambda call: call["time"] <= "2026-11-21T00:38:10"),
        (["--from", "2026-11-21T00:38:10+00:00", "--to", "+4s"], lambda call: "T00:38:1" in ended(call)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_filters_show_what_they_say_and_only_that(run: Run, options: list[str], holds: Any) -> None:
    shown = calls(run("read", "--json", *options, PCAP).stdout)
    assert shown
    assert all(map(holds, shown))
    if "--to" in options or "--slower-than" in options or len(options) <= 2:
        everything = calls(run("read", "--json", PCAP).stdout)
        if options[0] != "--from" and options[2:] == []:
            assert len(shown) == sum(map(holds, everything))


def test_filters_by_connection_and_topic(run: Run) -> None:
    everything = calls(run("read", "--json", PCAP).stdout)
    one = everything[10]["connection"]
    shown = calls(run("read", "--json", PCAP, "--connection", one).stdout)
    assert [call["connection"] for call in shown] == [one] * sum(call["connection"] == one for call in everything)
    assert calls(run("read", "--json", PCAP, "--topic", "no-such-topic").stdout) == []
    named = calls(run("read", "--json", PCAP, "--topic", "orders", "--api", "metadata").stdout)
    assert named
    assert all('"orders"' in json.dumps([call["request"], call["response"]]) for call in named)
    assert run("read", PCAP, "--host", "10.9.9.9").stdout == ""


def test_filters_by_topic_where_calls_have_its_id_only(run: Run) -> None:
    produced = calls(run("read", "--json", PCAP, "--topic", "orders", "--api", "produce").stdout)
    assert len(produced) == FACTS["brokerLoggedCalls"]["PRODUCE v13"]
    assert all(list(call["topics"].values()) == ["orders"] for call in produced)


def test_records_are_shown_on_demand(run: Run) -> None:
    lines = calls(run("read", "--json", PCAP, "--api", "produce", "--records", "--limit-value", "5").stdout)
    records = [record for line in lines for batch in line["batches"] for record in batch["records"]]
    assert len(records) == FACTS["records"]["produced"]
    assert {record["value"] for record in records if "value" in record} <= {'{"ord', None}
    shown = run("read", PCAP, "--api", "produce", "--records").stdout
    assert shown.count("- offset: ") == FACTS["records"]["produced"]
    assert "batch topicData[0]" not in run("read", PCAP, "--api", "produce").stdout


def test_limit(run: Run) -> None:
    done = run("read", PCAP, "--limit", "3")
    assert done.stdout.count("\n") == 3
    assert "stopped at --limit" in done.stderr


def test_connections(run: Run) -> None:
    items = [json.loads(line) for line in run("read", PCAP, "--json", "--connections").stdout.splitlines()]
    reports = [item for item in items if item["type"] == "connection"]
    assert {report["protocol"] for report in reports} == {"kafka"}
    assert sum(report["calls"] for report in reports) == len(items) - len(reports)
    packets = sum(report[side]["packets"] for report in reports for side in ("fromClient", "fromServer"))
    assert 400 < packets <= 482
    assert "connection: kafka, " in run("read", PCAP, "--connections").stdout


@pytest.mark.parametrize("options", [["--group", "billing"], ["--api", "fetch"], []], ids=" ".join)
def test_written_packets_read_back_to_the_same_calls(run: Run, tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "out.pcapng"
    first = run("read", PCAP, "--json", *options, "--write", str(path))
    assert "packets written to" in first.stderr

    def comparable(output: str) -> list[str]:
        # Place and client software come from packets that the new file does not have.
        gone = (
            "number",
            "requestFile",
            "requestPacket",
            "responseFile",
            "responsePacket",
            "clientInformation",
            "principal",
        )
        gone += ("topics", "decoded")
        return sorted(
            json.dumps({key: value for key, value in call.items() if key not in gone}) for call in calls(output)
        )

    again = run("read", str(path), "--json")
    assert comparable(again.stdout) == comparable(first.stdout)
    assert f"kafkasniff: {path}: was written with the packets of chosen calls only; gaps and" in again.stderr


def test_write_does_not_overwrite(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.pcapng"
    path.write_bytes(b"precious")
    done = run("read", PCAP, "--write", str(path))
    assert done.returncode == 1
    assert "exists already" in done.stderr
    assert path.read_bytes() == b"precious"


def test_where_nothing_can_be_written_nothing_is_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.pcapng").write_bytes(b"precious")
    for name, reason in (("mine.pcapng", "exists already"), ("no/mine.pcapng", "there is no folder")):
        done = run("read", PCAP, "--write", str(tmp_path / name))
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"kafkasniff: {tmp_path / name}: ")
        assert reason in done.stderr


@pytest.mark.parametrize("command", ["read", "diagnose"])
def test_a_file_that_is_no_capture_keeps_no_other_from_being_read(run: Run, tmp_path: Path, command: str) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no capture")
    done = run(command, "missing.pcap", PCAP, str(text), str(tmp_path))
    assert done.returncode == 1
    assert done.stdout == run(command, PCAP).stdout
    *reasons, closing = done.stderr.splitlines()[:4]
    assert closing.startswith("482 packets")
    assert reasons[0] == "kafkasniff: missing.pcap: cannot be opened: No such file or directory"
    assert reasons[1].startswith(f"kafkasniff: {text}: byte 0: not a capture: ")
    assert reasons[2].startswith(f"kafkasniff: {tmp_path}: ")


def test_files_none_of_which_is_a_capture_are_all_named(run: Run) -> None:
    done = run("read", "missing.pcap", "gone.pcap")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("No such file or directory") == 2
    assert "missing.pcap" in done.stderr
    assert "gone.pcap" in done.stderr


@pytest.mark.parametrize("port", ["65536", "99999", "-1", "kafka"])
def test_a_port_that_is_none_is_refused(run: Run, port: str) -> None:
    done = run("read", PCAP, "--port", port)
    assert done.returncode == 2
    assert "--port" in done.stderr


def test_standard_input(run: Run) -> None:
    done = run("read", "-", "--json", stdin=(CAPTURES / PCAP).read_bytes())
    assert Counter(call["requestFile"] for call in calls(done.stdout)) == {"-": 108}


def test_standard_input_is_shown_as_it_comes_and_control_c_ends_in_order(environment: dict[str, str]) -> None:
    content = (CAPTURES / PCAP).read_bytes()
    with subprocess.Popen(
        [*COMMAND, "read", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(content[:30_000])
        process.stdin.flush()
        assert select.select([process.stdout], [], [], 60)[0]
        assert b"ApiVersions" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        error = process.stderr.read()
        assert b"Traceback" not in error
        assert b"packets, " in error


def test_control_c_shows_calls_that_wait_as_they_stand(environment: dict[str, str]) -> None:
    content = (CAPTURES / PCAP).read_bytes()
    end = 24
    for _ in range(8):  # the eighth packet is a Metadata request; its answer is the ninth
        end += 16 + int.from_bytes(content[end + 8 : end + 12], "little")
    with subprocess.Popen(
        [*COMMAND, "read", "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(content[:end])
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        waiting = json.loads(process.stdout.readline())
        assert process.wait(60) == 130
    assert (first["requestHeader"]["requestApiKeyName"], first["outcome"]) == ("API_VERSIONS", "answered")
    assert (waiting["requestHeader"]["requestApiKeyName"], waiting["outcome"]) == ("METADATA", "response-not-captured")


def test_a_closed_pipe_is_silent(environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [*COMMAND, "read", str(CAPTURES / "kraft3-admin-all.pcap"), "-vv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def test_a_terminal_gets_colours_and_lines_that_fit(environment: dict[str, str]) -> None:
    main, end = open_terminal()
    os.set_blocking(main, False)
    with subprocess.Popen(
        [*COMMAND, "read", str(CAPTURES / PCAP), "--errors"],
        stdout=end,
        stderr=subprocess.DEVNULL,
        env={**environment, "COLUMNS": "80"},
    ) as process:
        output = b""
        while process.poll() is None:
            time.sleep(0.05)
            if select.select([main], [], [], 0)[0]:
                output += os.read(main, 65536)
    while select.select([main], [], [], 0)[0]:
        output += os.read(main, 65536)
    os.close(end)
    os.close(main)
    text = output.decode().replace("\r", "")
    assert "\x1b[1;31m" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= 80


def unreadable(tmp_path: Path) -> dict[str, tuple[str, str]]:
    empty = tmp_path / "empty.pcap"
    empty.touch()
    text = tmp_path / "notes.txt"
    text.write_text("# notes\n")
    header = tmp_path / "header.pcap"
    header.write_bytes((CAPTURES / PCAP).read_bytes()[:10])
    return {
        "missing": (str(tmp_path / "none.pcap"), "No such file"),
        "directory": (str(tmp_path), "directory"),
        "empty": (str(empty), "empty"),
        "text": (str(text), "not a capture"),
        "header": (str(header), "cut"),
    }


@pytest.mark.parametrize("kind", ["missing", "directory", "empty", "text", "header"])
def test_unreadable_files_are_named_with_the_reason(run: Run, tmp_path: Path, kind: str) -> None:
    path, reason = unreadable(tmp_path)[kind]
    done = run("read", path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"kafkasniff: {path}: ")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_all_before_a_damaged_tail_is_shown(run: Run, tmp_path: Path) -> None:
    content = (CAPTURES / PCAP).read_bytes()
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(content[: len(content) // 2])
    done = run("read", str(cut), "--json")
    assert done.returncode == 1
    assert len(calls(done.stdout)) > 20
    assert re.search(r"cut\.pcap: byte \d+: packet \d+: ", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Missing argument 'FILE...'"),
        ([PCAP, "--api", "nonsense"], "no API has the name or key 'nonsense'"),
        ([PCAP, "--errors=nonsense"], "no error has the code or name 'nonsense'"),
        ([PCAP, "--slower-than", "soon"], "'soon' is no duration"),
        ([PCAP, "--from", "yesterday"], "'yesterday' is no time"),
        ([PCAP, "--to", "+x"], "'x' is no duration"),
        ([PCAP, "--time", "lunch"], "'lunch' is none of absolute, local, relative, delta"),
        ([PCAP, "--limit", "0"], "--limit"),
        ([PCAP, "--limit", "x"], "'x' is not a valid whole number."),
        ([PCAP, "--no-such-option"], "No such option: --no-such-option"),
        (["-", "--write", "x.pcapng"], "standard input cannot be read twice"),
        (["-", "--two-pass"], "standard input cannot be read twice"),
        ([PCAP, "--records", "--limit-value", "-1"], "--limit-value"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors(run: Run, arguments: list[str], sentence: str) -> None:
    done = run("read", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stdout == ""


def test_a_directory_is_said_to_be_one_and_what_to_name(run: Run) -> None:
    done = run("read", "rotate-size")
    assert done.returncode == 1
    assert done.stderr == (
        "kafkasniff: rotate-size: cannot be opened: Is a directory; name the captures in it: rotate-size/*.pcap\n"
    )
