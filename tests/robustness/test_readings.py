"""Captures that can be read in two ways, and which reading is taken; docs/boundaries.md says why.

The messages were written by Kafka's own classes.
"""

from dataclasses import replace
from random import Random

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.calls.engine import Engine
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import Gap
from kafkasniff.tcp.events import ConnectionEnd, StreamData
from kafkasniff.tcp.reassembler import Reassembler
from tests.conformance.vector_rows import rows
from tests.robustness.compare import compare
from tests.robustness.conversations import Conversation, SentCall, combine, compose, vector_call
from tests.robustness.damage import retransmitted, several, shuffled
from tests.robustness.oracle import expect
from tests.robustness.packets import ACK, FIN, PSH, RST, SYN, Packet, batches, header_length, transmit
from tests.robustness.running import printed

MILLISECOND = 1_000_000
START = 1_790_000_000_000_000_000
CLIENT_ID = "producer-1"


def answered_calls(seed: object, count: int, first_id: int = 0) -> list[SentCall]:
    rng, drawn = Random(str(seed)), list[SentCall]()
    while len(drawn) < count:
        call = vector_call(rng, first_id + len(drawn)).from_client(CLIENT_ID)
        if call.response is not None and len(call.request.frame) > 100 and len(call.response.frame) > 20:
            drawn.append(call)
    return drawn


def conversation(calls: list[SentCall], port: int = 50_001, start: int = START) -> Conversation:
    return Conversation(("10.0.0.1", port), ("10.9.9.9", 39_092), calls, "idle", start)


def engine_items(packets: list[Packet]) -> list[Item]:
    engine = Engine()
    return [item for batch in batches(packets) for item in engine.feed(batch)] + engine.flush()


def outcomes(items: list[Item]) -> list[tuple[int, str]]:
    return [(item.correlation_id, item.outcome) for item in items if isinstance(item, Call)]


def told(call: Call) -> list[str]:
    return [problem.message for problem in call.problems]


# Segments reordered across the reuse of a 4-tuple


def reused(close: str, seed: int, pause: int) -> tuple[list[Conversation], list[Packet], Packet]:
    """Two connections on one 4-tuple, so many ms from the start of one to that of the other.

    The last answer of the first is captured behind the handshake of the second.
    """
    first, second = answered_calls(f"first {seed}", 4), answered_calls(f"second {seed}", 4, first_id=100)
    both = [conversation(first), conversation(second, start=START + pause * MILLISECOND)]
    packets = transmit(both, Random(seed), close=close)
    late = [packet for packet in packets if packet.conversation == 0 and packet.direction == 1 and packet.payload][-1]
    kept = [packet for packet in packets if packet is not late]
    place = next(number for number, packet in enumerate(kept) if packet.conversation == 1 and packet.payload)
    return both, [*kept[:place], replace(late, time=kept[place].time), *kept[place:]], late


ENDS = [("open", 400, True), ("fin", 400, True), ("rst", 400, True), ("fin", 3_000, False), ("rst", 3_000, False)]
"""How the first connection ended, how long before the second, and whether its end still waited for late segments."""


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("close", "pause", "waits"), ENDS)
def test_late_segments_are_none_of_the_next_connection(close: str, pause: int, waits: bool, seed: int) -> None:
    both, packets, late = reused(close, seed, pause)
    reassembler = Reassembler()
    events = [event for batch in batches(packets) for event in reassembler.feed(batch)] + reassembler.flush()
    ends = sorted((event.connection for event in events if isinstance(event, ConnectionEnd)), key=lambda one: one.epoch)
    assert [connection.epoch for connection in ends] == [0, 1]
    for number, connection in enumerate(ends):
        data = [event for event in events if isinstance(event, StreamData) and event.connection is connection]
        for direction in (0, 1):
            seen = b"".join(event.data for event in data if event.direction == direction)
            sent = b"".join(message.frame for message in both[number].messages(direction))
            cut = len(late.payload) if (number, direction) == (0, 1) and not waits else 0
            assert seen == sent[: len(sent) - cut]
    assert reassembler.counters.after_end >= (not waits)


@pytest.mark.parametrize(("close", "pause", "waits"), ENDS)
def test_a_late_answer_is_shown_while_its_connection_waits_for_it(close: str, pause: int, waits: bool) -> None:
    """A second and 64 packets; behind that it is a gap, as the client had acknowledged it."""
    _, packets, late = reused(close, 1, pause)
    items = engine_items(packets)
    last = "answered" if waits else "response-not-captured"
    expected = [*((number, "answered") for number in (0, 1, 2)), (3, last)]
    assert sorted(outcomes(items)) == expected + [(number, "answered") for number in (100, 101, 102, 103)]
    gaps = [(item.direction, item.length) for item in items if isinstance(item, Gap)]
    assert gaps == ([] if waits else [("response", len(late.payload))])


@pytest.mark.parametrize("close", ["open", "fin", "rst"])
def test_data_captured_before_the_syn_of_their_connection_are_its_own(close: str) -> None:
    both, _, _ = reused(close, 1, 400)
    packets = transmit(both, Random(1), close=close)
    syn = next(packet for packet in packets if packet.conversation == 1)
    early = next(packet for packet in packets if packet.conversation == 1 and packet.payload)
    kept = [packet for packet in packets if packet is not early]
    place = kept.index(syn)
    items = engine_items([*kept[:place], replace(early, time=syn.time), *kept[place:]])
    expected = [(number, "answered") for number in (0, 1, 2, 3, 100, 101, 102, 103)]
    assert sorted(outcomes(items)) == expected
    assert not [item for item in items if isinstance(item, Gap)]


@pytest.mark.parametrize("closed", [True, False])
def test_a_connection_taken_over_without_an_end_does_not_tell_that_there_was_no_answer(closed: bool) -> None:
    asked = SentCall(answered_calls("asked", 1)[0].request, None)
    second = conversation(answered_calls("second", 1, first_id=100), start=START + 3_000 * MILLISECOND)
    packets = transmit([conversation([asked]), second], Random(1), close="fin")
    kept = [packet for packet in packets if closed or packet.conversation or not packet.flags & FIN]
    first = "unanswered" if closed else "response-not-captured"
    assert sorted(outcomes(engine_items(kept))) == [(0, first), (100, "answered")]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("close", ["open", "fin", "rst"])
def test_nothing_is_invented_where_4_tuples_are_used_again(close: str, seed: int) -> None:
    rng = Random(f"{seed}")
    conversations = compose(rng, connections=8, calls=14, reuse=True, large_every=7)
    packets = several(retransmitted, shuffled)(transmit(conversations, rng, close=close), rng)
    outcome = compare(printed(batches(packets)), conversations, expect(conversations, packets))
    assert outcome.invented == []
    assert outcome.calls_followed.part > 0.93


# A Produce whose acks the snap length cut off


def produce_calls() -> list[SentCall]:
    """Produce requests of each version, with all acks that the vectors have; none is answered here."""
    found = []
    for row in rows("api-requests"):
        if row["api_key"] == 0 and row["row"] in ("full", "default", "random0", "nulls1"):
            call = combine(row, next(each for each in rows("api-responses") if each["api_key"] == 0), 7)
            found.append(SentCall(call.request.from_client("a client with a long name " * 3), None))
    return [call for call in found if len(call.request.frame) < 1_400]


PRODUCE = produce_calls()


@pytest.mark.parametrize("call", PRODUCE, ids=lambda call: f"v{call.request.api_version}-{call.request.body['acks']}")
def test_whether_a_produce_was_to_be_answered_is_not_known_without_its_acks(call: SentCall) -> None:
    before, after = answered_calls("produce", 2)
    packets = transmit([conversation([before, call, after.numbered(8)])], Random(1))
    (produce,) = [packet for packet in packets if packet.payload == call.request.frame]
    for kept in range(call.request.header_end, len(produce.payload) + 1, 1):
        snapped = replace(produce, snap_length=header_length(produce) + kept)
        items = engine_items([snapped if packet is produce else packet for packet in packets])
        (found,) = [item for item in items if isinstance(item, Call) and item.api_key == 0 and item.correlation_id == 7]
        if "the capture cuts acks off here: it is not known whether an answer was to come" in told(found):
            assert (found.outcome, found.pending_ns) == ("response-not-captured", None)
        else:
            assert found.outcome == ("no-response-expected" if call.request.body["acks"] == 0 else "unanswered")
            # transactionalId stands before acks from version 3 on (KIP-98).
            name = call.request.body.get("transactionalId") or ""
            assert kept >= call.request.header_end + len(name.encode()) + 2
            return
    raise AssertionError


# How long an answer was out when the capture ended


def test_a_request_is_pending_until_the_end_of_the_capture() -> None:
    """Not until the last packet of its own connection: an answer would have been captured up to the last of all."""
    asking, other = answered_calls("asking", 1)[0], answered_calls("other", 1)[0]
    packets = transmit([conversation([SentCall(asking.request, None)])], Random(1), close="open")
    sent = next(packet for packet in packets if packet.payload)
    later = transmit([conversation([other], 50_002, START + 50 * MILLISECOND)], Random(2), close="open")
    shift = sent.time + 86 * MILLISECOND - later[-1].time
    packets += [replace(packet, time=packet.time + shift) for packet in later]
    items = engine_items(sorted(packets, key=lambda packet: packet.time))
    (pending,) = [item for item in items if isinstance(item, Call) and item.outcome == "response-not-captured"]
    assert pending.pending_ns == 86 * MILLISECOND


# A gap at the end of a connection


@pytest.mark.parametrize("acknowledged", [0, 60, 100])
@pytest.mark.parametrize("packets_behind", [0, 40, 200])
@pytest.mark.parametrize("flags", [FIN | ACK, RST | ACK, RST])
def test_a_gap_before_fin_or_rst_is_one_up_to_its_number(flags: int, packets_behind: int, acknowledged: int) -> None:
    """Who sends FIN or RST had sent all bytes before its number; however piecemeal that is found, it is one gap."""
    (call,) = answered_calls("gap", 1)
    packets = transmit([conversation([call])], Random(1), close="open")
    last = [packet for packet in packets if packet.direction == 0][-1]
    back = [packet for packet in packets if packet.direction == 1][-1]
    time = packets[-1].time

    def later(packet: Packet, **changes: int) -> Packet:
        nonlocal time
        time += 100_000
        return replace(packet, time=time, payload=b"", **changes)

    if acknowledged:
        packets.append(later(back, flags=ACK, seq=back.seq + len(back.payload), ack=last.seq + acknowledged))
    packets += [later(packets[-1]) for _ in range(packets_behind)]
    packets.append(later(last, flags=flags, seq=(last.seq + 100) & 0xFFFFFFFF))
    packets += [later(back, flags=ACK, seq=back.seq + len(back.payload)) for _ in range(packets_behind)]
    items = engine_items(packets)
    assert [(item.direction, item.length) for item in items if isinstance(item, Gap)] == [("request", 100)]
    assert outcomes(items) == [(0, "answered")]
    assert not last.flags & (SYN | PSH)
