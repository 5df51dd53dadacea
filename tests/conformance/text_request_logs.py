"""The brokers' text request logs of releases 0.8.2 to 1.1: which calls there were, in three forms of line."""

import re
from pathlib import Path
from typing import NamedTuple

_APIS_BY_KEY = (
    *("PRODUCE", "FETCH", "LIST_OFFSETS", "METADATA", "LEADER_AND_ISR", "STOP_REPLICA", "UPDATE_METADATA"),
    *("CONTROLLED_SHUTDOWN", "OFFSET_COMMIT", "OFFSET_FETCH", "FIND_COORDINATOR", "JOIN_GROUP", "HEARTBEAT"),
    *("LEAVE_GROUP", "SYNC_GROUP", "DESCRIBE_GROUPS", "LIST_GROUPS", "SASL_HANDSHAKE", "API_VERSIONS"),
    *("CREATE_TOPICS", "DELETE_TOPICS"),
)
"""The APIs of 0.10.2.2 in the order of their keys."""

_SCALA_APIS = {
    "ConsumerMetadataRequest": "FIND_COORDINATOR",
    "ControlledShutdownRequest": "CONTROLLED_SHUTDOWN",
    "FetchRequest": "FETCH",
    "LeaderAndIsrRequest": "LEADER_AND_ISR",
    "OffsetCommitRequest": "OFFSET_COMMIT",
    "OffsetFetchRequest": "OFFSET_FETCH",
    "OffsetRequest": "LIST_OFFSETS",
    "ProducerRequest": "PRODUCE",
    "StopReplicaRequest": "STOP_REPLICA",
    "TopicMetadataRequest": "METADATA",
    "UpdateMetadataRequest": "UPDATE_METADATA",
}
"""The request classes of the Scala core (`kafka.api`), which named APIs their own way."""

_SCALA = re.compile(r"Name: ?(?P<api>\w+); ?Version: ?(?P<version>\d+);.*?CorrelationId: ?(?P<id>-?\d+);")
_STRUCT = re.compile(r"\{api_key=(?P<key>\d+),api_version=(?P<version>\d+),correlation_id=(?P<id>-?\d+),client_id=")
_HEADER = re.compile(
    r"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=(?P<version>\d+), clientId=.*?, correlationId=(?P<id>-?\d+)\)"
)
_CLIENT = re.compile(r" from client /(?P<client>\S+:\d+);totalTime:")
_CONNECTION = re.compile(r" from connection (?P<server>\S+?:\d+)-(?P<client>\S+?:\d+)(?:-\d+)?;totalTime:")


class TextCall(NamedTuple):
    """What a line tells of a call."""

    api: str
    version: int
    correlation_id: int
    client: str
    server: str | None
    """None in the lines of 0.8.2, which do not tell."""


def read_text_log(path: Path) -> list[TextCall]:
    """Read a text request log."""
    return [_read_line(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _read_line(line: str) -> TextCall:
    text = line.removeprefix("Completed request:")
    if call := _SCALA.match(text):
        api = _SCALA_APIS[call["api"]]
    elif call := _STRUCT.match(text):
        api = _APIS_BY_KEY[int(call["key"])]
    else:
        call = _HEADER.match(text)
        assert call, line
        api = call["api"]
    connection = _CONNECTION.search(text) or _CLIENT.search(text)
    assert connection, line
    return TextCall(
        api, int(call["version"]), int(call["id"]), connection["client"], connection.groupdict().get("server")
    )
