"""A vendor's API: DescribeCluster of Kafka 4.3.1 under another key and name, so that Kafka's bytes are its bytes."""

import struct
from pathlib import Path

from tests.conformance.composed_captures import Exchange
from tests.conformance.vector_rows import Row, rows

KEY = 10060
DESCRIBE_CLUSTER = 60

REQUEST = """// As in clients/src/main/resources/common/message of Kafka's source.
{
  "apiKey": 10060, "type": "request", "listeners": ["broker"], "name": "AcmeClusterRequest",
  "validVersions": "0-2", "flexibleVersions": "0+",
  "fields": [
    { "name": "IncludeClusterAuthorizedOperations", "type": "bool", "versions": "0+",
      "about": "Whether to include cluster authorized operations." },
    // KIP-919
    { "name": "EndpointType", "type": "int8", "versions": "1+", "default": "1", "about": "1=brokers, 2=controllers." },
    { "name": "IncludeFencedBrokers", "type": "bool", "versions": "2+" }
  ]
}"""

RESPONSE = """{
  "apiKey": 10060, "type": "response", "name": "AcmeClusterResponse",
  "validVersions": "0-2", "flexibleVersions": "0+",
  "fields": [
    { "name": "ThrottleTimeMs", "type": "int32", "versions": "0+" },
    { "name": "ErrorCode", "type": "int16", "versions": "0+" },
    { "name": "ErrorMessage", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null" },
    { "name": "EndpointType", "type": "int8", "versions": "1+", "default": "1" },
    { "name": "ClusterId", "type": "string", "versions": "0+" },
    { "name": "ControllerId", "type": "int32", "versions": "0+", "default": "-1", "entityType": "brokerId" },
    { "name": "Brokers", "type": "[]DescribeClusterBroker", "versions": "0+", "fields": [
      { "name": "BrokerId", "type": "int32", "versions": "0+", "mapKey": true, "entityType": "brokerId" },
      { "name": "Host", "type": "string", "versions": "0+" },
      { "name": "Port", "type": "int32", "versions": "0+" },
      { "name": "Rack", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null" },
      { "name": "IsFenced", "type": "bool", "versions": "2+" }
    ]},
    { "name": "ClusterAuthorizedOperations", "type": "int32", "versions": "0+", "default": "-2147483648" }
  ]
}"""


def write_folder(folder: Path) -> Path:
    """Write the definitions as files, as they stand in Kafka's source."""
    folder.mkdir()
    (folder / "AcmeClusterRequest.json").write_text(REQUEST, encoding="utf-8")
    (folder / "AcmeClusterResponse.json").write_text(RESPONSE, encoding="utf-8")
    return folder


def exchanges() -> list[tuple[Exchange, Row, Row]]:
    """Give calls whose bodies Kafka wrote, each with the rows of its request and response."""
    found = []
    answers = [row for row in rows("api-responses") if row["api_key"] == DESCRIBE_CLUSTER]
    for number, row in enumerate(each for each in rows("api-requests") if each["api_key"] == DESCRIBE_CLUSTER):
        answer = next(
            each for each in answers if (each["api_version"], each["row"]) == (row["api_version"], row["row"])
        )
        correlation_id = struct.pack(">i", number)
        header = struct.pack(">hh", KEY, row["api_version"]) + correlation_id + b"\0\6shop-1\0"
        request = header + bytes.fromhex(row["body_hex"])
        found.append(((request, correlation_id + b"\0" + bytes.fromhex(answer["body_hex"])), row, answer))
    return found
