"""Two capture points of a cluster whose clocks differ: what both saw is looked at once, by one clock."""

import pytest

from kafkasniff.pipeline.findings.clocks import MOST_CALLS, Shift, fewest, shifts_of
from kafkasniff.pipeline.follow.micro_batch import limits_of
from tests.conftest import SHARED, needs_shared
from tests.pipeline.findings.compared import AHEAD_NS, elsewhere, farther, found, later, wanted, what
from tests.pipeline.runs import write

MISBEHAVE = SHARED / "captures" / "misbehave"


def test_clocks_are_compared_by_the_calls_that_both_saw():
    """The second sees requests 2 ms sooner and answers 2 ms later than the first, by a clock 5 s ahead."""
    near = {key: (key * 100, key * 100 + 50) for key in range(10)}
    far = {
        key: (first + 5_000_000_000 - 2_000_000, last + 5_000_000_000 + 2_000_000)
        for key, (first, last) in near.items()
    }

    assert shifts_of(["a", "b"], {"a": near, "b": far}) == {"b": Shift(5_000_000_000, "a", 10)}
    assert shifts_of(["b", "a"], {"a": near, "b": far}) == {"a": Shift(-5_000_000_000, "b", 10)}


def test_a_clock_is_compared_by_way_of_a_third():
    calls = {
        "a": dict.fromkeys(range(5), (0, 10)),
        "b": dict.fromkeys(range(10), (1000000000, 1000000010)),
        "c": dict.fromkeys(range(5, 10), (3000000000, 3000000010)),
    }
    assert {name: each.ahead_ns for name, each in shifts_of(["a", "b", "c"], calls).items()} == {
        "b": 1_000_000_000,
        "c": 3_000_000_000,
    }


@pytest.mark.parametrize("calls", [{"a": {1: (0, 1)}, "b": {1: (9**9, 9**9)}}, {"a": {}}, {}])
def test_too_few_calls_tell_nothing(calls):
    assert shifts_of(["a", "b"], calls) == {}


@pytest.mark.parametrize(("second", "ahead"), [(1_000_900_000, 1_000_000_000), (1_003_000_000, None)])
def test_two_calls_tell_only_where_they_agree(second, ahead):
    """The clock that the first shows is 1 s ahead; the second shows 0.9 or 3 ms more."""
    calls = {"a": {1: (0, 0), 2: (5, 5)}, "b": {1: (1_000_000_000,) * 2, 2: (second + 5,) * 2}}
    found = shifts_of(["a", "b"], calls)
    assert (found["b"].calls, round(found["b"].ahead_ns, -6)) == (2, ahead) if ahead else found == {}


def test_clocks_that_agree_are_not_touched():
    calls = {"a": {key: (key, key) for key in range(5)}, "b": {key: (key + 900_000, key + 900_000) for key in range(5)}}
    assert shifts_of(["a", "b"], calls) == {}


def test_all_vantages_choose_the_same_calls():
    assert [*fewest(dict.fromkeys(range(2 * MOST_CALLS, 0, -1), (0, 0)))] == [*range(1, MOST_CALLS + 1)]


@needs_shared
@pytest.mark.parametrize(
    "name", ["rebalance-storm-1", "commit-storm-1", "http-to-kafka-port-1", "dead-broker-connect-loop-1"]
)
@pytest.mark.parametrize("ahead", [AHEAD_NS, -AHEAD_NS])
def test_findings_of_two_capture_points_are_those_of_one(spark, tmp_path, name, ahead):
    captures = tmp_path / "captures"
    captures.mkdir()
    near = elsewhere((MISBEHAVE / f"{name}.pcap").read_bytes())
    (captures / "broker.pcap").write_bytes(near)
    (captures / "client.pcap").write_bytes(later(farther(near, 300), ahead))

    outcome = write(spark, [captures], tmp_path / "tables")

    (shift,) = outcome.state.shifts.values()
    assert abs(shift.ahead_ns - ahead) < 1_000_000
    (note,) = [note for note in limits_of(outcome.state, b"") if "the clock of" in note]
    assert f"client is 3.250 s {'ahead of' if ahead > 0 else 'behind'} that of" in note
    ((_, findings),) = found(tmp_path / "tables").items()
    sides = [wanted(str(captures / f"{side}.pcap")) for side in ("broker", "client")]
    assert sorted(map(what, findings)) in [sorted(map(what, side)) for side in sides]
