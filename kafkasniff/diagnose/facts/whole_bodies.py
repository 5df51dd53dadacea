"""Bodies of calls as dicts, where they decode whole and without problems."""

from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.resync.agreement import LEFT_BEHIND

FETCHED_FIELDS = frozenset(
    {"replicaId", "replicaState", "topics", "topic", "topicId", "partitions", "partition", "fetchOffset"}
)
"""Fields of Fetch requests that say who reads from where."""


def request_of(call: Call) -> dict[str, Any]:
    """Give the request's body; empty when it did not decode whole, or there is a problem with it.

    A few bytes behind it do not count: real clients leave them, and brokers read what stands before.
    """
    body, frame = call.request_body, call.request
    if body is None or frame is None or body.value is None:
        return {}
    left_behind = len(body.problems) == 1 and 0 < len(frame.data) - body.end <= LEFT_BEHIND
    return body.value if left_behind or not body.problems else {}


def response_of(call: Call) -> dict[str, Any]:
    """Give the response's body; empty when there is none, it did not decode whole, or there is a problem with it.

    What does not fit its layout has other fields than it seems: librdkafka's mock cluster answers ApiVersions v3 with
    an entry behind an empty array, whose API key reads as throttleTimeMs.
    """
    body = call.response_body
    return body.value if body is not None and body.value is not None and not body.problems else {}


def requested(call: Call, names: frozenset[str]) -> dict[str, Any]:
    """Give the fields with these names of the request, sooner than `request_of` gives all of it."""
    scan = call.scan_request(names)
    return scan.value if scan is not None else request_of(call)


def answered(call: Call, names: frozenset[str]) -> dict[str, Any]:
    """Give the fields with these names of the response, sooner than `response_of` gives all of it."""
    scan = call.scan_response(names)
    return scan.value if scan is not None else response_of(call)


def is_follower(request: dict[str, Any]) -> bool:
    """Tell whether a Fetch request or the like is a broker's, which replicates, and no consumer's."""
    replica = request.get("replicaId", (request.get("replicaState") or {}).get("replicaId", -1))
    return bool(replica >= 0)
