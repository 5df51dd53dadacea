"""What calls say of one partition, for its timeline."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of, response_of
from kafkasniff.diagnose.memory.tallies import Names
from kafkasniff.protocol.api_keys import (
    CONSUMER_GROUP_HEARTBEAT,
    FETCH,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    PRODUCE,
    SYNC_GROUP,
    TXN_OFFSET_COMMIT,
)
from kafkasniff.protocol.error_codes.codes import error_name

_INDEXES = ("partition", "partitionIndex", "index")
"""What messages call the number of a partition."""
_MOST_LOOKED_AT = 10_000
"""Structures of a message that are looked at for the partition."""
_AT_TIMES = {-1: "end", -2: "beginning", -3: "largest timestamp", -4: "beginning of what is stored locally"}
"""By timestamps of ListOffsets (ListOffsetsRequest.java)."""


class Said(NamedTuple):
    """What a call says of the partition."""

    detail: str
    mark: str
    """Empty where nothing happened but that it was used."""


class PartitionHistory:
    """Follows a partition through calls."""

    def __init__(self, name: str, facts: Facts) -> None:
        """Follow `TOPIC-NUMBER`. Raises ValueError for another form."""
        self._topic, _, index = name.rpartition("-")
        if not self._topic or not (index.isascii() and index.isdigit()):
            raise ValueError("expected TOPIC-NUMBER, such as orders-3")
        self._index = int(index)
        self._facts = facts
        self._leader: tuple[Any, Any] | None = None
        self._start: int | None = None
        self.found = False
        """Whether any call named it."""
        self.others = Names()
        """Partitions that calls named instead."""
        self._owners: dict[str, str] = {}
        """By group, the member that was assigned the partition last."""

    def say(self, call: Call) -> Said | None:
        """Give what a call says of the partition; None where it says nothing, or nothing new."""
        if call.api_key in (SYNC_GROUP, CONSUMER_GROUP_HEARTBEAT):
            return self._assigned(call)
        asked = next(self._elements(request_of(call)), None)
        told = next(self._elements(response_of(call)), None)
        if asked is None and told is None:
            return None
        asked, told = asked or {}, told or {}
        error = told.get("errorCode") or told.get("partitionErrorCode") or 0
        if call.api_key == METADATA:
            return self._led(told, error)
        detail, mark = self._used(call, asked, told), ""
        start = told.get("logStartOffset", -1)
        if not error and start >= 0:
            if self._start is not None and start > self._start:
                detail, mark = f"{detail}, the log begins at {start}, no longer {self._start}", "records deleted"
            self._start = max(self._start or 0, start)
        return Said(f"{detail}  {error_name(error)}".strip(), "refused") if error else Said(detail, mark)

    def _elements(self, body: Any) -> Iterator[dict[str, Any]]:
        """Give the structures of a message that are about the partition."""
        waiting = [body]
        for _ in range(_MOST_LOOKED_AT):
            if not waiting:
                return
            item = waiting.pop()
            if isinstance(item, list):
                waiting += item
            elif isinstance(item, dict):
                topic = self._facts.name_in(item)
                for index, element in _inside(item) if topic is not None else ():
                    if topic == self._topic and index == self._index:
                        self.found = True
                        yield element
                    else:
                        self.others.add(f"{topic}-{index}")
                if topic != self._topic:
                    waiting += [value for value in item.values() if isinstance(value, list | dict)]

    def _used(self, call: Call, asked: dict[str, Any], told: dict[str, Any]) -> str:
        """Say what a client does with the partition."""
        key, request = call.api_key, request_of(call)
        if key == PRODUCE:
            return f"written at offset {told['baseOffset']}" if told.get("baseOffset", -1) >= 0 else ""
        if key == FETCH:
            who = f"by follower {_follower(request)}" if is_follower(request) else ""
            begin = f"from offset {asked['fetchOffset']}" if "fetchOffset" in asked else ""
            end = f"to high watermark {told['highWatermark']}" if told.get("highWatermark", -1) >= 0 else ""
            return " ".join(filter(None, (who, begin, end)))
        if key == LIST_OFFSETS:
            return f"{_AT_TIMES.get(asked.get('timestamp', 0), 'offset by time')} is {told.get('offset', '?')}"
        if key in (OFFSET_COMMIT, TXN_OFFSET_COMMIT):
            return f"group {request.get('groupId')} commits {asked.get('committedOffset')}"
        if key == OFFSET_FETCH:
            groups = request.get("groups") or [request]
            return f"group {groups[0].get('groupId')} has committed {told.get('committedOffset', '?')}"
        transaction = request.get("transactionalId") or request.get("v3AndBelowTransactionalId")
        return f"transaction {transaction}" if transaction else ""

    def _led(self, told: dict[str, Any], error: int) -> Said | None:
        """Say who leads it, where that is new."""
        if not told:
            return None
        leader = told.get("leaderId"), told.get("leaderEpoch", -1)
        known = self._leader
        if known is not None and leader[0] == known[0] and (-1 in (leader[1], known[1]) or leader == known):
            return None  # Before version 7 of Metadata there is no epoch.
        self._leader = leader
        replicas = told.get("isrNodes") or []
        epoch = f", epoch {leader[1]}" if leader[1] is not None and leader[1] >= 0 else ""
        if error or leader[0] is None or leader[0] < 0:
            return Said(f"no leader{epoch}{f'  {error_name(error)}' if error else ''}", "without leader")
        text = f"leader {leader[0]}{epoch}, in sync {', '.join(map(str, replicas))}"
        return Said(text, "new leader" if known is not None else "")

    def _assigned(self, call: Call) -> Said | None:
        """Say to whom the partition is assigned, where that is new."""
        request, response = request_of(call), response_of(call)
        group, owner = str(request.get("groupId")), str(request.get("memberId"))
        if call.api_key == SYNC_GROUP:
            found = [each["value"] for each in call.decoded if each["where"] == "response" and each.get("value")]
            if not found:
                return None
            its = any(True for each in found for _ in self._elements(each))
        elif response.get("assignment") is not None:
            its = any(True for _ in self._elements(response["assignment"]))
        else:
            return None
        if its == (self._owners.get(group) == owner):
            return None
        if its:
            self._owners[group] = owner
            return Said(f"group {group} assigns it to member {owner}", "assigned")
        del self._owners[group]
        return Said(f"group {group} takes it from member {owner}", "taken away")


def _inside(topic: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Give the partitions in a topic's structure: their numbers, and what stands of them."""
    for value in topic.values():
        for element in value if isinstance(value, list) else ():
            if isinstance(element, int):
                yield element, {}
            elif isinstance(element, dict):
                for index in (element[name] for name in _INDEXES if name in element):
                    yield index, element


def _follower(request: dict[str, Any]) -> int:
    """Give the broker that replicates by a Fetch."""
    return int(request.get("replicaId", (request.get("replicaState") or {}).get("replicaId", -1)))
