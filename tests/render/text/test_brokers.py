import struct

import pytest

from kafkasniff.render.text.brokers import BrokerIds
from tests.render.made_calls import heartbeat_call, made_call, metadata_call, request_bytes, text


def test_metadata_tells_brokers() -> None:
    brokers = BrokerIds()
    brokers.learn(heartbeat_call())
    assert brokers.get("10.0.0.2:9092") is None
    brokers.learn(metadata_call())
    assert brokers.get("10.0.0.2:9092") == 7
    assert brokers.get("10.0.0.2:9093") is None


@pytest.mark.parametrize(
    ("host", "addresses"),
    [("localhost", ["127.0.0.1:9092", "[::1]:9092"]), ("fd00::5", ["[fd00::5]:9092"]), ("kafka-7", ["kafka-7:9092"])],
)
def test_forms_of_a_host(host: str, addresses: list[str]) -> None:
    brokers = BrokerIds()
    brokers.learn(metadata_call(host=host))
    assert [brokers.get(address) for address in addresses] == [7] * len(addresses)


def test_find_coordinator_tells_brokers_unless_there_is_none() -> None:
    def answered(node: int, host: str) -> BrokerIds:
        request = request_bytes(10, 0, 1, "c", text("billing"))
        answer = struct.pack(">ihi", 1, 0, node) + text(host) + struct.pack(">i", 9092)
        brokers = BrokerIds()
        brokers.learn(made_call(request, answer))
        return brokers

    assert answered(3, "10.0.0.3").get("10.0.0.3:9092") == 3
    assert answered(-1, "").get(":9092") is None


def test_memory_is_bounded() -> None:
    count = 20_000
    entries = b"".join(
        struct.pack(">i", number) + text(f"10.{number >> 8}.{number & 255}.1") + struct.pack(">i", 9092)
        for number in range(count)
    )
    response = struct.pack(">ii", 1, count) + entries + struct.pack(">i", 0)
    brokers = BrokerIds()
    brokers.learn(made_call(request_bytes(3, 0, 1, "c", struct.pack(">i", 0)), response))
    assert brokers.get("10.0.5.1:9092") == 5
    assert brokers.get(f"10.{(count - 1) >> 8}.{(count - 1) & 255}.1:9092") is None


def test_an_answer_like_the_last_tells_nothing_new_until_another_does() -> None:
    brokers = BrokerIds()
    for _ in range(3):
        brokers.learn(metadata_call())
    assert (brokers.get("10.0.0.2:9092"), brokers.changes) == (7, 1)
    request = request_bytes(10, 0, 1, "c", text("billing"))
    answer = struct.pack(">ihi", 1, 0, 3) + text("10.0.0.2") + struct.pack(">i", 9092)
    brokers.learn(made_call(request, answer))
    assert brokers.get("10.0.0.2:9092") == 3
    brokers.learn(metadata_call())
    assert (brokers.get("10.0.0.2:9092"), brokers.changes) == (7, 3)
