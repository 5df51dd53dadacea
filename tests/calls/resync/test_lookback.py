"""Responses before the first proven one."""

import struct

import pytest

from kafkasniff.calls.limits import Budget
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.calls.resync.lookback import earlier_requests, earlier_responses
from tests.calls.hand_made import connection, data, gap, metadata_request, metadata_response
from tests.protocol.records.made_batches import message


def response(correlation_id: int, body: bytes) -> bytes:
    return struct.pack(">ii", 4 + len(body), correlation_id) + body


def hold(*segments: bytes) -> HeldStream:
    held = HeldStream(1 << 20, Budget(1 << 20))
    made = connection()
    for packet, segment in enumerate(segments):
        held.push(data(made, 1, segment, packet))
    return held


def test_small_ids_lead_back_to_where_a_segment_begins() -> None:
    earlier = response(6, b"first") + response(7, b"second")
    proven = response(8, b"third")
    assert earlier_responses(hold(b"tail of another", earlier + proven), 15 + len(earlier)) == 15


def test_the_only_place_for_the_id_before_is_taken() -> None:
    earlier = response(7, b"second")
    assert earlier_responses(hold(b"tail of another" + earlier, response(8, b"third")), 15 + len(earlier)) == 15


def test_an_array_of_small_integers_is_no_response() -> None:
    array = struct.pack(">16i", *range(40, 52), 12, 7, 0, 0)
    assert earlier_responses(hold(array, response(8, b"third")), len(array)) == len(array)


def test_batches_in_segments_of_their_own_are_no_response() -> None:
    """Brokers send them straight from files; their size leads to the next response, and their offset 0 is no id."""
    batches = message(b"k", b"value", offset=0) + message(b"k", b"value", offset=1)
    begun = struct.pack(">i", len(batches)) + batches
    assert earlier_responses(hold(b"tail of another", begun, response(1, b"third")), 15 + len(begun)) == 15 + len(begun)
    joined = hold(b"tail of another" + begun, response(1, b"third"))
    assert earlier_responses(joined, 15 + len(begun)) == 15 + len(begun)


def test_a_body_that_fits_a_layout_speaks_for_a_response() -> None:
    # An acks=0 request had the id between.
    earlier = metadata_response(6)
    assert earlier_responses(hold(b"tail of another" + earlier, response(8, b"third")), 15 + len(earlier)) == 15
    nothing = response(6, b"that no API has: " + bytes(range(40)))
    assert earlier_responses(hold(b"tail of another" + nothing, response(8, b"x")), 15 + len(nothing)) > 15


def test_a_body_that_fits_speaks_for_a_response_right_before_a_gap() -> None:
    # So does it of one whose request came some requests before.
    for earlier, following, found in (
        (metadata_response(6), 8, True),
        (metadata_response(6), 14, True),
        (response(6, b"that no API has: " + bytes(range(40))), 8, False),
    ):
        held = hold(b"tail of another" + earlier)
        held.push_gap(gap(connection(), 1, 500, 1))
        place = held.end
        held.push(data(connection(), 1, response(following, b"third"), 2))
        assert earlier_responses(held, place) == (15 if found else place)
        # Where the last one before the gap is known, nothing comes before it.
        assert earlier_responses(held, place, last_answer=6) == place


def test_a_size_that_leads_over_a_gap_to_the_next_id_speaks_for_a_response() -> None:
    earlier = response(7, b"body of which the end lacks" * 20)
    for cut in (False, True):
        for correlation_id, found in ((8, True), (9, False)):
            held = hold(b"tail of another" + earlier[:40])
            held.push_gap(gap(connection(), 1, len(earlier) - 40, 1, cut=cut))
            place = held.end
            held.push(data(connection(), 1, response(correlation_id, b"third"), 2))
            assert earlier_responses(held, place) == (15 if found else place)
            # Where the last one before the gap is known, nothing comes before it.
            assert earlier_responses(held, place, last_answer=7) == place


def test_integers_that_lead_over_a_gap_are_no_response() -> None:
    held = hold(struct.pack(">16i", *range(40, 52), 28, 7, 0, 0))
    held.push_gap(gap(connection(), 1, 16, 1, cut=True))
    place = held.end
    held.push(data(connection(), 1, response(8, b"third"), 2))
    assert earlier_responses(held, place) == place


def test_the_end_of_what_a_snap_length_left_is_none_of_a_response() -> None:
    held = hold(b"tail of another" + metadata_response(6))
    held.push_gap(gap(connection(), 1, 500, 1, cut=True))
    place = held.end
    held.push(data(connection(), 1, response(8, b"third"), 2))
    assert earlier_responses(held, place) == place


def test_an_id_between_two_that_are_known_needs_less() -> None:
    held = hold(bytes(1448), response(14, b"a body of which some is cut")[:30])
    held.push_gap(gap(connection(), 1, 40, 2, cut=True))
    place = held.end
    held.push(data(connection(), 1, response(17, b"third"), 3))
    assert earlier_responses(held, place) == place
    assert earlier_responses(held, place, last_answer=12) == 1448
    assert earlier_responses(held, place, last_answer=14) == place


def test_requests_lead_up_to_one_of_the_same_client() -> None:
    # The size of a message set, and its beginning as a header: Produce v0, id 500, an empty client id.
    array = struct.pack(">ihhih", 20, 0, 0, 500, 0) + bytes(10)
    for before, leads in ((array, False), (metadata_request(6), True)):
        held = hold(before, metadata_request(7), metadata_request(8))
        assert earlier_requests(held, len(before)) == (0 if leads else len(before))


@pytest.mark.parametrize(("correlation_id", "found"), [(39, True), (24, True), (23, False), (40, False), (41, False)])
def test_a_request_that_ends_before_the_proven_one_speaks_by_its_id(correlation_id: int, found: bool) -> None:
    """Between them is what was written and is no message; ids are at most 16 apart."""
    request = metadata_request(correlation_id)
    held = hold(request, b"\xff" * 9, metadata_request(40))
    assert earlier_requests(held, len(request) + 9) == (0 if found else len(request) + 9)


@pytest.mark.parametrize("lacking", [1, 4, 8])
def test_a_request_that_ends_behind_the_beginning_of_the_proven_one_is_none(lacking: int) -> None:
    request = metadata_request(39)[:-lacking]
    assert earlier_requests(hold(request, metadata_request(40)), len(request)) == len(request)


def test_requests_in_several_segments_lead_up_to_the_proven_one() -> None:
    first = metadata_request(37) + metadata_request(38)
    held = hold(b"\xff" * 9, first, metadata_request(39), metadata_request(40))
    assert earlier_requests(held, 9 + len(first) + len(metadata_request(39))) == 9
    # One of an API that is not known yet leads there too, by its client id.
    unknown = metadata_request(39)[:4] + b"\1\xf4" + metadata_request(39)[6:]
    held = hold(b"\xff" * 9, unknown, metadata_request(40))
    assert earlier_requests(held, 9 + len(unknown)) == 9
    nameless = response(7, b"a body of some bytes")
    assert earlier_requests(hold(nameless, metadata_request(40)), len(nameless)) == len(nameless)


@pytest.mark.parametrize(("correlation_id", "found"), [(4, False), (5, True), (6, True), (7, True), (0, False)])
def test_the_only_place_near_the_next_id_is_taken_if_a_layout_fits(correlation_id: int, found: bool) -> None:
    """Two bytes, as of a Heartbeat, tell nothing; the id is at most three before the next one."""
    earlier = response(correlation_id, b"\0\0")
    held = hold(b"tail of another" + earlier, response(8, b"third"))
    assert earlier_responses(held, 15 + len(earlier)) == (15 if found else 15 + len(earlier))


def test_of_two_places_none_is_taken() -> None:
    """A size and an id within the last bytes of a body lead to the same end."""
    inner = response(6, b"\0\0")
    outer = response(5, b"\xff" * 20 + inner)
    held = hold(b"tail of another" + outer, response(8, b"third"))
    assert earlier_responses(held, 15 + len(outer)) == 15 + len(outer)


def test_a_body_that_no_layout_fits_is_no_response_by_itself() -> None:
    earlier = response(6, b"\xff" * 3)
    held = hold(b"tail of another" + earlier, response(8, b"third"))
    assert earlier_responses(held, 15 + len(earlier)) == 15 + len(earlier)


@pytest.mark.parametrize("length", [1 << 15, 1 << 17])
def test_large_responses_lead_from_segment_to_segment(length: int) -> None:
    """Of one of 128 KiB the beginning is too far away to be looked for, but a segment begins there."""
    earlier = response(700, b"\xff" * length)
    held = hold(b"tail of another", earlier[:1448], earlier[1448:], response(701, b"third"))
    assert earlier_responses(held, 15 + len(earlier)) == 15


@pytest.mark.parametrize(("last_answer", "found"), [(None, True), (699, True), (700, False), (720, False)])
def test_nothing_comes_before_the_last_answer(last_answer: int | None, found: bool) -> None:
    earlier = response(700, b"\xff" * (1 << 17))
    held = hold(b"tail of another", earlier, response(701, b"third"))
    assert earlier_responses(held, 15 + len(earlier), last_answer) == (15 if found else 15 + len(earlier))


def test_ids_that_go_down_or_jump_lead_nowhere() -> None:
    for first, second, found in ((700, 716, True), (700, 717, False), (700, 700, False), (701, 700, False)):
        earlier = response(first, b"\xff" * (1 << 17))
        held = hold(b"tail of another", earlier, response(second, b"third"))
        assert earlier_responses(held, 15 + len(earlier)) == (15 if found else 15 + len(earlier)), (first, second)
