"""Hold what kafkasniff and tshark decode against what a workload holds: `python -m benchmarks.proof OUT.pcap`.

A comparison of speed means something only where both do the whole work. Prints a table in Markdown; exits 1 when a
message or record is missing on either side, a CRC is wrong, or tshark calls a packet malformed.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.workloads import manifest

ERRORS = "_ws.malformed || _ws.expert.severity >= error"
"""tshark's filter for packets that did not decode."""


class Account(NamedTuple):
    """What there is in a capture."""

    messages: Counter[tuple[int, int, str]]
    """Number of messages by key, version and `request` or `response`."""
    records: int
    """Sum of the record counts of all batches."""
    faults: int = 0
    """Malformed packets, or batches with a wrong CRC."""


def sent(path: Path) -> Account:
    """Give the account of a workload's manifest."""
    contents = json.loads(manifest(path).read_text())
    entries = contents["messages"]
    messages = Counter({(entry["key"], entry["version"], entry["side"]): entry["count"] for entry in entries})
    return Account(messages, contents["records"])


def decoded_by_kafkasniff(path: Path) -> Account:
    """Count the bodies and batches that `kafkasniff read --json` prints."""
    messages: Counter[tuple[int, int, str]] = Counter()
    records = faults = 0
    with _output([sys.executable, "-m", "kafkasniff", "read", "--json", str(path)]) as lines:
        for line in lines:
            call = json.loads(line)
            header = call.get("requestHeader", {})
            for side in ("request", "response"):
                if call.get(side) is not None:
                    messages[header["requestApiKey"], header["requestApiVersion"], side] += 1
            for batch in call.get("batches", ()):
                records += batch["recordCount"]
                faults += batch["crcValid"] is not True
    return Account(messages, records, faults)


def decoded_by_tshark(path: Path) -> Account:
    """Let tshark decode every body."""
    messages: Counter[tuple[int, int, str]] = Counter()
    records = 0
    keys_and_versions = (
        "kafka.request_key",
        "kafka.request.version",
        "kafka.response_key",
        "kafka.response.version",
    )
    fields = [part for field in (*keys_and_versions, "kafka.batch_size") for part in ("-e", field)]
    with _output(["tshark", "-n", "-r", str(path), "-Y", "kafka", "-T", "fields", *fields]) as lines:
        for line in lines:
            # A packet that completes several messages has lists in its cells.
            cells = [[int(value) for value in cell.split(",") if value] for cell in line[:-1].split("\t")]
            messages.update((key, version, "request") for key, version in zip(cells[0], cells[1], strict=True))
            messages.update((key, version, "response") for key, version in zip(cells[2], cells[3], strict=True))
            records += sum(cells[4])
    with _output(["tshark", "-n", "-r", str(path), "-Y", ERRORS]) as lines:
        faults = sum(1 for _ in lines)
    return Account(messages, records, faults)


def tshark_version() -> str:
    """Give the first line of `tshark --version`."""
    with _output(["tshark", "--version"]) as lines:
        return next(lines).strip()


@contextmanager
def _output(command: Sequence[str]) -> Iterator[Iterator[str]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield iter(process.stdout)
        process.stdout.read()
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed with exit status {process.returncode}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof", description=__doc__)
    parser.add_argument("capture", type=Path, help="made by benchmarks.workloads, its .json beside it")
    path = parser.parse_args().capture
    names = {
        (entry["key"], entry["version"]): f"{entry['api']} v{entry['version']}"
        for entry in json.loads(manifest(path).read_text())["messages"]
    }
    expected, ours, theirs = sent(path), decoded_by_kafkasniff(path), decoded_by_tshark(path)
    print(f"{path.name}: {tshark_version()}\n")
    print("| decoded | sent | kafkasniff | tshark |\n| --- | ---: | ---: | ---: |")
    for kind in sorted(expected.messages):
        counts = " | ".join(str(account.messages[kind]) for account in (expected, ours, theirs))
        print(f"| {names[kind[:2]]} {kind[2]} | {counts} |")
    print(f"| records | {expected.records} | {ours.records} | {theirs.records} |")
    print(f"| malformed packets, wrong CRCs | 0 | {ours.faults} | {theirs.faults} |")
    sys.exit(0 if expected == ours == theirs else 1)


if __name__ == "__main__":
    main()
