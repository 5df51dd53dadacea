"""Rules make of events what they make of the calls themselves."""

import glob
import json
import os
from collections import defaultdict

import pytest

from kafkasniff.capture.packets import Interface
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.pipeline.events import EventPacker, EventReader, arrival_of
from kafkasniff.reading import Reading
from kafkasniff.render.findings import finding_line
from tests.conftest import SHARED, needs_shared

LARGEST = 2_000_000
"""Bytes of a recording; larger ones take long and show nothing more."""


def packed_rows(reading):
    places: dict[Interface, tuple[int, int]] = {}
    packer = EventPacker("vantage", 0, 0, places)
    described = []
    for item in reading:
        for arrival in arrivals_of(item):
            if arrival.interface not in places:
                places[arrival.interface] = (0, len(described))
                described.append(arrival.interface)
        yield described, item, packer.row(item, at_end=False)[2]


def arrivals_of(item):
    yield arrival_of(item)
    yield from (item.connection.first, item.connection.last)
    for frame in (getattr(item, "request", None), getattr(item, "response", None)):
        if frame is not None:
            yield from (frame.first, frame.last)


@needs_shared
@pytest.mark.parametrize("kind", ["misbehave", "healthy"])
def test_findings_on_events_are_those_on_calls(kind):
    found = defaultdict(list)
    for path in sorted(glob.glob(f"{SHARED}/captures/{kind}/*.pcap*")):
        if os.path.getsize(path) > LARGEST:
            continue
        direct, from_events = Diagnosis(), Diagnosis()
        reader = None
        for described, item, row in packed_rows(Reading([path], connections=True)):
            reader = reader or EventReader([described])
            direct.feed(item)
            from_events.feed(reader.item(row[0], row[5], row[-1]))
        wanted = [json.loads(finding_line(finding)) for finding in direct.findings()]
        assert [json.loads(finding_line(finding)) for finding in from_events.findings()] == wanted, path
        for finding in wanted:
            found[finding["rule"]].append(path)
    assert len(found) > (50 if kind == "misbehave" else 5)
