"""Evidence of requests, weighed on the messages that Kafka's own classes wrote."""

import random
import struct

import pytest

from kafkasniff.calls.resync.evidence import (
    IMPOSSIBLE,
    PROOF,
    PlausibleHeader,
    goes_on,
    may_be_unknown_request,
    next_look,
    produces,
    read_prefix,
    request_header,
    score_request,
    size_doubts,
    tells_client,
)
from tests.calls.hand_made import (
    data,
    gap,
    metadata_request,
    sized,
)
from tests.calls.resync.holding import OF, behind_a_gap, held, rows


def never(correlation_id: int) -> bool:
    return False


def test_every_request_of_kafka_has_a_plausible_header() -> None:
    refused = []
    for row in rows("api-requests.jsonl.gz"):
        content = bytes.fromhex(row["header_hex"] + row["body_hex"])
        header = request_header(sized(content))
        if header is None or header.correlation_id != row["header_json"]["correlationId"]:
            refused.append((row["api_name"], row["api_version"], row["row"]))
    assert refused == []


def test_a_client_id_that_is_longer_than_its_request_is_none() -> None:
    frame = sized(struct.pack(">hhih", 18, 0, 7, 20) + b"shop")
    assert score_request(held(frame + b"\xff" * 40), 0, never) == IMPOSSIBLE


@pytest.mark.parametrize("length", [1025, 10_000, 32_767])
def test_a_client_id_may_have_any_length_of_an_int16(length: int) -> None:
    request = metadata_request(5, client_id="s" * length)
    assert request_header(request[:1100]) == PlausibleHeader(3, 1, 5, "s" * 16, cut=True)
    assert score_request(held(request), 0, never).points >= PROOF
    # Its beginning must be text: a length alone says little.
    assert request_header(request[: 14 + 16]) is not None
    assert request_header(request[: 14 + 15]) is None
    assert request_header(request[:20] + b"\x01" + request[21:]) is None


def test_two_requests_that_follow_each_other_are_proof() -> None:
    weak = []
    for row in rows("api-requests.jsonl.gz"):
        if row["api_key"] == 17 or not any(bytes.fromhex(row["header_hex"])[:10]):
            continue
        content = bytes.fromhex(row["header_hex"] + row["body_hex"])
        content = content[:4] + struct.pack(">i", 1) + content[8:]
        points = score_request(held(sized(content) + metadata_request(2)), 0, never).points
        if points < PROOF:
            weak.append((row["api_name"], row["api_version"], row["row"], points))
    assert weak == []


@pytest.mark.parametrize("shift", [1, 2, 3, 5, 8, 13])
def test_a_place_beside_a_frame_is_none(shift: int) -> None:
    stream = held(metadata_request(1) + metadata_request(2) + metadata_request(3))
    assert score_request(stream, 0, never).points >= PROOF
    assert score_request(stream, shift, never) == IMPOSSIBLE


def test_a_frame_that_ends_inside_another_is_impossible() -> None:
    wrong = struct.pack(">i", 40) + metadata_request(1)[4:]
    assert score_request(held(wrong + metadata_request(2)), 0, never) == IMPOSSIBLE


def test_random_bytes_are_no_proof() -> None:
    chance = random.Random(11)
    for _ in range(200):
        stream = held(*(chance.randbytes(200) for _ in range(5)))
        assert all(score_request(stream, place, never).points < PROOF for place in range(0, 1000, 7))


def test_a_known_client_id_or_an_answer_adds_points() -> None:
    stream = held(metadata_request(1)[:-3])
    alone = score_request(stream, 0, never).points
    assert score_request(stream, 0, {1}.__contains__).points == alone + 2
    assert score_request(stream, 0, never, {"shop"}).points >= PROOF


def test_responses_that_look_like_requests_are_no_proof() -> None:
    """ListOffsets v1 responses of kafka-go, which read as Produce v1 requests that leave bytes behind."""
    first, second = (
        bytes.fromhex("00000032" + number + "00000001000e")
        + b"orders-segment"
        + bytes.fromhex("00000001000000000000")
        + end
        for number, end in (("00000001", b"\xff" * 8 + bytes(8)), ("00000002", b"\xff" * 8 + bytes(7) + b"#"))
    )
    assert score_request(held(first, second), 0, never).points < PROOF


def test_a_length_that_leads_to_a_request_is_no_frame() -> None:
    # The size of a message set, and its beginning as a header: Produce v0, id 500, an empty client id.
    stream = held(b"tail" + struct.pack(">ihhih", 109, 0, 0, 500, 0) + b"\x00\x61\xff\xff")
    stream.push_gap(gap(OF, 0, 109 + 4 - 18, 2))
    stream.push(data(OF, 0, metadata_request(14), 3))
    assert score_request(stream, 4 + 4 + 109, never).points >= PROOF
    assert score_request(stream, 4, never) == IMPOSSIBLE
    assert score_request(stream, 4, never, {""}).points >= PROOF


@pytest.mark.parametrize(("correlation_id", "proven"), [(34, True), (34 << 16, False)])
def test_small_integers_two_bytes_further_are_no_request(correlation_id: int, proven: bool) -> None:
    """Found by damage: 12, 34 and the length of a text, as of a record's value, read as a Heartbeat."""
    content = struct.pack(">hhih", 12, 0, correlation_id, 7) + b"a value of some length, and more of it"
    made = behind_a_gap(b"text" * 10, 40, sized(content + bytes(9000))[: 4 + len(content)])
    made.push_gap(gap(OF, 0, 20_000, 2))
    made.push(data(OF, 0, bytes(9), 3))
    assert (score_request(made, 80, never).points >= PROOF) == proven


@pytest.mark.parametrize(("before", "follows"), [(None, False), ("shop-7", False), ("shop-12", True)])
def test_a_client_id_that_is_cut_names_one_that_begins_so(before: str | None, follows: bool) -> None:
    following = struct.pack(">ihhih", 60, 3, 1, 9, 7) + b"shop-1"
    made = held(following)
    made.push_gap(gap(OF, 0, 44, 1, cut=True))
    made.push(data(OF, 0, bytes(9), 2))
    assert goes_on(made, PlausibleHeader(3, 1, 60, before, cut=False), 0) == follows
    assert goes_on(made, PlausibleHeader(3, 1, 8, before, cut=False), 0)


def header_of(
    api_key: int, version: int, correlation_id: int, client_id: bytes | None, *, size: int | None = None
) -> bytes:
    """Size and request header v1, by KIP's layout: key, version, correlation id, and a string of int16 length."""
    content = struct.pack(">hhi", api_key, version, correlation_id)
    content += struct.pack(">h", -1) if client_id is None else struct.pack(">h", len(client_id)) + client_id
    return struct.pack(">i", len(content) if size is None else size) + content


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        (header_of(3, 1, 7, b"shop"), PlausibleHeader(3, 1, 7, "shop", cut=False)),
        (header_of(3, 1, -7, None), PlausibleHeader(3, 1, -7, None, cut=False)),
        (header_of(3, 1, 7, b""), PlausibleHeader(3, 1, 7, "", cut=False)),
        # ControlledShutdown v0 alone has no client id.
        (struct.pack(">ihhi", 8, 7, 0, 5), PlausibleHeader(7, 0, 5, None, cut=False)),
        (struct.pack(">ihhi", 7, 7, 0, 5), None),
        (header_of(3, 1, 7, b"shop", size=1 << 30), PlausibleHeader(3, 1, 7, "shop", cut=False)),
        (header_of(3, 1, 7, b"shop", size=(1 << 30) + 1), None),
        (header_of(3, 1, 7, b"shop", size=-14), None),
        # A client id fits into its message. Of one of more than 1,024 bytes the first 16 are looked at.
        (header_of(3, 1, 7, b"shop", size=14), PlausibleHeader(3, 1, 7, "shop", cut=False)),
        (header_of(3, 1, 7, b"shop", size=13), None),
        (header_of(3, 1, 7, b"s" * 1_024), PlausibleHeader(3, 1, 7, "s" * 1_024, cut=False)),
        (header_of(3, 1, 7, b"s" * 1_025), PlausibleHeader(3, 1, 7, "s" * 16, cut=True)),
        (header_of(3, 1, 7, b"s" * 1_025, size=1_034), None),
        (struct.pack(">ihhih", 60, 3, 1, 7, -2), None),
        # What is cut off, also within a character, is told; what is no UTF-8 is none.
        (header_of(3, 1, 7, "naïve".encode())[:-3], PlausibleHeader(3, 1, 7, "na", cut=True)),
        (header_of(3, 1, 7, "naïve".encode())[:-2], PlausibleHeader(3, 1, 7, "naï", cut=True)),
        (header_of(3, 1, 7, b"na\xffve")[:-1], None),
        (header_of(3, 1, 7, b"na\xc3"), None),
    ],
)
def test_a_plausible_header(prefix: bytes, expected: PlausibleHeader | None) -> None:
    assert request_header(prefix) == expected


@pytest.mark.parametrize(
    ("api_key", "version", "plausible"),
    [
        # protocol-facts: Metadata 0-13 in Kafka 4.4, ApiVersions 0-5.
        *((3, -1, False), (3, 0, True), (3, 13, True), (3, 14, False)),
        *((18, -1, False), (18, 5, True), (18, 15, True), (18, 16, False)),
        *((-1, 0, False), (94, 0, True), (95, 0, False)),
    ],
)
def test_versions_that_were_ever_shipped_are_plausible(api_key: int, version: int, plausible: bool) -> None:
    """A newer one passes for ApiVersions alone (KIP-511)."""
    assert (request_header(header_of(api_key, version, 7, b"shop")) is not None) == plausible


@pytest.mark.parametrize(
    ("client_id", "known", "tells"),
    [
        *((None, {None}, False), ("", {""}, False), ("abc", (), False), ("abc", {"abc"}, True)),
        *(("shop", (), True), ("sho\n", (), False), ("sho\n", {"sho\n"}, True), ("sho\ufffd", (), False)),
    ],
)
def test_a_client_id_tells_by_being_known_or_by_four_characters(
    client_id: str | None, known: set[str | None], tells: bool
) -> None:
    assert tells_client(client_id, known) == tells


@pytest.mark.parametrize(
    ("prefix", "known", "unknown"),
    [
        (header_of(500, 0, 7, b"shop"), (), True),
        (header_of(3, 99, 7, b"shop"), (), True),
        (header_of(3, 1, 7, b"shop"), (), False),
        (header_of(-2, 0, 7, b"shop"), (), False),
        (header_of(500, -1, 7, b"shop"), (), False),
        (header_of(500, 0, 7, b"sho"), (), False),
        (header_of(500, 0, 7, b"sho"), {"sho"}, True),
        (header_of(500, 0, 7, b"s", size=11), {"s"}, True),
        (header_of(500, 0, 7, b"s", size=10), {"s"}, False),
        (header_of(500, 0, 7, b"shop", size=1 << 30), (), True),
        (header_of(500, 0, 7, b"shop", size=(1 << 30) + 1), (), False),
        # Its end is not there.
        (header_of(500, 0, 7, b"shop-7")[:-1], (), False),
        (header_of(500, 0, 7, None), {None}, False),
        (header_of(500, 0, 7, b"\xffshop"), (), False),
        (header_of(500, 0, 7, b"shop")[:9], (), False),
    ],
)
def test_an_api_that_is_not_known_may_be_told_by_its_client(
    prefix: bytes, known: set[str | None], unknown: bool
) -> None:
    assert may_be_unknown_request(prefix, known) == unknown


def test_as_much_is_read_as_a_header_needs() -> None:
    whole = header_of(3, 1, 7, b"shop")
    content = whole + b"body"
    stream = held(struct.pack(">i", len(content) - 4) + content[4:])
    assert read_prefix(stream, 0) == stream.read(0, 18)
    # Without its first 12 bytes nothing can be said, nor without the length of its client id.
    for there, enough in ((11, False), (12, False), (13, False), (14, False), (17, False), (18, True)):
        assert (read_prefix(held(whole[:there]), 0) is not None) == enough, there
    # A message of 8 to 10 bytes has no client id.
    for size, there in ((8, 12), (9, 13), (10, 14)):
        assert (
            read_prefix(held(struct.pack(">ihhih", size, 7, 0, 5, 4) + b"more"), 0)
            == struct.pack(">ihhih", size, 7, 0, 5, 4)[:there]
        )
    # A size that is none is told whatever follows; a length that is none counts as no client id.
    assert read_prefix(held(struct.pack(">ihhi", 7, 7, 0, 5)), 0) == struct.pack(">ihhi", 7, 7, 0, 5)
    none = struct.pack(">ihhih", 60, 3, 1, 7, 1_025)
    assert read_prefix(held(none + b"shop"), 0) == none


def test_a_long_client_id_is_read_too_and_one_that_a_gap_cuts_as_far_as_it_goes() -> None:
    whole = header_of(3, 1, 7, b"s" * 200)
    assert read_prefix(held(whole + b"body"), 0) == whole
    assert read_prefix(held(whole[:-1]), 0) is None
    stream = held(whole[:150])
    assert read_prefix(stream, 0) is None
    stream.push_gap(gap(OF, 0, 500, 1))
    assert read_prefix(stream, 0) == whole[:150]


END_OF_STREAM, SEGMENT, BODY = 1, 1, 2
"""Points of a frame that ends where the stream does, of one that begins a segment, and of a body that decodes."""


def metadata_of(client_id: bytes | None, correlation_id: int = 7) -> bytes:
    """Metadata v1 for one topic."""
    content = header_of(3, 1, correlation_id, client_id)[4:] + struct.pack(">ih", 1, 6) + b"orders"
    return sized(content)


@pytest.mark.parametrize(
    ("client_id", "known", "points"),
    [
        *((b"shop", (), 3), (b"shop", {"shop"}, 4), (b"abc", (), 2), (b"abc", {"abc"}, 4)),
        *((None, (), 1), (b"", (), 0), (b"sho\n", (), 0)),
    ],
)
def test_points_of_a_client_id(client_id: bytes | None, known: set[str | None], points: int) -> None:
    score = score_request(held(metadata_of(client_id)), 0, never, known)
    assert score.points == points + SEGMENT + BODY + END_OF_STREAM


@pytest.mark.parametrize(
    ("previous_id", "points"), [(None, 0), (6, 1), (7 - 16, 1), (7 - 17, 0), (7, 0), (8, 0)], ids=str
)
def test_points_of_an_id_that_counts_on(previous_id: int | None, points: int) -> None:
    score = score_request(held(metadata_of(b"shop")), 0, never, (), previous_id)
    assert score.points == 3 + SEGMENT + BODY + END_OF_STREAM + points


def test_points_of_where_a_request_begins() -> None:
    request = metadata_of(b"shop")
    for stream, place, points in (
        (held(b"text" + request), 4, 0),
        (held(b"text", request), 4, 2),
        (held(b"text" * 200, request), 800, 1),
        (behind_a_gap(b"text", 5, request), 9, 2),
    ):
        assert score_request(stream, place, never).points == 3 + BODY + END_OF_STREAM + points


@pytest.mark.parametrize(
    ("correlation_id", "doubt"), [(0, 0), (1, 0), (0xFFFF, 0), (1 << 16, 3), (0x10001, 0), (-1 << 16, 3)], ids=hex
)
def test_an_id_whose_lower_half_is_zero_is_doubted(correlation_id: int, doubt: int) -> None:
    stream = held(metadata_of(b"shop", correlation_id))
    assert score_request(stream, 0, never).points == 3 + SEGMENT + BODY + END_OF_STREAM - doubt
    assert score_request(stream, 0, {correlation_id}.__contains__).points == 3 + SEGMENT + BODY + END_OF_STREAM + 2
    assert score_request(stream, 0, never, {"shop"}).points == 4 + SEGMENT + BODY + END_OF_STREAM


@pytest.mark.parametrize(
    ("client_id", "left", "known", "points"),
    [
        (b"shop", 16, (), PROOF - 1),
        (b"shop", 16, {"shop"}, 4 + SEGMENT + END_OF_STREAM),
        (b"shop", 17, {"shop"}, -1),
        (b"", 1, (), -1),
        (None, 1, (), -1),
    ],
)
def test_a_client_with_a_name_may_leave_sixteen_bytes(
    client_id: bytes | None, left: int, known: set[str | None], points: int
) -> None:
    stream = held(sized(metadata_of(client_id)[4:] + b"\xff" * left))
    assert score_request(stream, 0, never, known).points == points


def test_size_doubts() -> None:
    stream = held(bytes(40))
    for size, ended, end, doubts in (
        ((16 << 20) - 1, False, 40, 0),
        (16 << 20, False, 40, 1),
        (40, True, 40, 0),
        (40, True, 41, 1),
        (40, False, 41, 0),
        (16 << 20, True, 41, 2),
    ):
        stream.ended = ended
        assert size_doubts(stream, size, end) == doubts, (size, ended, end)


def test_where_a_look_is_worth_it_again() -> None:
    stream = held(bytes(5_000))
    # There is a frame's end; it lacks, and few bytes of it are there; there are 4 kB of it.
    assert next_look(stream, 4_990, 5_000) == 5_000
    assert next_look(stream, 4_990, 5_001) == 5_001
    assert next_look(stream, 905, 6_000) == 5_001
    assert next_look(stream, 904, 6_000) == 6_000
    assert next_look(stream, 903, 6_000) == 6_000


@pytest.mark.parametrize(
    ("following", "leads"),
    [(7, False), (8, True), (7 + 16, True), (7 + 17, False), (6, False)],
)
def test_another_client_goes_on_with_an_id_soon_behind(following: int, leads: bool) -> None:
    stream = held(metadata_request(following, client_id="carts"))
    assert goes_on(stream, PlausibleHeader(3, 1, 7, "shop", cut=False), 0) == leads
    assert goes_on(stream, PlausibleHeader(3, 1, 7, "carts", cut=False), 0)


def test_what_is_not_there_or_no_header_contradicts_nothing() -> None:
    header = PlausibleHeader(3, 1, 7, "shop", cut=False)
    assert goes_on(held(b"\0\0"), header, 0)
    assert goes_on(held(b"\xff" * 40), header, 0)


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("orders", True),
        ("a.B_c-9", True),
        ("o" * 249, True),
        ("o" * 250, False),
        ("", False),
        ("a b", False),
        ("ä", False),
    ],
)
def test_a_produce_names_a_topic_that_kafka_takes(name: str, legal: bool) -> None:
    """org.apache.kafka.common.internals.Topic: 249 of ASCII's letters, digits, dot, underscore and hyphen."""
    body = {"topicData": [{"name": "no name!"}, {"name": name}]}
    assert produces(PlausibleHeader(0, 3, 7, None, cut=False), body) == legal
    assert not produces(PlausibleHeader(1, 3, 7, None, cut=False), body)


@pytest.mark.parametrize(
    ("length", "size", "there"),
    [
        # All of an id of up to 1,024 bytes; of a longer one, where it fits into the message, the first 16.
        (1_024, 14 + 1_024, 14 + 1_024),
        (1_025, 10 + 1_025, 30),
        (1_025, 10 + 1_024, 14),
        (1_025, 1 << 30, 30),
        (1_025, (1 << 30) + 1, 14),
    ],
)
def test_as_much_of_a_client_id_is_read_as_says_enough(length: int, size: int, there: int) -> None:
    request = header_of(3, 1, 7, b"s" * length, size=size) + b"body"
    assert read_prefix(held(request), 0) == request[:there]
