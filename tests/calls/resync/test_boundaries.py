from kafkasniff.calls.resync.boundaries import response_ids
from kafkasniff.calls.resync.held import HeldStream
from tests.calls.hand_made import BUDGET, connection, data, metadata_response, sized

OF = connection()


def test_answers_are_asked_for_by_the_ids_at_the_beginnings_of_segments() -> None:
    """Those whose size may be that of a response: one of 3 bytes has no room for an id."""
    held = HeldStream(10_000, BUDGET)
    for packet, segment in enumerate((metadata_response(7), b"\0\0\0\3\0\0\0\1", sized(b"\0\0\1\2"), b"\xff" * 9)):
        held.push(data(OF, 0, segment, packet))
    assert response_ids(held) == {7, 258}
