"""How many findings are the same on damaged captures: started in the middle, with losses, of one direction only.

    python -m benchmarks.damaged_findings [incidents|misbehave]... [-v]

A finding is the same where its rule is, and whoever it is about: no name that both say differs, and one is the same.
With `-v` each one that is lost or new is told.
"""

import random
import struct
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from kafkasniff.diagnose.finding import Finding
from tests.conformance.labels import CAPTURES, addresses, diagnose, every, values
from tests.conformance.recordings import packets_of

NAMES = ("clientId", "group", "topic", "transactionalId", "server", "advertised", "client")
"""Names of a subject that tell whom a finding is about; of samples of many one in common is enough."""
LOSS = 0.01
SEED = 20


def same(one: Finding, other: Finding) -> bool:
    """Tell whether two findings say the same of the same."""
    common = [name for name in NAMES if one.subject.get(name) and other.subject.get(name)]
    if all(isinstance(each.subject.get("clientId"), list) for each in (one, other)):
        common.remove("clientId")  # Of many, each names a few.
    return one.rule == other.rule and (not common or all(_agree(name, one, other) for name in common))


def _agree(name: str, one: Finding, other: Finding) -> bool:
    form = addresses if name == "client" else values
    return bool(form(one.subject[name]) & form(other.subject[name]))


def damaged(packets: list[bytes], how: str) -> list[bytes]:
    """Give the packets that are left."""
    if how == "second half":
        return packets[len(packets) // 2 :]
    if how == "1 % lost":
        chance = random.Random(SEED)
        return [packet for packet in packets if chance.random() >= LOSS]
    ports = Counter(_ports(packet) for packet in packets)
    return [packet for packet in packets if _ports(packet)[0] == _server_port(ports)]


def _ports(packet: bytes) -> tuple[int, int]:
    """Give source and destination port of an Ethernet, IPv4 and TCP packet."""
    source, destination = struct.unpack_from(">HH", packet, 50)
    return source, destination


def _server_port(ports: Counter[tuple[int, int]]) -> int:
    each = Counter[int]()
    for pair, count in ports.items():
        for port in pair:
            each[port] += count
    return each.most_common(1)[0][0]


def main(*arguments: str) -> None:
    """Print the table."""
    verbose = "-v" in arguments
    folders = [argument for argument in arguments if argument != "-v"] or ["incidents", "misbehave"]
    for folder in folders:
        for how in ("second half", "1 % lost", "answers only"):
            whole_count = kept_count = new_count = 0
            lost_rules: Counter[str] = Counter()
            for path in sorted((CAPTURES / folder).glob("*.pcap")):
                whole, left = _findings(path, None), _findings(path, how)
                lost = [each for each in whole if not any(same(each, other) for other in left)]
                new = [each for each in left if not any(same(each, other) for other in whole)]
                whole_count, kept_count = whole_count + len(whole), kept_count + len(whole) - len(lost)
                new_count += len(new)
                lost_rules.update(each.rule for each in lost)
                for mark, findings in (("lost", lost), ("NEW", new)):
                    for each in findings if verbose else ():
                        print(f"    {path.stem}: {mark} {each.severity} {each.rule}: {each.summary}")
            share = 100 * kept_count / max(whole_count, 1)
            rules = ", ".join(f"{rule} {count}" for rule, count in lost_rules.most_common())
            kept = f"{kept_count} of {whole_count} kept ({share:.0f} %)"
            print(f"{folder:10} {how:12} {kept}, {new_count} new; lost: {rules}")


_whole: dict[Path, list[Finding]] = {}


def _findings(path: Path, how: str | None) -> list[Finding]:
    if how is None:
        if path not in _whole:
            _whole[path] = list(every(diagnose(path)))
        return _whole[path]
    header, packets = packets_of(path)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / path.name
        made.write_bytes(header + b"".join(damaged(packets, how)))
        found: Any = every(diagnose(made))
        return list(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
