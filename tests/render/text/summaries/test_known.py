from kafkasniff.render.text.lines import CallLines
from tests.render.made_calls import heartbeat_call, metadata_call


def test_heartbeats_that_come_again() -> None:
    lines = CallLines()
    first = lines.call(heartbeat_call())
    assert first.endswith(" group billing member m-1 generation 5\n")
    assert lines.call(heartbeat_call()) == first
    assert lines.call(heartbeat_call("orders")).endswith(" group orders member m-1 generation 5\n")
    assert lines.call(heartbeat_call()) == first


def test_what_is_unusual_is_seen_between_them() -> None:
    lines = CallLines()
    first = lines.call(heartbeat_call())
    for _ in range(2):
        assert "REBALANCE_IN_PROGRESS" in lines.call(heartbeat_call(error_code=27))
    cut = heartbeat_call()
    assert cut.request is not None
    cut.request.size += 5
    assert lines.call(cut).endswith(f" request cut: {cut.request.size - 5} of {cut.request.size} bytes\n")
    assert lines.call(heartbeat_call()) == first


def test_questions_for_brokers_that_come_again() -> None:
    lines = CallLines()
    for _ in range(2):
        assert lines.call(metadata_call()).endswith(" orders → 1 broker, 1 topic\n")
        assert "UNKNOWN_TOPIC_OR_PARTITION" in lines.call(metadata_call(error_code=3))
    assert lines.call(metadata_call(topic="payments")).endswith(" payments → 1 broker, 1 topic\n")
