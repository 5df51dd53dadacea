"""Notes of messages come back with the packets that they were taken of."""

from collections.abc import Iterator

import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.scrubbing.notes import LONGEST_START, Note, Notes
from kafkasniff.tcp.events import Connection
from tests.conftest import CAPTURES


@pytest.fixture
def notes() -> Iterator[Notes]:
    held = Notes()
    yield held
    held.close()


@pytest.fixture(scope="module")
def connections() -> list[Connection]:
    """Connections of a recording."""
    calls = kafkasniff.read([str(CAPTURES / "java-4.3.1-basic.pcap")])
    return list(dict.fromkeys(call.connection for call in calls if isinstance(call, Call)))[:2]


def test_notes_come_by_packet_in_the_order_in_which_they_were_taken(
    notes: Notes, connections: list[Connection]
) -> None:
    first, second = connections
    late = Note(first, b"\0\0\0\x05", (40, 9))
    early = Note(second, b"x" * LONGEST_START, (0, 40))
    token = Note(second, b"\0\0\0\x07", None)
    notes.add("a", 9, late)
    notes.add("a", 3, early)
    notes.add("a", 9, token)
    notes.add("b", 3, token)
    notes.begin()
    found = {(file, packet): list(notes.of(file, packet)) for file in "abc" for packet in range(1, 12)}
    assert {place: of for place, of in found.items() if of} == {
        ("a", 3): [early],
        ("a", 9): [late, token],
        ("b", 3): [token],
    }


def test_notes_of_packets_that_nobody_asks_for_hold_up_no_others(notes: Notes, connections: list[Connection]) -> None:
    for packet in (2, 4, 6):
        notes.add("a", packet, Note(connections[0], bytes([packet]), (packet, packet)))
    notes.begin()
    assert [note.start for packet in (1, 6) for note in notes.of("a", packet)] == [b"\x06"]
