"""Where request log and wire differ by right: every exception by recording or release, API and version.

Found with an independent reader of the recordings. Counts are exact: one more or one fewer fails.
"""

from collections.abc import Mapping
from enum import StrEnum

Counts = Mapping[tuple[str, int], int]
"""How many calls of an API and version."""

WITHOUT_KEYS = frozenset({"tls-no-keys"})
"""Recordings of TLS whose secrets nobody has."""

DIRECTORY_IN_LOGS = "/var/lib/kafka/h"
"""What stands in the logs for a directory of the recorder. In clear captures too it was written over the directory's
name, which is as long; what is encrypted kept that name."""

DIRECTORIES_RENAMED = {"sasl-ssl-plain-scram": 2, "tls12-go-resumption": 2, "tls13-go-resumption": 4}
"""How often that is so, by recording."""

CUT_PACKETS = frozenset({"snaplen-96"})
"""Recordings that keep only the beginning of each packet."""

BEGUN_BEFORE_CAPTURE = frozenset(
    {
        "kafkajs",
        "kraft-dynamic-quorum",
        "kraft3-admin-all",
        "kraft3-failover",
        "kraft3-quorum-leader-ended",
        "kraft3-shutdown",
        "mid-stream-start",
    }
)
"""Recordings with connections whose ApiVersions request, which tells the client's software, came before the capture."""

REQUEST_LOGGED_EMPTY = frozenset({("2.8.2", "API_VERSIONS", 4), ("4.3.1", "API_VERSIONS", 5)})
"""Release, API and a version that the release does not know: the log has an empty request."""

RECORDS_LOGGED_AS_TEXT: Mapping[tuple[str, int], str] = {
    ("FETCH_SNAPSHOT", 1): "response.topics[].partitions[].unalignedRecords",
    ("SHARE_FETCH", 2): "response.responses[].partitions[].records",
}
"""API, version and the records field that the log gives as an empty text where Kafka's converter gives a size."""

RENAMED: Mapping[tuple[str, str, int], Mapping[str, str]] = {
    ("2.8.2", "LEADER_AND_ISR", 5): {"request.topicStates[].partitionStates[].zkVersion": "partitionEpoch"},
    ("2.8.2", "FETCH", 12): {
        "response.responses[].partitionResponses": "partitions",
        "response.responses[].partitionResponses[].partition": "partitionIndex",
        "response.responses[].partitionResponses[].recordSetSizeInBytes": "recordsSizeInBytes",
    },
    ("2.8.2", "ALTER_ISR", 0): {
        "request.topics[].name": "topicName",
        "request.topics[].partitions[].currentIsrVersion": "partitionEpoch",
        "response.topics[].name": "topicName",
        "response.topics[].partitions[].currentIsrVersion": "partitionEpoch",
    },
    ("2.8.2", "OFFSET_COMMIT", 8): {"request.generationId": "generationIdOrMemberEpoch"},
    ("2.8.2", "ADD_PARTITIONS_TO_TXN", 3): {
        "request.transactionalId": "v3AndBelowTransactionalId",
        "request.producerId": "v3AndBelowProducerId",
        "request.producerEpoch": "v3AndBelowProducerEpoch",
        "request.topics": "v3AndBelowTopics",
        "response.results": "resultsByTopicV3AndBelow",
        "response.results[].results": "resultsByPartition",
        "response.results[].results[].errorCode": "partitionErrorCode",
    },
    ("2.8.2", "TXN_OFFSET_COMMIT", 3): {"request.generationId": "generationIdOrMemberEpoch"},
    ("3.9.1", "TXN_OFFSET_COMMIT", 4): {"request.generationId": "generationIdOrMemberEpoch"},
    ("4.3.1", "TXN_OFFSET_COMMIT", 5): {"request.generationId": "generationIdOrMemberEpoch"},
    ("4.3.1", "STREAMS_GROUP_HEARTBEAT", 0): {"response.acceptableRecoveryLag": "acceptableRecoveryLagLegacy"},
}
"""Release, API and version; path of a field in the log, and its name since 4.4.0 at the latest."""

RENAMED_APIS: Mapping[str, str] = {"ALTER_ISR": "ALTER_PARTITION"}
"""An API's name in the log of 2.8.2, and its name today (KIP-841)."""


class Kind(StrEnum):
    """Kinds of exceptions that are listed call by call."""

    BEFORE_CAPTURE = "before capture"
    """Logged calls that had ended just before the first packet: their ids come before the connection's first."""
    REQUEST_BEFORE_CAPTURE = "request before capture"
    """Logged calls of which the capture has only the answer."""
    ANSWER_NEVER_SENT = "never sent"
    """Logged calls whose connection ended before their answer was sent whole, as the client or the broker had gone."""
    ANSWER_BEHIND_CAPTURE = "behind capture"
    """Logged calls whose connection is open at the capture's end, with their answer still to come."""
    UNANSWERED = "unanswered"
    """Requests that are not logged, whose connection ended without their answer."""
    UNANSWERED_AT_END = "unanswered at end"
    """Requests that are not logged, whose connection is open at the capture's end."""
    LOG_LINE_LOST = "log line lost"
    """Answered calls that are not logged: the broker was killed before it wrote their lines."""
    SASL = "SASL"
    """Calls that are not logged: all until a connection is authenticated, and authentication again (KIP-368)."""
    BYTES_LEFT_BEHIND = "bytes left"
    """Requests in which librdkafka leaves bytes behind the body."""
    ANSWER_CUT_OFF = "cut off"
    """Answers whose connection ended in the middle of them."""


LISTED: Mapping[Kind, Mapping[str, Counts]] = {
    Kind.BEFORE_CAPTURE: {
        "kraft3-failover": {("FETCH", 18): 1},
        "kraft3-shutdown": {("FETCH", 18): 4},
        "kraft3-transactions": {("FETCH", 18): 3},
    },
    Kind.REQUEST_BEFORE_CAPTURE: {
        "kraft3-admin-all": {("FETCH", 18): 8},
        "kraft3-clients": {("FETCH", 18): 6},
        "kraft3-failover": {("FETCH", 18): 8},
        "kraft3-fetch-from-follower": {("FETCH", 18): 6},
        "kraft3-quorum-leader-ended": {("FETCH", 18): 2},
        "kraft3-shutdown": {("FETCH", 18): 4},
        "kraft3-transactions": {("FETCH", 18): 6},
        "mid-stream-start": {("FETCH", 18): 1},
    },
    Kind.ANSWER_NEVER_SENT: {
        "clients-on-3.9.1": {("METADATA", 12): 1},
        "connect-eager": {("LEAVE_GROUP", 5): 2, ("FIND_COORDINATOR", 6): 1},
        "kraft3-failover": {("FETCH", 18): 2},
        "kraft3-shutdown": {("FETCH", 18): 1},
        "librdkafka": {("METADATA", 13): 2},
        "linux-sll": {("METADATA", 13): 1},
        "linux-sll2": {("METADATA", 13): 1},
        "loss-reorder-client-side": {("METADATA", 13): 1},
        "loss-reorder-server-side": {("METADATA", 13): 1},
        "nanoseconds": {("METADATA", 13): 1},
        "sasl-gssapi-librdkafka": {("METADATA", 4): 1},
        "sasl-plain-many-clients": {("METADATA", 13): 1},
        "sasl-ssl-plain-scram": {("FETCH", 12): 1},
        "tls12-aes256-cbc-sha384": {("FETCH", 12): 1},
        "tls12-go-resumption": {("FETCH", 18): 1},
        "tls13-python": {("FETCH", 12): 1},
        "tls13-python-embedded": {("FETCH", 12): 1},
    },
    Kind.ANSWER_BEHIND_CAPTURE: {
        "java-2.8.2-clients": {("FETCH", 12): 1},
        "java-3.9.1-clients": {("FETCH", 17): 2},
        "kraft-dynamic-quorum": {("FETCH", 18): 1},
        "kraft3-admin-all": {("FETCH", 18): 7},
        "kraft3-clients": {("FETCH", 18): 6},
        "kraft3-failover": {("FETCH", 18): 6},
        "kraft3-fetch-from-follower": {("FETCH", 18): 6},
        "kraft3-quorum-leader-ended": {("FETCH", 18): 3},
        "kraft3-startup": {("FETCH", 18): 8},
        "kraft3-transactions": {("FETCH", 18): 6},
        "rskafka": {("DELETE_RECORDS", 2): 1},
        "tls13-python": {("OFFSET_FETCH", 3): 1},
        "tls13-python-embedded": {("OFFSET_FETCH", 3): 1},
        "transactions": {("FETCH", 18): 2},
    },
    Kind.UNANSWERED: {
        "kraft3-failover": {("FETCH", 18): 2},
        "kraft3-quorum-leader-ended": {("FETCH", 18): 4, ("ALLOCATE_PRODUCER_IDS", 0): 1},
        "sasl-gssapi-reauth": {("FETCH", 11): 3, ("HEARTBEAT", 3): 1, ("METADATA", 4): 1},
    },
    Kind.UNANSWERED_AT_END: {
        "java-2.8.2-clients": {("FETCH", 12): 1},
    },
    Kind.LOG_LINE_LOST: {
        "kraft3-quorum-leader-ended": {("FETCH", 18): 1, ("API_VERSIONS", 4): 1},
    },
    Kind.SASL: {
        "admin-all-sasl": {("API_VERSIONS", 0): 4, ("SASL_AUTHENTICATE", 2): 8, ("SASL_HANDSHAKE", 1): 4},
        "sasl-gssapi-handshake-v0": {("SASL_HANDSHAKE", 0): 13},
        "sasl-gssapi-java": {("API_VERSIONS", 0): 20, ("SASL_AUTHENTICATE", 2): 31, ("SASL_HANDSHAKE", 1): 20},
        "sasl-gssapi-librdkafka": {("API_VERSIONS", 3): 12, ("SASL_AUTHENTICATE", 0): 30, ("SASL_HANDSHAKE", 1): 12},
        "sasl-gssapi-reauth": {
            ("API_VERSIONS", 0): 8,
            ("API_VERSIONS", 3): 7,
            ("SASL_AUTHENTICATE", 0): 15,
            ("SASL_AUTHENTICATE", 2): 26,
            ("SASL_HANDSHAKE", 1): 18,
        },
        "sasl-handshake-v0": {("SASL_HANDSHAKE", 0): 18},
        "sasl-oauthbearer": {
            ("API_VERSIONS", 0): 11,
            ("API_VERSIONS", 3): 12,
            ("SASL_AUTHENTICATE", 1): 12,
            ("SASL_AUTHENTICATE", 2): 11,
            ("SASL_HANDSHAKE", 1): 23,
        },
        "sasl-plain-java": {("API_VERSIONS", 0): 12, ("SASL_AUTHENTICATE", 2): 12, ("SASL_HANDSHAKE", 1): 12},
        "sasl-plain-many-clients": {
            ("API_VERSIONS", 0): 27,
            ("API_VERSIONS", 3): 12,
            ("API_VERSIONS", 4): 24,
            ("SASL_AUTHENTICATE", 0): 24,
            ("SASL_AUTHENTICATE", 1): 15,
            ("SASL_AUTHENTICATE", 2): 24,
            ("SASL_HANDSHAKE", 1): 63,
        },
        "sasl-reauthentication": {("API_VERSIONS", 0): 7, ("SASL_AUTHENTICATE", 2): 27, ("SASL_HANDSHAKE", 1): 18},
        "sasl-scram-sha-256": {
            ("API_VERSIONS", 0): 24,
            ("API_VERSIONS", 4): 20,
            ("API_VERSIONS", 5): 10,
            ("SASL_AUTHENTICATE", 1): 24,
            ("SASL_AUTHENTICATE", 2): 64,
            ("SASL_HANDSHAKE", 1): 44,
        },
        "sasl-ssl-plain-scram": {
            ("API_VERSIONS", 4): 32,
            ("API_VERSIONS", 5): 10,
            ("SASL_AUTHENTICATE", 2): 52,
            ("SASL_HANDSHAKE", 1): 32,
        },
    },
    Kind.BYTES_LEFT_BEHIND: {
        "clients-on-3.9.1": {("METADATA", 12): 1},
        "high-latency-client-side": {("METADATA", 13): 1},
        "jumbo-fetch-pipelined": {("METADATA", 13): 1},
        "librdkafka": {("METADATA", 13): 1},
        "librdkafka-admin": {("ALTER_USER_SCRAM_CREDENTIALS", 0): 2},
        "linux-sll": {("METADATA", 13): 1},
        "linux-sll2": {("METADATA", 13): 1},
        "loss-reorder-client-side": {("METADATA", 13): 1},
        "loss-reorder-server-side": {("METADATA", 13): 1},
        "nanoseconds": {("METADATA", 13): 1},
        "reorder-only-client-side": {("METADATA", 13): 1},
        "sasl-oauthbearer": {("METADATA", 13): 1},
        "sasl-plain-many-clients": {("METADATA", 13): 1},
        "telemetry": {("METADATA", 13): 1},
    },
    Kind.ANSWER_CUT_OFF: {
        "kraft3-failover": {("FETCH", 18): 2},
        "kraft3-shutdown": {("FETCH", 18): 1},
        "sasl-ssl-plain-scram": {("FETCH", 12): 1},
        "tls12-aes256-cbc-sha384": {("FETCH", 12): 1},
        "tls12-go-resumption": {("FETCH", 18): 1},
        "tls13-python": {("FETCH", 12): 1},
        "tls13-python-embedded": {("FETCH", 12): 1},
    },
}
"""By kind and recording, how many calls of an API and version."""
