"""Scrubs captures, and says what differs but should not, and what remains but should not.

`python -m tests.scrubbing.checking FOLDER|FILE...` prints what is wrong with each capture.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.scrubbing.messages import KEPT_ENDS, KEPT_FIELDS, KEPT_TEXTS
from kafkasniff.scrubbing.names import is_default_id
from kafkasniff.scrubbing.scrub import scrub

_SHORTEST = 5
"""Bytes of a name that are looked for: fewer are there by chance."""
_FEW = 3
"""Different bytes that numbers consist of, such as 00 00 00 01, which stand everywhere."""
_SECRET = "***"

Findings = Counter[tuple[Any, ...]]


def read(path: Path) -> tuple[list[dict[str, Any]], Findings]:
    """Give the calls of a capture as JSON with their records, and its findings."""
    diagnosis, lines, calls = Diagnosis(), JsonLines(), []
    for item in Reading([str(path)], connections=True, metrics=False, records=True):
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
    """Write a capture anew in a folder, and give its path."""
    made = folder / "scrubbed.pcapng"
    with made.open("wb") as stream:
        scrub([str(path)], stream, key)
    return made


def texts_of(value: Any, key: str = "", path: str = "") -> Iterator[bytes]:
    """Give the texts within a body, its records and the messages inside it; not those that name nobody."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_of(inner, name, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner, key, path)
    elif isinstance(value, str) and value != _SECRET and key not in KEPT_FIELDS:
        raw = value.encode("utf-8", "surrogatepass")
        yield raw
        if key.endswith("Base64") or key in ("assignment", "metadata", "userData"):
            with suppress(ValueError):
                yield b64decode(value, validate=True)


def words_of(call: dict[str, Any]) -> Iterator[bytes]:
    """Give words of the protocol that a call has: names of settings, features and assignors, and what else is kept."""
    for side in ("request", "response", "requestPartial", "responsePartial"):
        yield from kept_words(call.get(side), "")
    for message in call.get("decoded", ()):
        yield from kept_words(message.get("value"), "")


def kept_words(value: Any, path: str) -> Iterator[bytes]:
    """Give the texts of fields that name nobody."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from kept_words(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from kept_words(inner, path)
    elif isinstance(value, str) and (path.rpartition(".")[2] in KEPT_FIELDS or path.endswith(KEPT_ENDS)):
        yield value.encode()


def names_of(call: dict[str, Any]) -> Iterator[bytes]:
    """Give what is to be gone of a call: addresses, names and contents."""
    for side in ("client", "server"):
        yield call[side].rpartition(":")[0].strip("[]").encode()
    yield (call.get("principal") or "").removeprefix("User:").encode()
    yield (call["requestHeader"].get("clientId") or "").encode("utf-8", "surrogatepass")
    for side in ("request", "response", "requestPartial", "responsePartial"):
        yield from texts_of(call.get(side), path=side)
    for batch in call.get("batches", ()):
        # What control records tell are numbers.
        yield from texts_of([each for each in batch.get("records", ()) if "control" not in each])
    for message in call.get("decoded", ()):
        yield from texts_of(message.get("value"))


def remaining(calls: list[dict[str, Any]], content: bytes) -> list[bytes]:
    """Give the names of calls that stand in the bytes of a file; not words that stand within Kafka's own."""
    kept = b" ".join({*KEPT_TEXTS, *(word for call in calls for word in words_of(call)), b"ANONYMOUS"})
    names = {name for call in calls for name in names_of(call) if len(name) >= _SHORTEST and len(set(name)) > _FEW}
    return sorted(name for name in names if name in content and name not in kept and not is_default_id(name))


def kafka_ports(calls: list[dict[str, Any]]) -> list[str]:
    """Give the ports on which Kafka is spoken in clear: tshark knows but 9092."""
    return sorted({call["server"].rpartition(":")[2] for call in calls if "SSL" not in call["securityProtocol"]})


def malformed(path: Path, ports: list[str]) -> int:
    """Count the packets that tshark calls malformed."""
    told = [each for port in ports for each in ("-d", f"tcp.port=={port},kafka")]
    command = ["tshark", "-r", str(path), *told, "-Y", "_ws.malformed", "-T", "fields", "-e", "frame.number"]
    return len(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def check(path: Path, folder: Path, tshark: bool) -> list[str]:
    """Say what is wrong with a capture scrubbed."""
    made = scrubbed(path, folder)
    (calls, findings), (new_calls, new_findings) = read(path), read(made)
    wrong = []
    before, after = Counter(map(shape, calls)), Counter(map(shape, new_calls))
    if before != after:
        wrong.append(f"calls: lacks {(before - after).total()}, has {(after - before).total()} others")
    if findings != new_findings:
        wrong.append(f"findings: lacks {dict(findings - new_findings)}, has {dict(new_findings - findings)}")
    left = remaining(calls, made.read_bytes())
    if left:
        wrong.append(f"names: {left[:5]} of {len(left)}")
    if tshark:
        ports = kafka_ports(calls)
        was, now = malformed(path, ports), malformed(made, ports)
        if now > was:
            wrong.append(f"malformed: {was} before, {now} now")
    return wrong


def main(arguments: list[str]) -> None:
    """Check each capture."""
    paths = [Path(each) for each in arguments]
    found = [file for path in paths for file in (sorted(path.rglob("*.pcap*")) if path.is_dir() else [path])]
    tshark = shutil.which("tshark") is not None
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in found:
            wrong = check(path, Path(folder), tshark)
            bad += bool(wrong)
            for each in wrong:
                print(f"{path.name}: {each}", flush=True)
    print(f"{len(found)} captures, {bad} with something wrong")


if __name__ == "__main__":
    main(sys.argv[1:])
