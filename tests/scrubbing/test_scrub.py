"""Scrubbed captures beside those that they were made of: the same calls and findings, and none of the names."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from kafkasniff.scrubbing.names import Names
from tests.conftest import CAPTURES, SHARED, needs_shared
from tests.scrubbing.checking import check, scrubbed

_NOT_SHOWN = ("tls12-aes256-gcm-embedded", "tls13-python-embedded")
"""Their calls are encrypted, and the secrets in the capture are not copied."""


def captures(*kinds: str) -> Iterable[Path]:
    paths = [path for kind in kinds for path in sorted((SHARED / "captures" / kind).glob("*.pcap*"))]
    return [path for path in paths if path.stat().st_size < 100_000 and path.stem not in _NOT_SHOWN]


@needs_shared
@pytest.mark.parametrize("path", captures("healthy", "misbehave"), ids=lambda path: path.stem)
def test_all_but_names_is_the_same(path: Path, tmp_path: Path) -> None:
    assert check(path, tmp_path, tshark=False) == []


@pytest.mark.parametrize(
    "name",
    [
        *("franz-go", "snaplen-96", "tls12-aes128-gcm", "tls13-python"),
        # Of these tshark reads from the middle of messages.
        *("java-0.9.0.1-clients", "loss-reorder-client-side", "rotate-size/part-06"),
    ],
)
def test_tshark_reads_what_it_read_before(name: str, tmp_path: Path) -> None:
    path = CAPTURES / f"{name}.pcap"
    if not path.exists():
        path = SHARED / "captures" / "healthy" / f"{name}.pcap"
    if shutil.which("tshark") is None or not path.exists():
        pytest.skip("tshark or the recording is not there")
    assert check(path, tmp_path, tshark=True) == []


@pytest.mark.parametrize("name", ["java-4.3.1-basic", "ipv6", "linux-sll2"])
def test_checksums_are_right(name: str, tmp_path: Path) -> None:
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    made = scrubbed(CAPTURES / f"{name}.pcap", tmp_path)
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    wrong = "tcp.checksum.status==0 || ip.checksum.status==0"
    done = subprocess.run(["tshark", "-r", str(made), *checks, "-Y", wrong], capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_one_key_gives_the_same_names_in_several_captures(tmp_path: Path) -> None:
    path = CAPTURES / "java-4.3.1-basic.pcap"
    first, again = scrubbed(path, tmp_path).read_bytes(), scrubbed(path, tmp_path).read_bytes()
    assert first == again
    assert scrubbed(path, tmp_path, b"another key").read_bytes() != first


@pytest.mark.parametrize("address", ["10.0.0.1", "192.168.100.7", "127.0.0.1", "8.8.8.8", "255.255.255.255"])
def test_the_text_of_an_address_is_that_of_its_other_one(address: str) -> None:
    names = Names(b"a key")
    raw = bytes(map(int, address.split(".")))
    text = ".".join(map(str, names.address(raw)))
    assert names.text(address.encode()) == text.encode()
    assert len(text) == len(address)
    assert text != address


def test_names_of_consumers_go_with_those_of_their_groups() -> None:
    names = Names(b"a key")
    assert names.text(b"consumer-billing-3") == b"consumer-" + names.text(b"billing") + b"-3"
    assert names.text(b"billing") != b"billing"
    assert len(names.text("größe".encode())) == len("größe".encode())
