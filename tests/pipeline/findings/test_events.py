"""Rules make of events what they make of the calls themselves."""

import glob
import os
from collections import defaultdict

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.capture.packets import Interface
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.pipeline.findings.event_reader import EventReader
from kafkasniff.pipeline.findings.events import EventPacker
from kafkasniff.render.diagnosis.findings import finding_object
from tests.conftest import SHARED, needs_shared
from tests.pipeline.findings.compared import placed_items

LARGEST = 2_000_000
"""Bytes of a recording; larger ones take long and show nothing more."""


@needs_shared
@pytest.mark.parametrize("kind", ["misbehave", "healthy"])
def test_findings_on_events_are_those_on_calls(kind):
    found = defaultdict(list)
    for path in sorted(glob.glob(f"{SHARED}/captures/{kind}/*.pcap*")):
        if os.path.getsize(path) > LARGEST:
            continue
        direct, from_events = Diagnosis(), Diagnosis()
        interfaces: list[Interface] = []
        packer, reader = EventPacker("vantage", 0, 0), EventReader({3: interfaces})
        for item in placed_items(path, interfaces):
            row = packer.row(item, at_end=False)
            direct.feed(item)
            from_events.feed(reader.item(row[0], row[5], row[-1]))
        wanted = [finding_object(finding, numbered=False) for finding in direct.findings()]
        assert [finding_object(finding, numbered=False) for finding in from_events.findings()] == wanted, path
        for finding in wanted:
            found[finding["rule"]].append(path)
    assert len(found) > (50 if kind == "misbehave" else 5)


def test_headers_of_batches_are_kept():
    """Those of answers too: rules tell by them what a consumer cannot read."""
    answered = 0
    for name in ("java-4.3.1-basic", "franz-go"):
        interfaces: list[Interface] = []
        packer, reader = EventPacker("vantage", 0, 0), EventReader({3: interfaces})
        for item in placed_items(f"captures/{name}.pcap", interfaces):
            row = packer.row(item, at_end=False)
            read = reader.item(row[0], row[5], row[-1])
            if isinstance(item, Call):
                told = [
                    [
                        (where, path, each.magic, each.compression, each.base_offset)
                        for where, path, each in of.batch_headers
                    ]
                    for of in (item, read)
                ]
                assert told[0] == told[1]
                answered += sum(where == "response" for where, *_ in told[0])
    assert answered > 5


@needs_shared
def test_rules_across_clients_look_at_produce_in_transactions():
    """By what the JSON lines say of the same calls: at all of these, and of others at one a second."""
    seen, latest = set(), {}
    for path in sorted(glob.glob(f"{SHARED}/captures/*/*transaction*.pcap*")):
        interfaces: list[Interface] = []
        packer = EventPacker("vantage", 0, 0)
        for item in placed_items(path, interfaces):
            row = packer.row(item, at_end=False)
            if isinstance(item, Call) and item.api_key == 0 and item.outcome == "answered":
                place, ended = (path, item.connection.endpoints), item.ended.time
                due = ended - latest.get(place, 0) >= 1_000_000_000
                if due:
                    latest[place] = ended
                seen.add((bool(item.request_body.value["transactionalId"]) or due or bool(item.errors), row[-2]))
    assert seen == {(True, True), (False, False)}
