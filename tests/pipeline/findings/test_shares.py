"""Tasks that share out the rules over a cluster find what one finds that has them all."""

import struct
from collections import Counter, defaultdict

import pyarrow as pa
import pytest

from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
from kafkasniff.diagnose.engine import joined
from kafkasniff.diagnose.facts.clients import Client
from kafkasniff.pipeline.findings.diagnosing import ClusterDiagnosis
from kafkasniff.pipeline.findings.event_spans import in_order
from kafkasniff.pipeline.findings.events import ACROSS, SLOTS, EventPacker
from kafkasniff.pipeline.findings.shares import EVENTS_A_TASK, MOST_EVENTS, Deal, Share, deals_of, dealt
from kafkasniff.pipeline.rows.output import table_of
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.render.diagnosis.rows import finding_rows
from kafkasniff.tables.declared import EVENT_ORDER, EVENTS
from tests.conftest import SHARED, needs_shared
from tests.pipeline.findings.compared import placed_items
from tests.pipeline.follow.batches import records

LARGEST = 150_000
"""Bytes of a recording that is used."""
BEGINNING = 1_795_000_000
_IP_AT = {0: 4, 1: 14, 113: 16, 276: 20}
"""Where the IP header begins in a packet, by link type."""


def moved(path, number):
    """Give a recording of brokers and clients on one host as if its clients ran on a host of their own.

    And as if it had begun at a time of its own, so that all recordings overlap.
    """
    header, packets = records(path)
    ip = 16 + _IP_AT[struct.unpack_from("<I", header, 20)[0]]
    (begun,) = struct.unpack_from("<I", packets[0])
    found = [header]
    for packet in packets:
        data = bytearray(packet)
        (seconds,) = struct.unpack_from("<I", data)
        struct.pack_into("<I", data, 0, seconds - begun + BEGINNING + number % 7)
        if len(data) >= ip + 24:
            to_broker = struct.unpack_from(">H", data, ip + 22)[0] // 1000 == 29
            place = ip + (12 if to_broker else 16)
            data[place : place + 4] = bytes([127, 0, 1, number])
        found.append(bytes(data))
    return b"".join(found)


class Cluster:
    """Events of many clients of one cluster."""

    def __init__(self, folder):
        self.interfaces = {}
        rows = []
        paths = sorted(SHARED.glob("captures/misbehave/*.pcap"))
        for number, path in enumerate((path for path in paths if path.stat().st_size < LARGEST), 1):
            copy = folder / path.name
            copy.write_bytes(moved(path, number))
            packer, interfaces = EventPacker(path.stem, 0, (BEGINNING + 1000) * 10**9), []
            for item in placed_items(copy, interfaces, part=number):
                rows.append(packer.row(item, at_end=False))
            self.interfaces[number] = interfaces
        schema = schema_of(EVENTS)
        table = table_of(rows, schema).sort_by([(name, "ascending") for name in EVENT_ORDER])
        (self.events,) = table.combine_chunks().to_batches()
        self.vantages = sorted(set(self.events.column("vantage").to_pylist()))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    return Cluster(tmp_path_factory.mktemp("cluster"))


def run(cluster, tasks):
    """Give the findings of all tasks together, and the state keys of rules that had states."""
    batches = dealt(cluster.events, dict.fromkeys(cluster.vantages, 0), tasks)
    of_tasks = pa.Table.from_batches(batches).sort_by([(name, "ascending") for name in EVENT_ORDER])
    found, keys, sizes = defaultdict(list), defaultdict(set), []
    for number, task in enumerate(tasks):
        (events,) = of_tasks.filter(pa.compute.equal(of_tasks["task"], number)).combine_chunks().to_batches()
        diagnosis = ClusterDiagnosis(task)
        diagnosis.reader.interfaces = cluster.interfaces
        for each in in_order([events]):
            diagnosis.feed(each)
        sizes.append(sum(each.num_rows for each in in_order([events])))
        for rule, of_rule in diagnosis.found().items():
            found[rule] += of_rule
        for rule in (rule for each in diagnosis.both for rule in each.rules):
            keys[rule.id] |= {key for key, _ in rule.states.items()}
    findings = joined(found[rule.id] for rule in RULES)
    return Counter(repr(row) for row in finding_rows([], findings)), keys, sizes


@needs_shared
def test_shares_find_what_one_task_finds(cluster):
    tasks = [Share(0, *deal) for deal in deals_of(loads(cluster), 3)]

    wanted, keys, _ = run(cluster, [Share(0)])
    found, _, sizes = run(cluster, tasks)

    assert found == wanted
    assert len({row.split("'")[3] for row in wanted}) > 25
    assert [task.across for task in tasks] == [True, False, False]
    assert sorted(slot for task in tasks for slot in task.slots) == [*range(SLOTS)]
    # What tells of brokers and topics goes to all.
    assert max(sizes) < cluster.events.num_rows
    for rule, states in keys.items():
        if not RULES_BY_ID[rule].looks_across_clients:
            assert all(isinstance(part, Client) for key in states for part in client_in(key)), rule


def client_in(key):
    """Give the client that a state's key names; whatever else it is where it names none."""
    if isinstance(key, Client):
        return [key]
    return [part for part in key if isinstance(part, Client)][:1] or [key]


def loads(cluster):
    """Give how many events there are, as if they were ten times as many as are worth to be shared out."""
    clients = Counter(client % SLOTS for client in cluster.events.column("client").to_pylist())
    across = sum(cluster.events.column("across").to_pylist())
    times = 10 * EVENTS_A_TASK // cluster.events.num_rows + 1
    return {ACROSS: across * times} | {slot: count * times for slot, count in clients.items()}


def test_a_cluster_with_few_events_is_one_task():
    assert deals_of({1: EVENTS_A_TASK, ACROSS: 0}, 2) == (Deal(),)
    assert deals_of({1: EVENTS_A_TASK, 2: 1, ACROSS: 0}, 1) == (Deal(),)
    assert len(deals_of({1: EVENTS_A_TASK, 2: 1, ACROSS: 0}, 2)) == 2


def test_tasks_have_as_much_to_do_as_each_other():
    """Also where one client has half of all events, and where rules across clients look at most of them."""
    of_clients = {0: 64_000} | dict.fromkeys(range(1, SLOTS), 1_000)
    for across in (0, 40_000):
        first, second = deals_of(of_clients | {ACROSS: across}, 2)
        sizes = [sum(of_clients[slot] for slot in deal.slots) for deal in (first, second)]
        assert first.across
        assert abs(sizes[0] + 0.75 * across - sizes[1]) <= 1_000


def test_more_tasks_than_end_sooner_are_not_made():
    many = dict.fromkeys(range(SLOTS), 2_000)

    assert len(deals_of(many | {ACROSS: 0}, 100)) == 7
    assert len(deals_of(many | {ACROSS: 128_000}, 100)) == 3


def test_a_larger_cluster_is_more_tasks_so_that_none_remembers_more():
    many = dict.fromkeys(range(SLOTS), 10 * MOST_EVENTS // SLOTS)

    assert len(deals_of(many | {ACROSS: 10 * MOST_EVENTS}, 2)) == 10
