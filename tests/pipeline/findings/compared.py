"""Findings of the pipeline and of `kafkasniff diagnose`, also of captures from other hosts and clocks."""

import json
import struct
from collections import Counter

from kafkasniff.calls.engine import Engine
from kafkasniff.capture.files.reader import CaptureReader
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.pipeline.indexes.interfaces import PlacedInterface
from kafkasniff.reading import Reading
from kafkasniff.render.diagnosis.findings import finding_object
from tests.pipeline.runs import rows


def shown(line):
    """A finding as text, but for its times."""
    return json.dumps({name: value for name, value in line.items() if name not in ("firstTime", "lastTime")})


def wanted(*paths):
    """What `diagnose --json` says of captures."""
    diagnosis = Diagnosis()
    for item in Reading(list(paths), connections=True):
        diagnosis.feed(item)
    return Counter(shown(finding_object(finding, numbered=False)) for finding in diagnosis.findings())


def found(folder):
    """The findings by vantages."""
    by_vantages = {}
    for row in rows(folder, "findings"):
        line = {name: row[name] for name in ("rule", "severity")} | {"subject": json.loads(row["subject"])}
        line |= {name: row[name] for name in ("count", "summary", "cause", "fix")}
        line |= {name: json.loads(row[name]) for name in ("evidence", "consequences")}
        by_vantages.setdefault(tuple(row["vantages"]), Counter())[shown(line)] += 1
    return by_vantages


def placed_items(path, interfaces, part=3):
    """Give what the engine makes of a file, whose `interfaces` are filled in."""
    engine = Engine(report_connections=True)
    for batch in CaptureReader(str(path)):
        for number, each in enumerate(batch.interfaces[len(interfaces) :], len(interfaces)):
            described = (each.file, each.link_type, each.time_digits, each.snap_length, each.name)
            interfaces.append(PlacedInterface(*described, part=part, number=number))
        batch.interfaces = interfaces
        yield from engine.feed(batch)
    yield from engine.flush()


def farther(capture, microseconds):
    """Give a capture as it would have been made so far from the broker: requests sooner, answers later."""
    packets, place = [], 24
    (link_type,) = struct.unpack_from("<I", capture, 20)
    while place < len(capture):
        seconds, fraction, length, _ = struct.unpack_from("<IIII", capture, place)
        tcp = place + 16 + {1: 14, 0: 4, 113: 16, 276: 20}[link_type] + 20
        source, destination = struct.unpack_from(">HH", capture, tcp)
        time = seconds * 1_000_000 + fraction + (microseconds if source < destination else -microseconds)
        packets.append((time, capture[place + 8 : place + 16 + length]))
        place += 16 + length
    packets.sort(key=lambda packet: packet[0])
    return capture[:24] + b"".join(struct.pack("<II", *divmod(time, 1_000_000)) + rest for time, rest in packets)


AHEAD_NS = 3_250_000_000

LOOPBACK, ELSEWHERE = bytes((127, 0, 0, 1)), bytes((10, 0, 0, 1))
"""Of source and destination, which stand beside each other."""


def elsewhere(capture):
    """Give a capture as of hosts that are not loopback: each host has such addresses of its own."""
    return capture.replace(LOOPBACK * 2, ELSEWHERE * 2)


def later(capture, nanoseconds):
    """Give a capture as by a clock that is ahead."""
    packets, place = [capture[:24]], 24
    while place < len(capture):
        seconds, fraction, length = struct.unpack_from("<III", capture, place)
        time = seconds * 1_000_000 + fraction + nanoseconds // 1_000
        packets += struct.pack("<II", *divmod(time, 1_000_000)), capture[place + 8 : place + 16 + length]
        place += 16 + length
    return b"".join(packets)


def what(line):
    """Give a finding but for its evidence, whose times are by one clock or the other."""
    finding = json.loads(line)
    return json.dumps({name: value for name, value in finding.items() if name not in ("evidence", "consequences")})
