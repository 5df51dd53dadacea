"""Bytes as recorded from Kafka Streams 4.3.1, and written by hand after AssignmentInfo and SubscriptionInfoData."""

from kafkasniff.protocol.embedded import streams
from kafkasniff.protocol.embedded.entries import Embedded, Opened

PROCESS_ID = "fd9a3cb8d4274fdbb451d19219fbd89f"
UUID = "_Zo8uNQnT9u0UdGSGfvYnw"


def opened_subscription(data: str) -> Opened:
    into = Opened([], [])
    streams.open_subscription_info(into, "userData", bytes.fromhex(data))
    return into


def opened_assignment(data: str) -> Opened:
    into = Opened([], [])
    streams.open_assignment_info(into, "userData", bytes.fromhex(data))
    return into


def test_subscription_info_of_version_11_as_recorded() -> None:
    into = opened_subscription(
        f"0000000b 0000000b {PROCESS_ID} 0000000e 3132372e302e302e313a37303730 00000000 01 00000000 00000000"
    )
    value = {
        "version": 11,
        "latestSupportedVersion": 11,
        "processId": UUID,
        "userEndPoint": "MTI3LjAuMC4xOjcwNzA=",
        "taskOffsetSums": [],
        "uniqueField": 1,
        "errorCode": 0,
        "clientTags": [],
    }
    assert into == Opened([Embedded("userData", "SubscriptionInfoData", 11, value)], [])


def test_subscription_info_of_version_7() -> None:
    task = "00000002 00000001 00000004 0000000000000009"
    into = opened_subscription(f"00000007 00000008 {PROCESS_ID} 00000000 00000001 {task}")
    assert into.embedded[0].value == {
        "version": 7,
        "latestSupportedVersion": 8,
        "processId": UUID,
        "userEndPoint": "",
        "taskOffsetSums": [{"topicGroupId": 2, "partitionToOffsetSum": [{"partition": 4, "offsetSum": 9}]}],
    }
    assert into.problems == []


def test_subscription_info_of_version_1() -> None:
    into = opened_subscription(f"00000001 {PROCESS_ID} 00000001 00000000 00000003 00000000")
    assert into.embedded[0].value == {
        "version": 1,
        "processId": UUID,
        "prevTasks": [{"topicGroupId": 0, "partition": 3}],
        "standbyTasks": [],
    }


def test_assignment_info_of_version_11_names_topics_and_topologies() -> None:
    into = opened_assignment(
        "0000000b 0000000b"
        "00000002 00000001 00000000 00000000  00000000 00000001 00000002 0074 00f6"
        "00000001 00000001 00000001 00000000 00000001 0003 6f7574 00000001"
        "00000002 00000000 0003 6f7574 00000007 0002 696e"
        "00000001 0001 68 00001b9e 00000002 00000007 00000000 00000000 00000001"
        "00000000"
        "00000000 7fffffffffffffff"
    )
    assert into.embedded[0].value == {
        "usedVersion": 11,
        "commonlySupportedVersion": 11,
        "activeTasks": [
            {"topicGroupId": 1, "partition": 0, "namedTopology": None},
            {"topicGroupId": 0, "partition": 1, "namedTopology": "tö"},
        ],
        "standbyTasks": [
            {
                "topicGroupId": 1,
                "partition": 1,
                "namedTopology": None,
                "partitions": [{"topic": "out", "partition": 1}],
            }
        ],
        "partitionsByHost": [
            {
                "host": "h",
                "port": 7070,
                "partitions": [{"topic": "in", "partition": 0}, {"topic": "out", "partition": 1}],
            }
        ],
        "standbyPartitionsByHost": [],
        "errCode": 0,
        "nextRebalanceMs": 9223372036854775807,
    }
    assert into.problems == []


def test_assignment_info_of_version_4_has_topics_in_place() -> None:
    into = opened_assignment(
        "00000004 00000004 00000000 00000000 00000001 0001 68 00000050 00000001 0001 61 00000002 00000001"
    )
    assert into.embedded[0].value is not None
    assert into.embedded[0].value["partitionsByHost"] == [
        {"host": "h", "port": 80, "partitions": [{"topic": "a", "partition": 2}]}
    ]
    assert into.embedded[0].value["errCode"] == 1


def test_an_index_that_the_dictionary_lacks_stays() -> None:
    into = opened_assignment(
        "00000005 00000005 00000000 00000000 00000000 00000001 0001 68 00000050 00000001 00000009 00000002 00000000"
    )
    assert into.embedded[0].value is not None
    assert into.embedded[0].value["partitionsByHost"][0]["partitions"] == [{"topicIndex": 9, "partition": 2}]


def test_unknown_versions_show_their_bytes() -> None:
    into = opened_subscription("0000000c cafe")
    assert into == Opened([Embedded("userData", "SubscriptionInfoData", 12, {"bytes": "AAAADMr+"})], [])
    assert opened_assignment("0000").embedded == [Embedded("userData", "AssignmentInfo", None, {"bytes": "AAA="})]


def test_a_cut_assignment_info_is_partial() -> None:
    into = opened_assignment("0000000a 0000000a 00000001 00000001 00000000 00000000")
    assert into.embedded[0].value is None
    assert into.embedded[0].partial is not None
    assert into.embedded[0].partial["activeTasks"] == [{"topicGroupId": 1, "partition": 0, "namedTopology": None}]
    assert len(into.problems) == 1
