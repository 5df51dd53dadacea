from kafkasniff.calls.call import Call
from kafkasniff.calls.reports import Gap
from tests.diagnose.kinds import heartbeat, join
from tests.diagnose.made import arrival, call, connection, finding, findings

ONE, OTHER = connection(50_001), connection(50_002)


def stuck(took: float, code: int = 27) -> list[Call]:
    """m-1 joins and heartbeats on; m-2 wants to join, and waits."""
    calls = [join(0, 1, member="m-1", client_id="busy", on=ONE)]
    calls += [heartbeat(2 + at, code, member="m-1", client_id="busy", on=ONE) for at in range(int(took) - 1)]
    return [*calls, join(1, 2, member="m-2", took=took, client_id="waiting", on=OTHER)]


def test_rebalance_stuck() -> None:
    found = finding("rebalance-stuck", stuck(took=10))
    assert found.subject.items() >= {"group": "billing", "clientId": "busy", "memberId": "m-1"}.items()
    assert "waiting" in found.summary
    assert findings("rebalance-stuck", stuck(took=9.5)) == []  # less than 80 % of the rebalance timeout of 12 s


def test_a_short_wait_is_healthy_whatever_the_timeout() -> None:
    def waited(took: float) -> list[Call]:
        heard = heartbeat(2, 27, member="m-1", on=ONE)
        return [join(0, 1, timeout_ms=1_000, on=ONE), heard, join(1, 2, member="m-2", took=took, on=OTHER)]

    assert findings("rebalance-stuck", waited(3.4)) == []
    assert finding("rebalance-stuck", waited(3.5)).subject["memberId"] == "m-1"


def test_the_first_join_may_wait_for_others() -> None:
    """group.initial.rebalance.delay.ms goes on while members come, up to the rebalance timeout."""
    assert findings("rebalance-stuck", [join(0, 1, took=12), join(1, 1, member="m-2", took=11)]) == []


def test_lost_bytes_may_tell_who_is_late() -> None:
    calls = stuck(took=10)
    waits = [call for call in calls if call.api_key == 11]
    assert "not heard of" in finding("rebalance-stuck", waits).summary
    gap = Gap(ONE, "10.0.0.1:50001", "10.0.0.2:9092", "response", 100, arrival(5))
    assert findings("rebalance-stuck", [waits[0], gap, waits[1]]) == []  # type: ignore[list-item]


def test_what_stands_behind_a_gap_is_known_later() -> None:
    """The refused heartbeats are read when the connection ends, behind the answer to the join that waited."""
    calls = stuck(took=10)
    gap = Gap(ONE, "10.0.0.1:50001", "10.0.0.2:9092", "response", 100, arrival(20))
    late = [calls[0], calls[-1], gap, *calls[1:-1]]
    assert finding("rebalance-stuck", late).subject["memberId"] == "m-1"  # type: ignore[arg-type]


def test_who_joins_again_soon_is_not_waited_for() -> None:
    soon = join(3, 2, member="m-1", took=8, client_id="busy", on=ONE)
    calls = stuck(took=10)
    assert "not heard of" in finding("rebalance-stuck", [calls[0], calls[1], soon, calls[-1]]).summary
    last = join(10.5, 2, member="m-1", took=0.5, client_id="busy", on=ONE)
    assert finding("rebalance-stuck", [*calls[:-1], last, calls[-1]]).subject["memberId"] == "m-1"


def test_who_leaves_soon_is_not_waited_for() -> None:
    gone = call(13, 4, {"groupId": "billing", "members": [{"memberId": "m-1"}]}, {"errorCode": 0}, at=4, on=ONE)
    calls = stuck(took=10)
    assert "not heard of" in finding("rebalance-stuck", [*calls[:3], gone, calls[-1]]).summary
