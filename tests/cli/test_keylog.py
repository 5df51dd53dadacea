"""`--keylog`, and secrets inside a capture, as a user meets them."""

import json
import os
import time
from pathlib import Path
from subprocess import PIPE, Popen

from kafkasniff.capture.files.reader import CaptureReader
from tests.cli.conftest import COMMAND, Run
from tests.conftest import CAPTURES, ROOT

CAPTURE, KEYS = "tls13-aes128-gcm.pcap", "tls13-aes128-gcm.keys"
CALLS = 126
"""Lines of the broker's request log."""
EARLY = 5_000
"""Bytes of the capture that end within its first connection, behind that one's first requests."""


def test_shows_the_calls_inside(run: Run) -> None:
    done = run("read", CAPTURE, "--keylog", KEYS, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == CALLS
    assert {line["securityProtocol"] for line in lines} == {"SSL"}
    assert "decrypted" not in done.stderr


def test_shows_none_without_secrets(run: Run) -> None:
    done = run("read", CAPTURE, "--json", "--connections")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(line["type"], line["protocol"]) for line in lines} == {("connection", "tls")}
    assert {line["tls"]["version"] for line in lines} == {"TLS 1.3"}
    assert {line["tls"]["cipher"] for line in lines} == {"TLS_AES_128_GCM_SHA256"}
    assert not any(line["tls"]["decrypted"] for line in lines)
    assert "key log" not in done.stderr


def test_secrets_inside_the_capture_need_no_option(run: Run) -> None:
    done = run("read", "tls12-aes256-gcm-embedded.pcapng", "--json", "--connections")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(line["type"] == "call" for line in lines) == 76
    connection = next(line for line in lines if line["type"] == "connection")
    assert connection["protocol"] == "kafka"
    assert connection["tls"] == {
        "version": "TLS 1.2",
        "cipher": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "serverName": None,
        "offeredProtocols": [],
        "chosenProtocol": None,
        "serverCertificate": {"subject": "CN=localhost", "expires": "2036-11-18T00:13:16Z"},
        "clientCertificate": None,
        "alert": None,
        "resumed": False,
        "decrypted": True,
        "failure": None,
    }


def test_calls_written_to_a_capture_can_be_decrypted_there(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "few.pcapng")
    options = ("--json", "--api", "metadata", "--keylog", KEYS)
    first = run("read", CAPTURE, *options, "--write", path)
    second = run("read", path, *options)
    before, after = ([json.loads(line) for line in done.stdout.splitlines()] for done in (first, second))
    assert len(before) > 5
    # Where packets lack on purpose, calls end later, when gaps are certain.
    after = sorted((call for call in after if call["type"] == "call"), key=lambda call: call["time"])
    assert [(call["time"], call["response"]) for call in after] == [
        (call["time"], call["response"]) for call in sorted(before, key=lambda call: call["time"])
    ]


def test_written_captures_hold_secrets_only_when_asked(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "few.pcapng"
    run("read", "tls12-aes256-gcm-embedded.pcapng", "--api", "metadata", "--write", str(path))
    assert path.stat().st_size > 1_000
    assert b"CLIENT_RANDOM" not in path.read_bytes()
    run("read", CAPTURE, "--keylog", KEYS, "--write", str(tmp_path / "all.pcapng"))
    assert b"TRAFFIC_SECRET" not in (tmp_path / "all.pcapng").read_bytes()


def test_secrets_are_written_of_the_connections_shown(run: Run, tmp_path: Path) -> None:
    logged = [line.split() for line in (CAPTURES / KEYS).read_text().splitlines() if not line.startswith("#")]
    ports = [
        json.loads(line)["client"] for line in run("read", CAPTURE, "--keylog", KEYS, "--json").stdout.splitlines()
    ]
    path = tmp_path / "one.pcapng"
    options = ("--json", "--host", ports[-1])
    shown = run("read", CAPTURE, "--keylog", KEYS, *options, "--write", str(path), "--write-secrets")
    assert path.stat().st_mode & 0o777 == 0o600
    reader = CaptureReader(str(path))
    assert sum(len(batch) for batch in reader) > 5
    [text] = reader.take_secrets()
    written = [line.split() for line in text.decode().splitlines()]
    assert len({name for _, name, _ in logged}) == 8
    assert len({name for _, name, _ in written}) == 1, "one connection"
    assert len(written) == 4
    assert all(line in logged for line in written)
    again = [json.loads(line)["type"] for line in run("read", str(path), "--json").stdout.splitlines()]
    assert again.count("call") == len(shown.stdout.splitlines()) == ports.count(ports[-1])


def test_secrets_inside_a_capture_are_handed_on(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "few.pcapng"
    options = ("--json", "--api", "produce")
    shown = run("read", "tls12-aes256-gcm-embedded.pcapng", *options, "--write", str(path), "--write-secrets")
    assert shown.stdout
    lines = run("read", str(path), *options).stdout.splitlines()
    assert sum('"type":"call"' in line for line in lines) == len(shown.stdout.splitlines())
    assert 0 < path.read_bytes().count(b"CLIENT_RANDOM") < 12


def test_secrets_need_a_capture_to_be_written_to(run: Run) -> None:
    for command in ("read", "live"):
        done = run(command, CAPTURE, "--write-secrets")
        assert done.returncode == 2
        assert "there is no capture to write them to" in done.stderr


def test_one_message_for_a_foreign_key_log(run: Run) -> None:
    done = run("read", CAPTURE, "--keylog", "tls12-aes128-cbc-sha256.keys")
    assert (done.returncode, done.stdout) == (0, "")
    messages = [line for line in done.stderr.splitlines() if "key log" in line]
    assert messages == [
        "kafkasniff: the key log belongs to other connections: it has no secrets for any of the 8 TLS connections"
    ]


def test_one_message_for_wrong_secrets(run: Run, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.keys"
    lines = [line.split() for line in (CAPTURES / KEYS).read_text().splitlines() if not line.startswith("#")]
    wrong.write_text("".join(f"{label} {name} {secret[::-1]}\n" for label, name, secret in lines))
    done = run("read", CAPTURE, "--keylog", str(wrong))
    assert (done.returncode, done.stdout) == (0, "")
    assert len([line for line in done.stderr.splitlines() if "do not fit" in line]) == 1


def test_a_file_that_is_no_key_log(run: Run) -> None:
    for name, reason in (("README.md", "not a TLS key log"), ("none.keys", "cannot be opened: No such file")):
        done = run("read", CAPTURE, "--keylog", name)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"kafkasniff: {name}: {reason}")
        assert len(done.stderr.splitlines()) == 1


def test_secrets_may_be_logged_after_the_packets_came(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "keys.log"
    log.write_bytes(b"")
    command = [*COMMAND, "read", "-", "--json", "--keylog", str(log)]
    content = (CAPTURES / CAPTURE).read_bytes()
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=ROOT, env=environment) as process:
        assert process.stdin is not None
        process.stdin.write(content[:EARLY])
        process.stdin.flush()
        wait_until_read(process.stdin.fileno())
        log.write_bytes((CAPTURES / KEYS).read_bytes())
        out, errors = process.communicate(content[EARLY:], timeout=60)
    assert len(out.splitlines()) == CALLS, errors


def wait_until_read(descriptor: int) -> None:
    """Wait until the other end of a pipe has taken what was written."""
    import fcntl
    import termios

    waiting = bytearray(4)
    while True:
        fcntl.ioctl(descriptor, termios.FIONREAD, waiting)
        if not int.from_bytes(waiting, "little"):
            return
        os.sched_yield()
        time.sleep(0.01)


def test_without_tls_nothing_of_it_is_imported(run: Run, environment: dict[str, str]) -> None:
    environment["PYTHONPROFILEIMPORTTIME"] = "1"
    done = run("read", "ipv6.pcap", "--limit", "1")
    assert "cryptography" not in done.stderr
    assert "dpkt" not in done.stderr


def test_diagnose_takes_a_key_log_too(run: Run) -> None:
    closing = "8 of 8 connections Kafka, 126 calls"
    assert closing in run("diagnose", CAPTURE, "--keylog", KEYS).stderr
    assert closing not in run("diagnose", CAPTURE).stderr
