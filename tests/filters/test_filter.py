import pytest

import kafkasniff
from kafkasniff.calls.call import Call
from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading
from tests.conftest import CAPTURES
from tests.render.made_calls import NOON, heartbeat_call, metadata_call

CAPTURE = str(CAPTURES / "java-4.3.1-basic.pcap")


def test_a_pending_call_counts_as_slow_by_the_time_it_waited() -> None:
    call = heartbeat_call(outcome="response-not-captured")
    call.pending_ns = 5_000_000
    assert Filter("latency > 4ms").wants(call)
    assert not Filter("latency > 6ms").wants(call)


def test_times_count_from_the_first_packet() -> None:
    for expression, wanted in (
        ("time >= +123456us", True),
        ("time > +123456us", False),
        ("time < 2026-11-20T12:00:00.123456", False),
        ("time >= 12:00:00.1 and time < 12:00:00.2", True),
    ):
        chosen = Filter(expression)
        chosen.start_at(NOON)
        assert chosen.wants(metadata_call()) is wanted


def test_what_no_header_lets_through_has_no_body_read() -> None:
    call = metadata_call()
    assert call.request is not None
    # Whoever read it would find nothing there.
    call.request.data = b""
    for expression in ("topic == orders and api == fetch", "api == fetch and request.acks == 1", "topic and port == 1"):
        assert not Filter(expression).wants(call)
    assert Filter("topic == orders or client_id == shop").wants(call)
    assert call._request_body is None
    assert call._response_body is None


def test_a_name_that_is_not_utf_8_on_the_wire() -> None:
    # Shown with U+FFFD, as Java does.
    call = heartbeat_call(group="billing")
    assert call.request is not None
    call.request.data = call.request.data.replace(b"billing", b"bill\xffng")
    assert Filter("group == 'bill\ufffdng'").wants(call)
    assert not Filter("group == billing").wants(call)


def test_topics_are_found_by_bytes_behind_the_calls_that_are_looked_at_all() -> None:
    chosen = Filter("topic == payments or topic == pay*nts")
    assert not any(chosen.wants(metadata_call(topic=f"t{number}")) for number in range(1500))
    assert chosen.wants(metadata_call(topic="payments"))
    assert not chosen.wants(metadata_call(topic="no-payments"))


def test_secrets_are_not_told_by_what_matches() -> None:
    calls = {
        shown: sum(isinstance(item, Call) for item in Reading(
            [str(CAPTURES / "sasl-plain-java.pcap")], show_secrets=shown, where="request.authBytes ~ ^AGFsaWNl"
        ))
        for shown in (False, True)
    }  # fmt: skip
    assert calls[False] == 0
    # "\0alice" in base64.
    assert calls[True] > 0


def test_from_python() -> None:
    reading = kafkasniff.read(CAPTURE, where="api == fetch and topic == orders")
    calls = list(reading)
    assert {call.api_name for call in calls if isinstance(call, Call)} == {"FETCH"}
    assert reading.summary.matched == len(calls) > 0
    with pytest.raises(FilterError, match="no field is called"):
        kafkasniff.read(CAPTURE, where="nonsense == 1")
    reading = kafkasniff.read(CAPTURE, where=Filter("topic == nosuch"))
    assert list(reading) == []
    assert reading.summary.matched == 0
    assert reading.summary.values_seen == "; topics seen: __consumer_offsets, orders"


def test_gaps_are_wanted_where_nothing_is_asked_about_calls() -> None:
    path = str(CAPTURES / "loss-reorder-client-side.pcap")
    items = {
        where: list(Reading([path], connections=True, where=where)) for where in (None, "port > 0", "api", "port == 1")
    }
    assert len(items[None]) == len(items["port > 0"]) > 0
    assert all(isinstance(item, Call) for item in items["api"])
    assert items["port == 1"] == []
