import os
import re
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from kafkasniff.capture.files.reader import CaptureReader
from tests.accounts import NOBODY, needs_root, python_for_all
from tests.cli.conftest import COMMAND, Run
from tests.cli.running import (
    ANSWER,
    REQUEST,
    Live,
    comparable,
    end_tcpdump,
    exchange,
    read_items,
    run_client,
    start_tcpdump,
    wait_for_lines,
)
from tests.conftest import AddFigure
from tests.networks import LIBC, ip, needs, own_network

PR_CAPBSET_DROP, CAP_NET_RAW = 24, 13

AS_ON_MACOS = [
    sys.executable,
    "-c",
    "from types import SimpleNamespace; from kafkasniff.capture.interfaces import live;"
    "from kafkasniff.cli.main import main; live.sys = SimpleNamespace(platform='darwin'); main()",
]


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    with own_network():
        yield


@needs("tcpdump")
@pytest.mark.parametrize("command", [COMMAND, AS_ON_MACOS], ids=["Linux", "macOS"])
def test_every_call_that_tcpdump_recorded_is_printed(
    run: Run, environment: dict[str, str], tmp_path: Path, add_figure: AddFigure, command: list[str]
) -> None:
    path, written = tmp_path / "tcpdump.pcap", tmp_path / "live.pcapng"
    live = Live(environment, "lo", "--json", "--write", str(written), command=command)
    tcpdump = start_tcpdump(path)
    run_client(4_000)
    end_tcpdump(tcpdump)
    assert live.end() == 0
    recorded = comparable(read_items(run, path))
    assert len(recorded) > 150
    assert comparable(live.items) == recorded
    assert comparable(read_items(run, written)) == recorded
    add_figure("live beside tcpdump", "calls", recorded=len(recorded), printed=len(comparable(live.items)))


@needs("tcpdump")
def test_what_waited_is_printed_as_read_finds_it(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    """A reader that was stopped finds thousands of packets, which it takes at once."""
    path = tmp_path / "tcpdump.pcap"
    live = Live(environment, "lo", "--json")
    live.process.send_signal(signal.SIGSTOP)
    tcpdump = start_tcpdump(path)
    run_client(8_000)
    end_tcpdump(tcpdump)
    live.process.send_signal(signal.SIGCONT)
    assert live.end() == 0
    packets = sum(map(len, CaptureReader(str(path))))
    assert packets > 1_500
    assert comparable(live.items) == comparable(read_items(run, path))


def test_a_call_is_printed_at_once(environment: dict[str, str], add_figure: AddFigure) -> None:
    live = Live(environment, "lo", "--json")
    for _ in range(30):
        exchange(answer=True).close()
        time.sleep(0.05)
    wait_for_lines(live, 30)
    assert live.end() == 0
    lags = [
        came - datetime.fromisoformat(item["time"][:26].rstrip("Z") + "Z").timestamp() - item["totalTimeMs"] / 1000
        for (came, _), item in zip(live.lines, live.items, strict=True)
    ]
    median = statistics.median(lags)
    assert len(lags) == 30
    assert 0 < median < 0.150
    add_figure("live: from packet to line", "ms", median=round(median * 1000), worst=round(max(lags) * 1000))


@needs("tcpdump")
def test_after_drops_calls_come_out_right_again(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "tcpdump.pcap"
    live = Live(environment, "lo", "--json", "--buffer", "2")
    live.process.send_signal(signal.SIGSTOP)
    run_client(500, size=20_000)
    live.process.send_signal(signal.SIGCONT)
    time.sleep(1.5)
    tcpdump = start_tcpdump(path)
    run_client(500)
    end_tcpdump(tcpdump)
    assert live.end() == 0
    recorded = comparable(read_items(run, path))
    assert len(recorded) > 50
    assert set(recorded) <= set(comparable(live.items))
    assert re.search(
        r"^[\d,]+ packets dropped by the kernel: they came faster than they were read", live.messages, re.M
    )
    assert re.search(r"calls, .*[\d,]+ packets dropped by the kernel", live.messages)


def encrypted_exchange(key_log: Path, folder: Path) -> tuple[ssl.SSLSocket, ssl.SSLSocket]:
    """The same inside TLS 1.3, answered; gives both ends, still open."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", "/CN=broker", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(certificate, key)
    client_side = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_side.load_verify_locations(certificate)
    client_side.keylog_filename = str(key_log)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        plain = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
    server = server_side.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
    shaking = threading.Thread(target=server.do_handshake)
    shaking.start()
    client = client_side.wrap_socket(plain, server_hostname="broker")
    shaking.join()
    client.sendall(REQUEST)
    assert server.recv(100) == REQUEST
    server.sendall(ANSWER)
    assert client.recv(100) == ANSWER
    return client, server


def test_tls_without_keys_is_said_while_it_goes_on_and_at_the_end(environment: dict[str, str]) -> None:
    live = Live(environment, "lo")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
        # The header of a TLS record, and what could be a ClientHello (RFC 8446, 5.1).
        client.sendall(b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00")
        assert live.process.stderr is not None
        said = live.process.stderr.readline().decode()
        assert said == ("connections are TLS, and no call was seen so far; --keylog FILE decrypts them: docs/tls.md\n")
        client.close()
        server.close()
    assert live.end() == 0
    assert f"1 of 1 connection is TLS (port {port})" in live.messages


@needs("openssl")
def test_a_key_log_may_come_after_what_it_opens(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    key_log, late, written = tmp_path / "client.log", tmp_path / "late.log", tmp_path / "live.pcapng"
    late.write_bytes(b"")
    live = Live(environment, "lo", "--json", "--keylog", str(late), "--write", str(written), "--write-secrets")
    client, server = encrypted_exchange(key_log, tmp_path)
    time.sleep(0.5)
    assert live.lines == []
    of_others = f"CLIENT_RANDOM {'ab' * 32} {'cd' * 48}\n".encode()
    late.write_bytes(of_others + key_log.read_bytes())
    wait_for_lines(live, 1)
    (item,) = live.items
    assert (item["securityProtocol"], item["outcome"]) == ("SSL", "answered")
    assert item["requestHeader"]["clientId"] == "quiet-one"
    client.close()
    server.close()
    assert live.end() == 0
    assert comparable(read_items(run, written)) == comparable([item])
    assert b"cd" * 48 not in written.read_bytes()
    assert written.stat().st_mode & 0o777 == 0o600


def test_a_call_that_waits_for_too_long_is_shown_as_it_stands(environment: dict[str, str]) -> None:
    live = Live(environment, "lo", "--json", "--pending", "1s")
    with exchange(answer=False):
        wait_for_lines(live, 1)
        (item,) = live.items
        assert item["outcome"] == "response-not-captured"
        assert item["requestHeader"]["clientId"] == "quiet-one"
        assert item["pendingMs"] >= 1000
    assert live.end() == 0
    assert len(live.items) == 1


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_signals_end_with_a_summary(environment: dict[str, str], number: int, status: int) -> None:
    live = Live(environment, "lo")
    exchange(answer=True).close()
    assert live.end(number) == status
    ((_, line),) = live.lines
    assert b"ApiVersions v0" in line
    assert b"quiet-one" in line
    assert re.search(r"\d+ packets, 1 of 1 connection Kafka, 1 call, ", live.messages)


def test_limits_end_it_too(environment: dict[str, str]) -> None:
    live = Live(environment, "lo", "--json", "--limit", "1")
    exchange(answer=True).close()
    assert live.end(None) == 0
    assert [item["requestHeader"]["requestApiKeyName"] for item in live.items] == ["API_VERSIONS"]
    live = Live(environment, "lo", "--duration", "200ms")
    assert live.end(None) == 0


def test_the_reader_of_the_output_may_go(environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, "live", "lo", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stderr.readline()
    process.stdout.close()
    exchange(answer=True).close()
    assert process.wait(30) == 141
    assert process.stderr.read() == b""


def test_an_interface_that_is_lost_ends_it(environment: dict[str, str]) -> None:
    live = Live(environment, "lo", "--json")
    exchange(answer=True).close()
    wait_for_lines(live, 1)
    ip("link", "set", "lo", "down")
    assert live.end(None) == 1
    assert [item["outcome"] for item in live.items] == ["answered"]
    assert "\nkafkasniff: lo: the interface went down or was removed; start again when it is up\n" in live.messages
    assert re.search(r"packets, 1 of 1 connection Kafka, 1 call, ", live.messages)


def test_who_may_not_capture_is_told_how_to(environment: dict[str, str]) -> None:
    """And never to give the right to an interpreter that others use: `.venv/bin/python` is a link to such a one."""

    def drop_the_right() -> None:
        LIBC.prctl(PR_CAPBSET_DROP, CAP_NET_RAW, 0, 0, 0)

    done = subprocess.run(
        [*COMMAND, "live", "lo"],
        env=environment, capture_output=True, text=True, timeout=60, check=False, preexec_fn=drop_the_right,
    )  # fmt: skip
    assert done.returncode == 1
    instead = "or `sudo tcpdump -i lo -U -w - | kafkasniff read -`"
    assert done.stderr.startswith("kafkasniff: lo: no permission to capture; use sudo, ")
    assert done.stderr.endswith(f", {instead}\n")
    assert f"setcap cap_net_raw+ep {os.path.realpath(sys.executable)}" not in done.stderr


def status_of(live: Live) -> dict[str, list[str]]:
    """What the kernel says of the process (proc(5))."""
    text = Path(f"/proc/{live.process.pid}/status").read_text()
    return {name: value.split() for name, _, value in (line.partition(":") for line in text.splitlines())}


@needs_root
@pytest.mark.parametrize("asked", [True, False], ids=["--user", "sudo"])
def test_root_reads_packets_as_another_user(run: Run, environment: dict[str, str], tmp_path: Path, asked: bool) -> None:
    python, path = python_for_all()
    key_log, written = tmp_path / "keys.log", tmp_path / "live.pcapng"
    key_log.write_text("# none yet\n")
    for file in (tmp_path, key_log):
        file.chmod(0o700)
    uid, gid = str(NOBODY.pw_uid), str(NOBODY.pw_gid)
    sudo = {"SUDO_UID": uid, "SUDO_GID": gid}
    live = Live(
        environment | {"PYTHONPATH": path} | ({} if asked else sudo), "any", "--json",
        "--write", str(written), "--keylog", str(key_log), *(["--user", "nobody"] if asked else []),
        command=[python, "-m", "kafkasniff"],
    )  # fmt: skip
    assert live.messages == "listening on any; Ctrl-C ends; now user nobody\n"
    status = status_of(live)
    assert (status["Uid"], status["Gid"], status["NoNewPrivs"]) == ([uid] * 4, [gid] * 4, ["1"])
    assert status["Groups"] == [str(each) for each in os.getgrouplist("nobody", NOBODY.pw_gid)]
    assert status["CapPrm"] == status["CapEff"] == ["0000000000000000"]
    run_client(1_500)
    wait_for_lines(live, 100)
    assert live.end() == 0
    assert len(live.items) >= 100
    assert {item["outcome"] for item in live.items if item["type"] == "call"} >= {"answered"}
    # What was opened before is still written and read, and the new file is the user's.
    assert comparable(read_items(run, written)) == comparable(live.items)
    assert written.stat().st_uid == NOBODY.pw_uid


@needs_root
@pytest.mark.parametrize(
    ("arguments", "who"),
    [((), "; still root, --user NAME becomes another user"), (("--user", "root"), "")],
    ids=["not asked", "asked"],
)
def test_root_that_has_nobody_to_become_says_so(
    environment: dict[str, str], arguments: tuple[str, ...], who: str
) -> None:
    kept = {name: value for name, value in environment.items() if not name.startswith("SUDO_")}
    live = Live(kept, "lo", *arguments)
    assert live.messages == f"listening on lo; Ctrl-C ends{who}\n"
    status = status_of(live)
    assert (status["Uid"], status["NoNewPrivs"]) == (["0"] * 4, ["1"])
    assert live.end() == 0


def test_a_pipe_whose_reader_has_gone_ends_it_in_silence(environment: dict[str, str], tmp_path: Path) -> None:
    """As `grep` ends in front of `head`: with 128 + SIGPIPE, and without a word."""
    pipe = tmp_path / "packets"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["head", "-c", "4", str(pipe)], stdout=subprocess.PIPE)
    live = Live(environment, "lo", "--write", str(pipe))
    said = live.messages
    while live.process.poll() is None:
        exchange(answer=True).close()
        time.sleep(0.05)
    assert reader.communicate()[0] == b"\x0a\x0d\x0d\x0a"
    assert (live.end(None), live.messages) == (128 + signal.SIGPIPE, said)


def test_what_is_wrong_is_said_in_a_sentence(run: Run, tmp_path: Path) -> None:
    done = run("live", "eth7")
    assert (done.returncode, done.stderr) == (
        1, "kafkasniff: eth7: no such interface; there are lo, and `any` for all of them\n",
    )  # fmt: skip
    there = tmp_path / "there.pcapng"
    there.write_bytes(b"kept")
    done = run("live", "lo", "--write", str(there))
    assert (done.returncode, done.stderr) == (1, f"kafkasniff: {there}: exists already and is not overwritten\n")
    assert there.read_bytes() == b"kept"
    done = run("live", "lo", "--user", "nobody-at-all")
    assert (done.returncode, done.stderr) == (1, "kafkasniff: --user nobody-at-all: there is no such user\n")
    assert run("live").returncode == 2
    assert run("live", "lo", "--time", "never").returncode == 2
