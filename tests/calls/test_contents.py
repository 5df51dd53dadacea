import struct

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context, GroupProtocol
from tests.calls.memberships import ASSIGNMENT, SUBSCRIPTION, join_group, sized
from tests.protocol.records.made_batches import simple_batch
from tests.render.made_calls import made_call, request_bytes, text


def test_a_subscription_is_decoded() -> None:
    call = made_call(join_group(SUBSCRIPTION), None, outcome="unanswered")
    [entry] = call.decoded
    assert (entry["where"], entry["path"]) == ("request", "protocols[0].metadata")
    assert (entry["type"], entry["version"]) == ("ConsumerProtocolSubscription", 0)
    assert entry["value"]["topics"] == ["orders"]
    assert call.problems == []


def test_what_does_not_decode_is_shown_in_part() -> None:
    call = made_call(join_group(SUBSCRIPTION[:-4]), None, outcome="unanswered")
    [entry] = call.decoded
    assert entry["value"] is None
    assert entry["partial"]["topics"] == ["orders"]
    [problem] = call.problems
    assert (problem.where, problem.offset, problem.path) == ("request", None, "protocols[0].metadata")


def test_an_assignment_is_read_by_the_groups_protocol() -> None:
    request = request_bytes(
        14, 0, 1, "shop", text("billing") + struct.pack(">i", 1) + text("m-1") + struct.pack(">i", 0)
    )
    call = made_call(request, struct.pack(">ih", 1, 0) + sized(ASSIGNMENT))
    call.context = Context(group_protocol=GroupProtocol("consumer", "range"))
    [entry] = call.decoded
    assert (entry["where"], entry["path"], entry["type"]) == ("response", "assignment", "ConsumerProtocolAssignment")
    assert entry["value"]["assignedPartitions"] == [{"topic": "orders", "partitions": [3]}]


def test_tokens_stand_before_what_lies_inside() -> None:
    token = {"where": "request", "path": "authBytes", "type": "PLAIN credentials", "version": None, "value": {}}
    request = request_bytes(36, 0, 1, "shop", sized(b"\0alice\0secret"))
    call = made_call(request, struct.pack(">ih", 1, 0) + text(None) + sized(b""))
    call.context = Context(tokens=(token,))
    assert call.decoded == [token]


def produce(records: bytes, version: int = 8) -> Call:
    """Produce v8 to one partition, with the fields read that a line is made of."""
    body = text(None) + struct.pack(">hii", -1, 1000, 1) + text("orders") + struct.pack(">ii", 1, 4) + sized(records)
    call = made_call(request_bytes(0, version, 1, "shop", body), None, outcome="unanswered")
    call.scan_request(frozenset({"acks"}))
    return call


def test_counted_batches_can_still_be_read() -> None:
    call = produce(simple_batch(3) + simple_batch(2, 3))
    assert call.record_totals("request") == call.record_totals("request") == (5, ("none",))
    assert call.record_totals("response").codecs == set()
    assert call.problems == []
    assert [(item["path"], item["recordCount"]) for item in call.batches] == [
        ("topicData[0].partitionData[0].records", 3),
        ("topicData[0].partitionData[0].records", 2),
    ]
    assert call.record_totals("request") == (5, {"none"})


def test_a_damaged_batch_counts_and_is_a_problem() -> None:
    records = bytearray(simple_batch(3))
    records[-1] ^= 1
    call = produce(bytes(records))
    assert call.record_totals("request") == (3, ["none"])
    [problem] = call.problems
    assert (problem.where, problem.path) == ("request", "topicData[0].partitionData[0].records[0]")
