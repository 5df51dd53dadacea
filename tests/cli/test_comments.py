"""Comments of packets that `--write` adds, as Wireshark's own programs read them."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.running import Live, exchange, wait_for_lines
from tests.conftest import CAPTURES
from tests.networks import needs, own_network

CAPTURE = str(CAPTURES / "java-4.3.1-basic.pcap")


def comments(path: Path) -> dict[int, str]:
    """Comments by packet, as tshark has them."""
    command = ["tshark", "-n", "-r", str(path), "-Y", "frame.comment", "-T", "json", "-e", "frame.number",
               "-e", "frame.comment"]  # fmt: skip
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    layers = [packet["_source"]["layers"] for packet in json.loads(done.stdout)]
    return {int(each["frame.number"][0]): each["frame.comment"][0] for each in layers}


def columns(line: str) -> list[str]:
    """A line of `read` without its number and time, which differ from capture to capture."""
    return line.split()[2:]


@needs("tshark", "capinfos")
def test_the_packet_that_ends_a_call_says_what_it_was(run: Run, tmp_path: Path) -> None:
    written = tmp_path / "out.pcapng"
    assert run("read", CAPTURE, "--api", "produce,metadata", "--write", str(written)).returncode == 0
    found = comments(written)
    lines = [json.loads(line) for line in run("read", str(written), "--json").stdout.splitlines()]
    calls = [line for line in lines if line["type"] == "call"]
    last = {call["responsePacket"] or call["requestPacket"] for call in calls}
    assert found.keys() == last
    shown = run("read", CAPTURE, "--api", "produce,metadata").stdout.splitlines()
    assert sorted(line for text in found.values() for line in text.split("\n")) == sorted(shown)
    subprocess.run(["capinfos", str(written)], check=True, capture_output=True)


@needs("tshark")
def test_details_and_text_from_the_wire_are_safe(run: Run, tmp_path: Path) -> None:
    written = tmp_path / "out.pcapng"
    done = run("read", CAPTURE, "--api", "sasl_handshake,api_versions", "-v", "--limit", "3", "--write", str(written))
    text = "\n".join(comments(written).values())
    assert sorted(text.splitlines()) == sorted(line for line in done.stdout.splitlines() if line)
    assert "finalizedFeaturesEpoch" in text or "apiKeys" in text


@needs("tshark")
def test_what_tls_hides_stays_hidden_where_its_secrets_are_not_written(run: Run, tmp_path: Path) -> None:
    capture = str(CAPTURES / "tls13-aes128-gcm.pcap")
    arguments = ("read", capture, "--keylog", str(CAPTURES / "tls13-aes128-gcm.keys"), "--limit", "5", "--write")
    without, having = tmp_path / "without.pcapng", tmp_path / "having.pcapng"
    assert run(*arguments, str(without)).returncode == run(*arguments, str(having), "--write-secrets").returncode == 0
    assert comments(without) == {}
    assert len(comments(having)) == 5


@needs("tshark")
@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_live_captures_have_them_too(environment: dict[str, str], tmp_path: Path, arguments: tuple[str, ...]) -> None:
    written = tmp_path / "live.pcapng"
    with own_network():
        live = Live(environment, "lo", "--write", str(written), *arguments)
        for _ in range(2):
            exchange(answer=True).close()
        wait_for_lines(live, 2)
        assert live.end() == 0
    found = [*comments(written).values()]
    assert len(found) == 2
    for text in found:
        assert "ApiVersions" in text
        assert "quiet-one" in text
