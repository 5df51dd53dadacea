"""What the other messages of a connection tell of where a message begins."""

import struct

import pytest

from kafkasniff.calls.correlation.frames import FrameCutter
from kafkasniff.calls.correlation.pairing import Pairing
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.resync.boundaries import Boundaries, response_ids
from kafkasniff.calls.resync.held import HeldStream
from kafkasniff.protocol.headers import read_request_header
from tests.calls.hand_made import (
    BUDGET,
    arrival,
    connection,
    data,
    gap,
    heartbeat_request,
    heartbeat_response,
    metadata_request,
    metadata_response,
    sized,
)

OF = connection()
CLIENT, SERVER = 0, 1


def test_answers_are_asked_for_by_the_ids_at_the_beginnings_of_segments() -> None:
    """Those whose size may be that of a response: one of 3 bytes has no room for an id."""
    held = HeldStream(10_000, BUDGET)
    for packet, segment in enumerate((metadata_response(7), b"\0\0\0\3\0\0\0\1", sized(b"\0\0\1\2"), b"\xff" * 9)):
        held.push(data(OF, 0, segment, packet))
    assert response_ids(held) == {7, 258}


@pytest.mark.parametrize(("size", "may_be"), [(3, False), (4, True), (1 << 30, True), ((1 << 30) + 1, False)])
def test_sizes_of_answers(size: int, may_be: bool) -> None:
    held = HeldStream(10_000, BUDGET)
    held.push(data(OF, 0, struct.pack(">ii", size, 7), 1))
    assert response_ids(held) == ({7} if may_be else set())


def test_answers_are_looked_for_at_the_last_64_segments() -> None:
    held = HeldStream(10_000, BUDGET)
    for number in range(65):
        held.push(data(OF, 0, heartbeat_response(number), number))
    assert response_ids(held) == set(range(1, 65))


def boundaries(*requests: bytes, answer_id: int | None = None, from_the_beginning: bool = True) -> Boundaries:
    """The boundaries of a connection of which these requests were seen, and wait, behind an answer with this id."""
    pairing = Pairing(BUDGET)
    made = Boundaries(CLIENT, 1 << 20, BUDGET, pairing, from_the_beginning)
    for packet, request in enumerate(requests):
        content = request[4:]
        frame = Frame(len(content), content, arrival(packet), arrival(packet), 0)
        frame.header = header = read_request_header(content)
        pairing.add_request(frame)
        made.know_client(header.client_id)
        made.lost_ids.add(header.correlation_id)
        made.request_id = header.correlation_id
    if answer_id is not None:
        made.answer_id = answer_id
    return made


def cutters(of: Boundaries, *segments: bytes) -> tuple[FrameCutter, FrameCutter]:
    """Cutters of both directions, the server's with these segments."""
    client, server = (FrameCutter(1 << 20, 1 << 20, False, of, direction, BUDGET) for direction in (CLIENT, SERVER))
    for packet, segment in enumerate(segments):
        server.push(data(OF, SERVER, segment, packet), 0)
    return client, server


def begins(of: Boundaries, direction: int, segment: bytes, length: int | None = None, *before: bytes) -> bool:
    return of.begins_frame(cutters(of, *before), direction, segment, len(segment) if length is None else length)


@pytest.mark.parametrize(
    ("correlation_id", "begun"), [(6, False), (7, False), (8, True), (7 + 16, True), (7 + 17, False)]
)
def test_a_segment_begins_with_a_request_whose_id_comes_soon(correlation_id: int, begun: bool) -> None:
    of = boundaries(metadata_request(7))
    assert begins(of, CLIENT, heartbeat_request(correlation_id)) == begun


def test_such_a_request_names_the_client_of_the_connection_by_text_of_some_length() -> None:
    assert not begins(boundaries(metadata_request(7)), CLIENT, heartbeat_request(8, client_id="cart"))
    assert not begins(boundaries(metadata_request(7, client_id="abc")), CLIENT, heartbeat_request(8, client_id="abc"))
    assert begins(boundaries(metadata_request(7, client_id="abcd")), CLIENT, heartbeat_request(8, client_id="abcd"))


@pytest.mark.parametrize(("size", "begun"), [(7, False), (8, True), ((16 << 20) - 1, True), (16 << 20, False)])
def test_sizes_of_such_a_request(size: int, begun: bool) -> None:
    request = struct.pack(">i", size) + heartbeat_request(8)[4:]
    assert begins(boundaries(metadata_request(7)), CLIENT, request) == begun


def test_such_a_request_has_its_header_there() -> None:
    of, request = boundaries(metadata_request(7)), heartbeat_request(8)
    # Size, key, version, id, and the length and the text of a client id.
    assert [begins(of, CLIENT, request[:there], 100) for there in (13, 17, 18)] == [False, False, True]


@pytest.mark.parametrize(("correlation_id", "begun"), [(7, True), (8, False), (6, False)])
def test_a_segment_begins_with_the_answer_to_a_request_that_waits(correlation_id: int, begun: bool) -> None:
    of = boundaries(metadata_request(7), answer_id=6)
    assert begins(of, SERVER, heartbeat_response(correlation_id)) == begun


@pytest.mark.parametrize(("answer_id", "begun"), [(6, True), (7 - 16, True), (7 - 17, False), (7, False)])
def test_such_an_answer_has_an_id_soon_behind_the_last_one(answer_id: int, begun: bool) -> None:
    assert begins(boundaries(metadata_request(7), answer_id=answer_id), SERVER, heartbeat_response(7)) == begun


def test_such_an_answer_may_be_to_a_lost_request() -> None:
    of = boundaries(metadata_request(7), answer_id=7)
    of.lost_ids.lose()
    of.lost_ids.add(10)
    assert [begins(of, SERVER, heartbeat_response(number)) for number in (8, 9, 11)] == [True, True, False]


def test_such_an_answer_ends_with_its_segment_or_stands_behind_a_short_one() -> None:
    of, answer = boundaries(metadata_request(7), answer_id=6), heartbeat_response(7)
    assert begins(of, SERVER, answer, len(answer))
    assert not begins(of, SERVER, answer, len(answer) - 1)
    # More follows it: the segment before must have had room for it.
    assert begins(of, SERVER, answer, len(answer) + 1, b"\0" * 1_000, b"\0" * 999)
    assert not begins(of, SERVER, answer, len(answer) + 1, b"\0" * 1_000, b"\0" * 1_000)
    assert not begins(of, SERVER, answer[:7], len(answer))


@pytest.mark.parametrize(
    ("direction", "start", "inside"),
    [
        (CLIENT, b"\xff" * 40, True),
        (CLIENT, b"\xff" * 9 + metadata_request(8) + b"\xff" * 9, False),
        (CLIENT, sized(struct.pack(">hhih", 999, 0, 8, 4) + b"shop" + bytes(9)), False),
        (SERVER, b"\xff" * 40, False),
    ],
    ids=["none", "a request", "one of an API that is not known", "of the server"],
)
def test_a_segment_of_the_client_in_which_no_message_begins(direction: int, start: bytes, inside: bool) -> None:
    assert boundaries(metadata_request(7)).is_inside_message(direction, start) == inside


@pytest.mark.parametrize(
    ("start", "size", "plausible"),
    [
        (metadata_request(8)[4:], 100, True),
        (metadata_request(8)[4:], 1 << 30, True),
        (metadata_request(8)[4:], (1 << 30) + 1, False),
        (struct.pack(">hhih", 999, 0, 8, 4) + b"shop", 100, True),
        (struct.pack(">hhih", 999, 0, 8, 3) + b"abc", 100, False),
        (b"\xff" * 40, 100, False),
    ],
)
def test_what_may_be_a_large_request(start: bytes, size: int, plausible: bool) -> None:
    assert boundaries(metadata_request(7)).is_plausible(CLIENT, size, start) == plausible


def test_what_may_be_a_large_response_has_the_id_of_a_request_that_waits_or_is_lost() -> None:
    of = boundaries(metadata_request(7))
    of.lost_ids.lose()
    of.lost_ids.add(10)
    plausible = {
        number for number in range(-2, 14) if of.is_plausible(SERVER, 1 << 20, struct.pack(">i", number) + b"\xff" * 9)
    }
    assert plausible == {7, 8, 9}


def test_client_ids_are_kept_that_a_search_looks_for() -> None:
    of = boundaries()
    assert of.last_client_id == ""
    for client_id in ("shop", None, "s" * 1_024, "s" * 1_025):
        of.know_client(client_id)
    assert (of.client_ids, of.last_client_id) == ({"shop", None, "s" * 1_024}, "s" * 1_024)
    for number in range(1_000):
        of.know_client(f"proxied-{number}")
    assert (len(of.client_ids), of.last_client_id) == (1_000, "proxied-996")


def test_last_ids_are_none_before_the_first() -> None:
    of = boundaries()
    assert (of.last_request, of.last_answer) == (None, None)
    of = boundaries(metadata_request(7), answer_id=0)
    assert (of.last_request, of.last_answer) == (7, 0)


def searched(of: Boundaries, direction: int, *segments: bytes) -> tuple[int, int] | None:
    """Search a direction from its beginning on; give where a frame begins, and how much of it is held."""
    of.begin(direction)
    search = of.searches[direction]
    assert search is not None
    for packet, segment in enumerate(segments):
        search.held.push(data(OF, direction, segment, packet))
    found = of.find(direction, again=False)
    return found and (found[0], found[1].end)


def test_a_search_ends_where_a_request_is_proven() -> None:
    of, rest = boundaries(), b"\xff" * 9
    assert searched(of, CLIENT, rest + metadata_request(8) + heartbeat_request(9)) == (
        9,
        9 + len(metadata_request(8) + heartbeat_request(9)),
    )
    assert (of.searching, of.searches) == (False, [None, None])


def test_a_search_goes_on_where_nothing_is_proven() -> None:
    of = boundaries()
    assert searched(of, CLIENT, b"\xff" * 100) is None
    assert of.searching
    of.end()
    [search] = [each for each in of.searches if each is not None]
    assert search.held.ended


def test_nothing_is_found_where_nothing_is_held() -> None:
    assert searched(boundaries(), CLIENT) is None


def test_a_search_of_answers_goes_by_the_requests_that_wait() -> None:
    rest = b"\xff" * 9
    of = boundaries(metadata_request(7))
    assert searched(of, SERVER, rest + metadata_response(7)) == (9, 9 + len(metadata_response(7)))
    # A Heartbeat's answer is not that of a Metadata request.
    assert searched(boundaries(heartbeat_request(7)), SERVER, rest + metadata_response(7)) is None


def test_messages_before_the_proven_one_are_found_with_it() -> None:
    segments = [b"\xff" * 9, heartbeat_request(7), heartbeat_request(8) + metadata_request(9)]
    assert searched(boundaries(), CLIENT, *segments) == (9, sum(map(len, segments)))


def test_where_no_request_was_captured_answers_prove_themselves() -> None:
    of = boundaries(answer_id=6)
    segments = [b"\xff" * 9, *(metadata_response(number) for number in range(7, 12))]
    found = searched(of, SERVER, *segments)
    assert found is not None
    assert found[0] == 9


@pytest.mark.parametrize("behind_gap", [True, False])
def test_a_search_goes_on_from_where_a_cutter_lost_its_frames(behind_gap: bool) -> None:
    of = boundaries(metadata_request(7))
    both = cutters(of)
    cutter = both[CLIENT]
    cutter.push(data(OF, CLIENT, heartbeat_request(8), 1), 0)
    assert cutter.next_frame() is not None
    place = cutter.offset
    cutter.push_gap(gap(OF, CLIENT, 40, 2))
    of.begin_behind(both, CLIENT, behind_gap)
    search = of.searches[CLIENT]
    assert search is not None
    assert (search.held.end, of.searching) == (cutter.offset, True)
    assert cutter.offset >= place
    search.held.push(data(OF, CLIENT, metadata_request(10) + heartbeat_request(11), 3))
    assert search.held.follows_gap(cutter.offset) == behind_gap
    found = of.find(CLIENT, again=False)
    assert found is not None
    assert found[0] == cutter.offset
