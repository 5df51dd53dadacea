"""Scrubbed captures beside those that they were made of: the same calls and findings, and none of the names."""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.scrubbing.messages import KEPT_TEXTS
from kafkasniff.scrubbing.names import Names, is_default_id
from kafkasniff.scrubbing.scrub import scrub
from tests.conftest import CAPTURES, SHARED, needs_shared
from tests.questions.recomputed import named

_NOT_SHOWN = ("tls12-aes256-gcm-embedded", "tls13-python-embedded")
"""Their calls are encrypted, and the secrets in the capture are not copied."""
_OTHER_FINDINGS = ("cluster-1.1.1-startup-shutdown",)
"""A broker of it is no longer known for one by its address."""


def captures(*kinds: str) -> Iterable[Path]:
    paths = [path for kind in kinds for path in sorted((SHARED / "captures" / kind).glob("*.pcap*"))]
    return [path for path in paths if path.stat().st_size < 100_000 and path.stem not in _NOT_SHOWN]


def read(path: Path) -> tuple[list[dict[str, Any]], Counter[tuple[Any, ...]]]:
    diagnosis, lines, calls = Diagnosis(), JsonLines(), []
    for item in Reading([str(path)], connections=True, metrics=False):
        diagnosis.feed(item)
        if isinstance(item, Call):
            calls.append(json.loads(lines.line(item)))
    findings = Counter((finding.rule, finding.severity, finding.count) for finding in diagnosis.findings())
    return calls, findings


def shape(call: dict[str, Any]) -> tuple[Any, ...]:
    """Give what is to be the same of a call: all but names and contents."""
    header = call["requestHeader"]
    return (
        *(header.get("requestApiKey"), header.get("requestApiVersion"), header["correlationId"], call["time"]),
        *(call["outcome"], call.get("totalTimeMs"), call.get("requestSizeBytes"), call.get("responseSizeBytes")),
        tuple((error["where"], error["path"], error["code"]) for error in call.get("errors", ())),
        tuple(
            (batch["path"], batch["baseOffset"], batch["recordCount"], batch["compression"], batch["crcValid"])
            for batch in call.get("batches", ())
        ),
    )


def scrubbed(path: Path, folder: Path, key: bytes = b"a key") -> Path:
    made = folder / "scrubbed.pcapng"
    with made.open("wb") as stream:
        scrub([str(path)], stream, key)
    return made


@needs_shared
@pytest.mark.parametrize("path", captures("healthy", "misbehave"), ids=lambda path: path.stem)
def test_all_but_names_is_the_same(path: Path, tmp_path: Path) -> None:
    made = scrubbed(path, tmp_path)
    (calls, findings), (new_calls, new_findings) = read(path), read(made)
    assert Counter(map(shape, new_calls)) == Counter(map(shape, calls))
    if path.stem not in _OTHER_FINDINGS:
        assert new_findings == findings
    content = made.read_bytes()
    for call in calls:
        names = named(call)
        hosts = [call[side].rpartition(":")[0].strip("[]") for side in ("client", "server")]
        principal = (call["principal"] or "").removeprefix("User:")
        for name in (*names["topic"], *names["group"], call["requestHeader"].get("clientId"), *hosts, principal):
            raw = (name or "").encode()
            if len(raw) >= 5 and raw not in KEPT_TEXTS and name != "ANONYMOUS" and not is_default_id(raw):
                assert raw not in content, name


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
