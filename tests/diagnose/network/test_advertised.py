from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.tcp.events import Endpoint
from tests.diagnose.made import Item, call, connection, finding, findings, report
from tests.diagnose.network.attempting import attempts


def advertise() -> Call:
    answer = {
        "brokers": [{"nodeId": 3, "host": "10.0.0.9", "port": 9092, "rack": None}],
        "controllerId": 3,
        "topics": [],
    }
    return call(3, 1, {"topics": None}, answer)


def test_advertised_listener_unreachable() -> None:
    rule = "advertised-listener-unreachable"
    assert findings(rule, attempts(9)) == []
    assert findings(rule, [advertise(), *attempts(2)]) == []
    found = finding(rule, [advertise(), *attempts(3)])
    assert found.subject.items() >= {"clientId": "shop", "advertised": "10.0.0.9:9092", "brokerId": 3}.items()
    assert findings(rule, [advertise(), *attempts(9), *attempts(1, accepted=True, begin=9)]) == []


def test_an_advertised_name_is_known_by_its_port() -> None:
    told = advertise()
    assert told._response_body is not None
    assert told._response_body.value is not None
    told._response_body.value["brokers"][0]["host"] = "broker-3.internal"
    found = finding("advertised-listener-unreachable", [told, *attempts(3)])
    assert found.subject["brokerId"] == 3


def told(index: int, host: str, topics: list[Any] | None = None, port: int = 9092) -> Call:
    """Metadata on a connection of its own to 10.0.0.2:9092 that names a broker at `host`."""
    broker = {"nodeId": 1, "host": host, "port": port, "rack": None}
    request = {"topics": [{"name": "orders"}] if topics is None else topics}
    return call(3, 8, request, {"brokers": [broker], "topics": []}, at=index, on=connection(50_000 + index))


def test_addresses_that_a_client_never_follows() -> None:
    rule = "advertised-listener-unreachable"
    for host in ("localhost", "127.0.0.1", "kafka-0.kafka.svc", "broker1", "192.168.3.4"):
        few = 1 if host in ("localhost", "127.0.0.1") else 2  # The client's own address is sure to be wrong.
        assert findings(rule, [told(at, host) for at in range(few)]) == []
        found = finding(rule, [told(at, host) for at in range(few + 1)])
        named = {"clientId": "shop", "advertised": f"{host}:9092", "brokerId": 1}
        assert found.subject.items() >= named.items()
        work = call(0, 9, {"acks": 1, "topicData": []}, {"responses": []}, at=9, on=connection(50_009))
        assert findings(rule, [*(told(at, host) for at in range(9)), work]) == []
    assert "10.0.0.1 itself" in finding(rule, [told(at, "localhost") for at in range(3)]).summary
    assert findings(rule, [told(at, "10.0.0.2") for at in range(9)]) == []
    assert findings(rule, [told(at, "broker1", topics=[]) for at in range(9)]) == []  # A tool that lists topics.


def test_programs_that_start_again_and_again_at_their_bootstrap_server() -> None:
    """Kafka-python and aiokafka ask for no topic there, and go on to a broker that they were told."""

    def starts(count: int, software: str, goes_on: bool = False) -> list[Call]:
        calls = []
        for at in range(count):
            begun = told(at, "broker1", topics=[])
            versions = call(18, 4, {}, {"apiKeys": []}, at=at, on=begun.connection)
            versions.software_name, versions.software_version = software, "3.0.12"
            calls += [versions, begun]
            if goes_on:
                calls.append(call(18, 4, {}, {"apiKeys": []}, at=at, on=connection(51_000 + at)))
        return calls

    rule = "advertised-listener-unreachable"
    assert findings(rule, starts(2, "kafka-python")) == []
    found = finding(rule, starts(3, "kafka-python"))
    assert found.subject.items() >= {"clientId": "shop", "advertised": "broker1:9092"}.items()
    assert "was told so 3 times" in found.summary
    assert findings(rule, starts(9, "kafka-python", goes_on=True)) == []
    assert findings(rule, starts(9, "kgo")) == []  # A health check, which asks for no more.


def test_jobs_that_run_now_and_then_may_work_with_brokers_elsewhere() -> None:
    """Of several brokers with names, those that they work with may be on hosts that the capture does not show."""

    def jobs(every: float, *hosts: str) -> list[Call]:
        calls = [told(index * every, "broker1") for index in range(3)]
        brokers = [{"nodeId": node, "host": host, "port": 9092, "rack": None} for node, host in enumerate(hosts)]
        for index, each in enumerate(calls):
            answer = {"brokers": brokers, "topics": []}
            calls[index] = call(3, 8, {"topics": [{"name": "orders"}]}, answer, at=index * every, on=each.connection)
        return calls

    rule = "advertised-listener-unreachable"
    assert findings(rule, jobs(46, "broker1", "broker2")) == []
    assert "where the capture does not show it" in finding(rule, jobs(44, "broker1", "broker2")).summary
    assert "capture" not in finding(rule, jobs(46, "broker1")).summary


def test_kafka_python_2_0_2_starts_again_and_again() -> None:
    """It probes versions and asks for all topics on its first connection; those to brokers begin with neither."""

    def starts(count: int, goes_on: bool = False) -> list[Call]:
        calls = []
        for at in range(count):
            begun = told(at, "broker1")
            assert begun._response_body is not None
            on, answer = begun.connection, begun._response_body.value
            calls += [
                call(18, 0, {}, {"apiKeys": []}, at=at, on=on),
                call(3, 0, {"topics": []}, answer, at=at, on=on),
                *(call(3, 1, {"topics": None}, answer, at=at, on=on) for _ in range(2)),
            ]
            if goes_on:
                calls.append(call(3, 1, {"topics": None}, answer, at=at, on=connection(51_000 + at)))
        return calls

    rule = "advertised-listener-unreachable"
    assert findings(rule, starts(2)) == []
    assert finding(rule, starts(3)).subject.items() >= {"clientId": "shop", "advertised": "broker1:9092"}.items()
    assert findings(rule, starts(9, goes_on=True)) == []


def asked_again(count: int, key: int = 3, every: float = 1, **answer: Any) -> list[Call]:
    """The same question on one connection, as of a client that finds no way to a broker with a name."""
    on = connection(50_001)
    found = {"errorCode": 0, "nodeId": 1, "host": "broker1", "port": 9092} | answer
    broker = {"nodeId": 1, "host": "broker1", "port": 9092, "rack": None}
    topic = {"name": "orders", "errorCode": answer.get("errorCode", 0)}
    first = call(3, 8, {"topics": []}, {"brokers": [broker], "topics": []}, on=on)
    if key == 10:
        return [
            first,
            *(call(10, 2, {"key": "g", "keyType": 0}, found, at=1 + at * every, on=on) for at in range(count)),
        ]
    metadata = {"brokers": [broker], "topics": [topic]}
    return [
        first,
        *(call(3, 8, {"topics": [{"name": "orders"}]}, metadata, at=at * every, on=on) for at in range(count)),
    ]


def test_clients_that_stay_with_their_first_server() -> None:
    """Java and franz-go go on asking on the connection to a bootstrap server."""
    rule = "advertised-listener-unreachable"
    for key in (3, 10):
        assert findings(rule, asked_again(3, key)) == []
        assert finding(rule, asked_again(4, key)).subject["advertised"] == "broker1:9092"
        assert findings(rule, asked_again(9, key, every=60)) == []  # A client that looks whether anything has changed.
    assert findings(rule, asked_again(9, errorCode=3)) == []  # Waits for a topic,
    assert findings(rule, asked_again(9, key=10, errorCode=15)) == []  # or a coordinator.


def test_a_client_that_asks_once_and_stands_still() -> None:
    """As Java: once it knows brokers it asks only these, and its first connection stays open, unused."""

    def asks(*, lasts: float = 6, port: int = 9092, topics: list[Any] | None = None, moves: bool = False) -> list[Item]:
        on = connection(50_000, end=lasts)
        begun = told(0, "broker1", topics, port)
        assert begun._request_body is not None
        assert begun._response_body is not None
        asked = call(3, 8, begun._request_body.value or {}, begun._response_body.value, on=on)
        given = call(22, 4, {"transactionalId": None}, {"errorCode": 0, "producerId": 6}, at=0.01, on=on)
        further = call(18, 3, {}, {"apiKeys": []}, at=0.02, on=connection(50_001))
        return [asked, given, *([further] if moves else []), report(on)]

    rule = "advertised-listener-unreachable"
    found = finding(rule, asks())
    assert (found.severity, found.count) == ("warning", 1)
    assert "was told so once, and connects to none: broker1, a name" in found.summary
    assert findings(rule, asks(lasts=4)) == []
    assert findings(rule, asks(moves=True)) == []
    assert findings(rule, asks(topics=[])) == []  # It is not known what it needs.
    assert findings(rule, asks(port=9093)) == []  # Only one port may have been captured.
    elsewhere = report(connection(51_000, server=Endpoint("10.0.0.2", 9999)), protocol="http")
    assert finding(rule, [*asks(port=9093), elsewhere]).subject["advertised"] == "broker1:9093"
    one_of_two = asks()
    (asked, *_) = one_of_two
    assert isinstance(asked, Call)
    assert asked._response_body is not None
    assert asked._response_body.value is not None
    asked._response_body.value["brokers"].append({"nodeId": 2, "host": "broker2", "port": 9092, "rack": None})
    assert findings(rule, one_of_two) == []  # It may work with the other.


def named(at: float, *nodes: int, client_id: str = "shop") -> Call:
    """Metadata that names these of the brokers 3 (at 10.0.0.9) and 2 (at 10.0.0.2)."""
    hosts = {2: "10.0.0.2", 3: "10.0.0.9"}
    brokers = [{"nodeId": node, "host": hosts[node], "port": 9092, "rack": None} for node in nodes]
    answer = {"brokers": brokers, "clusterId": "one", "controllerId": 2, "topics": []}
    return call(3, 8, {"topics": [{"name": "orders"}]}, answer, at=at, client_id=client_id)


def test_a_broker_that_metadata_names_no_more_is_down() -> None:
    rule = "advertised-listener-unreachable"
    assert finding(rule, [named(0, 2, 3), *attempts(9), named(9, 2, 3)]).severity == "error"
    assert findings(rule, [named(0, 2, 3), *attempts(9), named(9, 2)]) == []
    assert findings(rule, [*attempts(9), named(9, 2, 3)]) == []  # A broker that was starting.
    back = [named(0, 2, 3), *attempts(9), named(9, 2), named(20, 2, 3)]
    assert finding(rule, back).subject["brokerId"] == 3


def test_a_broker_may_have_just_gone_down_where_others_are_reached() -> None:
    rule, work = "advertised-listener-unreachable", call(0, 9, {"acks": 1, "topicData": []}, {"responses": []})
    soon = finding(rule, [work, named(0, 2, 3), *attempts(9), named(17, 2, 3)])
    assert (soon.severity, "just gone down" in soon.summary) == ("warning", True)
    assert finding(rule, [work, named(0, 2, 3), *attempts(9), named(19, 2, 3)]).severity == "error"


def test_a_coordinator_that_is_not_there_makes_clients_ask_again() -> None:
    asked = asked_again(9)
    refused = {"errorCode": 15, "nodeId": -1, "host": "", "port": -1}
    finds = [call(10, 2, {"key": "g"}, refused, at=at + 0.5, on=asked[0].connection) for at in range(9)]
    pairs = [each for pair in zip(asked[1:], finds, strict=True) for each in pair]
    assert findings("advertised-listener-unreachable", [asked[0], *pairs]) == []
