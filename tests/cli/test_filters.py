from typing import Any

import pytest
import typer

from kafkasniff.cli.filters import Filters, Moment, api_keys, duration_ns, error_codes, moment
from tests.render.made_calls import NOON, heartbeat_call, metadata_call


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("100", 100_000_000),
        ("100ms", 100_000_000),
        ("1.5 s", 1_500_000_000),
        ("2S", 2_000_000_000),
        ("10us", 10_000),
        ("10µs", 10_000),
        ("1m", 60_000_000_000),
        ("0", 0),
    ],
)
def test_durations(text: str, nanoseconds: int) -> None:
    assert duration_ns(text, "--slower-than") == nanoseconds


@pytest.mark.parametrize("text", ["", "ms", "-5ms", "5 parsecs", "1e3", "5ms5", "9" * 400 + "s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        duration_ns(text, "--slower-than")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20T12:00:00Z", Moment(NOON, relative=False)),
        ("2026-11-20T12:00:00", Moment(NOON, relative=False)),
        ("2026-11-20 14:00:00.000001+02:00", Moment(NOON + 1000, relative=False)),
        ("2026-11-20", Moment(NOON - 43_200_000_000_000, relative=False)),
        ("1969-12-31T23:59:59Z", Moment(-1_000_000_000, relative=False)),
        ("+5", Moment(5_000_000_000, relative=True)),
        ("+250ms", Moment(250_000_000, relative=True)),
    ],
)
def test_moments(text: str, expected: Moment) -> None:
    assert moment(text, "--from") == expected


def test_names_in_any_form() -> None:
    assert api_keys(["3", "list_offsets", "ApiVersions", "900"]) == {3, 2, 18, 900}
    assert error_codes(["6", "not_coordinator", "any"]) == {6, 16}


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        (Filters(), True),
        (Filters(api_keys=frozenset([3, 12])), True),
        (Filters(api_keys=frozenset([12])), False),
        (Filters(client_ids=frozenset(["shop"])), True),
        (Filters(client_ids=frozenset(["sho"])), False),
        (Filters(hosts=frozenset(["10.0.0.2"])), True),
        (Filters(hosts=frozenset(["10.0.0.2:9092"])), True),
        (Filters(hosts=frozenset(["10.0.0.2:9093"])), False),
        (Filters(ports=frozenset([51234])), True),
        (Filters(ports=frozenset([9093])), False),
        (Filters(connections=frozenset(["10.0.0.1:51234-10.0.0.2:9092"])), True),
        (Filters(topics=frozenset(["orders"])), True),
        (Filters(topics=frozenset(["order"])), False),
        (Filters(groups=frozenset(["billing"])), False),
        (Filters(any_error=True), True),
        (Filters(error_codes=frozenset([6])), True),
        (Filters(error_codes=frozenset([5])), False),
        (Filters(slower_than_ns=1_233_999), True),
        (Filters(slower_than_ns=1_234_000), False),
        (Filters(begin=Moment(123_456_000, relative=True)), True),
        (Filters(begin=Moment(123_456_001, relative=True)), False),
        (Filters(end=Moment(NOON + 123_456_000, relative=False)), False),
        (Filters(api_keys=frozenset([3]), client_ids=frozenset(["other"])), False),
    ],
)
def test_calls(filters: Filters, shown: bool) -> None:
    assert filters.shows_call(metadata_call(error_code=6), NOON) is shown


def test_groups() -> None:
    assert Filters(groups=frozenset(["billing"])).shows_call(heartbeat_call(), NOON)


def test_a_pending_call_counts_as_slow_by_the_time_it_waited() -> None:
    call = heartbeat_call(outcome="response-not-captured")
    call.pending_ns = 5_000_000
    assert Filters(slower_than_ns=4_000_000).shows_call(call, NOON)
    assert not Filters(slower_than_ns=6_000_000).shows_call(call, NOON)


def test_filters_on_headers_decode_no_body(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a body was decoded")

    monkeypatch.setattr("kafkasniff.calls.call.decode_body", refuse)
    header_only = Filters(
        api_keys=frozenset([3]),
        client_ids=frozenset(["shop"]),
        hosts=frozenset(["10.0.0.2"]),
        ports=frozenset([9092]),
        slower_than_ns=1,
        begin=Moment(0, relative=True),
    )
    assert header_only.shows_call(metadata_call(), NOON)


def test_a_name_that_is_not_utf_8_on_the_wire() -> None:
    # Shown with U+FFFD, as Java does.
    call = heartbeat_call(group="billing")
    assert call.request is not None
    call.request.data = call.request.data.replace(b"billing", b"bill\xffng")
    assert Filters(groups=frozenset(["bill\ufffdng"])).shows_call(call, NOON)
    assert not Filters(groups=frozenset(["billing"])).shows_call(call, NOON)
