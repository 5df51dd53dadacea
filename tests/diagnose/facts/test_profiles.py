"""Who a finding is about: what the rule does not say itself."""

from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.protocol.headers import RequestHeader
from tests.diagnose.made import call, connection, finding, findings

STORM = {"topics": None, "allowAutoTopicCreation": True}


def versions(client_id: str, port: int, **more: Any) -> Call:
    return call(18, 3, {}, {"errorCode": 0, "apiKeys": []}, client_id=client_id, on=connection(port), **more)


def asked(client_id: str, port: int, seconds: int = 4, **more: Any) -> list[Call]:
    """Metadata twenty times a second: metadata-storm."""
    on = connection(port)
    answer: dict[str, Any] = {"brokers": [], "controllerId": 1, "topics": []}
    return [call(3, 8, STORM, answer, at=at / 20, client_id=client_id, on=on, **more) for at in range(20 * seconds)]


def test_software_principal_and_the_fix_in_its_words() -> None:
    named = {"software_name": "kgo", "software_version": "v1.22.2", "principal": "User:alice"}
    found = finding(
        "metadata-storm", [versions("shop", 50_000, **named), *asked("shop", 50_000, principal="User:alice")]
    )
    assert (found.subject["softwareName"], found.subject["softwareVersion"]) == ("kgo", "v1.22.2")
    assert found.subject["principal"] == "User:alice"
    assert "kgo.MetadataMaxAge and kgo.MetadataMinAge, default 5 min and 5 s" in found.fix
    assert "kafkasniff explain" not in found.fix


def test_who_did_not_log_in_is_not_named() -> None:
    assert "principal" not in finding("metadata-storm", asked("shop", 50_000, principal="User:ANONYMOUS")).subject


def test_a_library_that_is_not_known_gets_java_names() -> None:
    found = finding("metadata-storm", asked("shop", 50_000))
    assert "(metadata.max.age.ms)" in found.fix
    assert "`kafkasniff explain metadata-storm` has those of each library" in found.fix


def test_a_library_that_does_not_say_its_name_is_known_by_its_versions() -> None:
    """kafkajs sends ApiVersions v2, Metadata v6 and Produce v7, as recorded in healthy/kafkajs.pcap."""
    first = call(18, 2, {}, {"errorCode": 0, "apiKeys": []}, client_id="shop")
    others = [call(0, 7, {"acks": 0, "topicData": []}, client_id="shop"), *asked("shop", 50_000)]
    for each in others[1:]:
        assert each.header is not None
        each.header = RequestHeader(3, 6, 1, "shop", 1, 10)
    found = finding("metadata-storm", [first, *others])
    assert "(metadataMaxAge, default 300000)" in found.fix
    assert "softwareName" not in found.subject


def test_programs_of_several_libraries_get_the_names_of_each() -> None:
    software = {"software_name": "kgo", "software_version": "v1"}, {"software_name": "sarama", "software_version": "v1"}
    first = [versions("shop", 50_000 + number, **named) for number, named in enumerate(software)]
    fix = finding("metadata-storm", [*first, *asked("shop", 50_000)]).fix
    assert "(metadata.max.age.ms)" in fix
    assert "(In franz-go: kgo.MetadataMaxAge and kgo.MetadataMinAge, default 5 min and 5 s" in fix
    assert "; sarama: " in fix


def test_all_addresses_of_a_client() -> None:
    """The storm is on one connection; a finding that names none has those of all, twelve of them, and counts them."""
    storm = asked("shop", 50_000)
    assert finding("metadata-storm", storm).subject["client"] == "10.0.0.1:50000"
    churn = [call(12, 0, {"groupId": "g"}, {"errorCode": 25}, on=connection(50_000 + at), at=at) for at in range(30)]
    found = finding("too-many-connections", churn)
    assert found.subject["addresses"] == [f"10.0.0.1:{port}" for port in range(50_000, 50_012)]
    assert found.subject["addressCount"] == 30


def test_the_member_that_a_group_finding_is_about() -> None:
    request = {"groupId": "billing", "memberId": "m-7", "groupInstanceId": "pod-3", "generationId": 1}
    joined = call(
        11, 5, {**request, "protocols": []}, {"errorCode": 0, "memberId": "m-7", "generationId": 1, "members": []}
    )
    left = {"groupId": "billing", "members": [{"memberId": None, "reason": "consumer poll timeout has expired."}]}
    leaves = call(13, 5, left, {"throttleTimeMs": 0, "errorCode": 0, "members": []}, at=9)
    found = finding("poll-timeout-eviction", [joined, leaves])
    assert (found.subject["memberId"], found.subject["groupInstanceId"]) == ("m-7", "pod-3")


def test_partitions_of_errors() -> None:
    def refused(index: int, at: float) -> Call:
        partition = {"index": index, "errorCode": 19, "baseOffset": -1}
        answer = {"responses": [{"name": "orders", "partitionResponses": [partition]}], "throttleTimeMs": 0}
        return call(0, 3, {"acks": -1, "topicData": []}, answer, at=at)

    assert finding("not-enough-replicas", [refused(4, at) for at in range(3)]).subject["partition"] == 4
    several = finding("not-enough-replicas", [refused(4 - at, at) for at in range(3)])
    assert several.subject["partitions"] == [2, 3, 4]


def test_texts_from_the_wire_are_no_places_for_options() -> None:
    """Braces in what a rule quotes stay as they are."""
    calls = [
        call(12, 1, {"groupId": "{linger.ms}{x}"}, {"errorCode": 7}, at=at, client_id="{acks=all}") for at in range(9)
    ]
    assert all("{acks=all}" in each.summary for each in findings("unexplained-error", calls))
