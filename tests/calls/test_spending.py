"""What a run makes of bytes that ask for much."""

from kafkasniff.calls.context import Context
from kafkasniff.calls.spending import METRICS_IN_ALL, METRICS_OF_CONNECTION, RECORDS_REACHED, Spending
from tests.cli.hostile_calls import field, gauge, produce, push_telemetry
from tests.render.made_calls import made_call, made_connection

EMPTY_POINTS = gauge(field(1, b"") * 180_000)


def test_a_record_costs_more_than_its_bytes() -> None:
    context = Context(records=True, spending=Spending(2 << 20))
    counts = []
    for number in range(4):
        call = made_call(*produce(number, 2000))
        call.context = context
        counts.append(len(call.batches[0]["records"]))
    # Each is counted as 519 bytes, against a MiB.
    assert counts == [2000, 2000, 0, 0]
    [problem] = call.problems
    assert (problem.where, problem.path) == ("request", "topicData[0].partitionData[0].records[0]")
    assert problem.message == RECORDS_REACHED


def test_metrics_of_a_few_bytes_are_not_opened_to_many_values() -> None:
    call = made_call(*push_telemetry(1, EMPTY_POINTS))
    call.context = Context()
    assert call.decoded == []
    [problem] = call.problems
    assert problem.path == "metrics"
    assert "have reached their bound" in problem.message


def test_metrics_that_are_not_shown_are_not_opened() -> None:
    call = made_call(*push_telemetry(1, EMPTY_POINTS))
    call.context = Context(metrics=False)
    assert call.problems == []
    assert call.decoded == []
    assert call.context.spending.metrics(call.connection)[0].left == METRICS_OF_CONNECTION


def test_usual_metrics_are_opened_without_end() -> None:
    # 100 points with a time each, which compress to a tenth, 1,000 times on a connection.
    points = b"".join(field(1, b"\x19" + number.to_bytes(8, "little")) for number in range(100))
    context, connection = Context(), made_connection()
    request, response = push_telemetry(1, gauge(points))
    for _ in range(1000):
        call = made_call(request, response)
        call.context, call.connection = context, connection
        assert len(call.decoded) == 1


def test_a_connection_leaves_the_others_their_share() -> None:
    spending = Spending()
    own, of_all = spending.metrics(made_connection())
    own.spend(METRICS_OF_CONNECTION)
    of_all.spend(METRICS_OF_CONNECTION)
    other, of_all = spending.metrics(made_connection())
    assert (other.left, of_all.left) == (METRICS_OF_CONNECTION, METRICS_IN_ALL - METRICS_OF_CONNECTION)


def test_connections_that_are_forgotten_begin_anew() -> None:
    spending = Spending()
    first = made_connection()
    spending.metrics(first)[0].spend(1)
    for _ in range(1024):
        spending.metrics(made_connection())
    assert spending.metrics(first)[0].left == METRICS_OF_CONNECTION
