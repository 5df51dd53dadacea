"""What happened to a group, a client, a transactional id, a connection or a partition, in the order of time."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.enrichment.long_names import LONGEST_TEXT, short_name
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import ConnectionReport
from kafkasniff.capture.packets import Arrival
from kafkasniff.diagnose.facts.clients import client_of
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.facts.whole_bodies import request_of, response_of
from kafkasniff.diagnose.memory.rates import MILLISECOND, SECOND
from kafkasniff.diagnose.memory.tallies import Names
from kafkasniff.diagnose.partition_history import PartitionHistory, Said
from kafkasniff.protocol.api_keys import (
    API_VERSIONS,
    CONSUMER_GROUP_HEARTBEAT,
    FETCH,
    FIND_COORDINATOR,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    SYNC_GROUP,
)
from kafkasniff.protocol.error_codes.numbers import ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID

KINDS = ("group", "client", "transactional-id", "connection", "partition")
"""What a timeline can be of."""

STORY = (
    (API_VERSIONS, "ApiVersions"),
    (METADATA, "Metadata"),
    (FIND_COORDINATOR, "FindCoordinator"),
    (JOIN_GROUP, "JoinGroup"),
    (SYNC_GROUP, "SyncGroup"),
    (OFFSET_FETCH, "OffsetFetch"),
    (LIST_OFFSETS, "ListOffsets"),
    (FETCH, "Fetch"),
    (HEARTBEAT, "Heartbeat"),
)
"""How a consumer that starts with nothing goes about it, by API key and name."""

SLOW_NS = 3 * SECOND
"""From so long on a group's answer is marked as slow: beyond group.initial.rebalance.delay.ms (3 s) it waits."""

_GROUP_KEY, _TRANSACTION_KEY = 0, 1
"""Types of keys of FindCoordinator."""

_MOST_ROWS = 10_000
_MANY = 3


@dataclass(slots=True)
class Row:
    """One line of a timeline, which stands for `count` equal calls in a row."""

    arrival: Arrival
    last: Arrival
    client: str
    what: str
    detail: str
    mark: str
    count: int = 1


@dataclass(slots=True)
class Timeline:
    """Gathers the rows of what `kind` and `name` say."""

    kind: str
    name: str
    rows: list[Row] = field(default_factory=list)
    left_out: int = 0
    """Rows beyond those that are kept."""
    failed: Counter[str] = field(default_factory=Counter)
    """How often something could not be taken, by the names of exceptions."""
    _facts: Facts = field(default_factory=Facts)
    _generation: int = -1
    _first_seen: dict[int, int] = field(default_factory=dict)
    """Of the APIs of the story, when each was first asked (ns)."""
    _partition: PartitionHistory | None = None
    _named: bool = False
    """Whether any call named it."""
    _others: Names = field(default_factory=Names)
    """What calls named instead."""
    _uses: dict[tuple[str, str], tuple[Row, str]] = field(default_factory=dict)
    """Of a partition, the rows since the last mark, by client and API, each with what it began with."""

    def __post_init__(self) -> None:
        """Look whether the name is a partition's. Raises ValueError where it is none."""
        if self.kind == "partition":
            self._partition = PartitionHistory(self.name, self._facts)

    def feed(self, item: Item) -> None:
        """Take what comes next; no exception that its bytes cause may end the run."""
        try:
            self._feed(item)
        except Exception as error:
            self.failed[type(error).__name__] += 1

    def _feed(self, item: Item) -> None:
        if isinstance(item, Call):
            self._facts.learn(item)
            if self._partition is not None:
                said = self._partition.say(item) if item.request is not None else None
                if said is not None:
                    self._use(item, said)
            elif item.request is not None and self._names(item):
                self._first_seen.setdefault(item.api_key or 0, item.request.first.time)
                self._row(item)
        elif isinstance(item, ConnectionReport):
            if self.kind == "connection" and f"{item.client}-{item.server}" == self.name:
                ended = item.connection.ended_by or "open"
                self._add(Row(item.last, item.last, item.client, "connection ended", ended, ""))
            self._facts.forget(item)

    def _names(self, call: Call) -> bool:
        """Tell whether a call names what the timeline is of, and note what it names instead."""
        names = [name for name in _NAMES[self.kind](call) if name]
        if self.name in names:
            self._named = True
            return True
        for name in names[: 1 if self.kind == "client" else None]:
            self._others.add(short_name(str(name)))
        return False

    def in_order(self) -> list[Row]:
        """Give the rows in the order in which what they stand for began: calls come in that in which they ended."""
        return sorted(self.rows, key=lambda row: row.arrival.time)

    def others(self) -> Names | None:
        """Give the first names of this kind that calls have, where none has this one; else None."""
        if self._partition is not None:
            return None if self._partition.found else self._partition.others
        return None if self._named else self._others

    def story(self) -> list[str]:
        """Say what a consumer's start lacks or does out of order; empty when it does not look like a consumer."""
        seen = [(key, name) for key, name in STORY if key in self._first_seen]
        if self.kind not in ("client", "connection") or FETCH not in self._first_seen:
            return []
        group = JOIN_GROUP in self._first_seen
        wanted = [(key, name) for key, name in STORY if group or key in (API_VERSIONS, METADATA, LIST_OFFSETS, FETCH)]
        missing = [name for key, name in wanted if key not in self._first_seen]
        order = [name for _, name in sorted(seen, key=lambda item: self._first_seen[item[0]])]
        late = [
            f"{name} before {earlier}"
            for (key, earlier), (after, name) in pairwise(seen)
            if self._first_seen[after] < self._first_seen[key]
        ]
        lines = [f"start: {' → '.join(order)}"]
        if missing:
            lines.append(f"missing: {', '.join(missing)}")
        if late:
            lines.append(f"out of order: {', '.join(late)}")
        return lines

    def _row(self, call: Call) -> None:
        assert call.request is not None
        detail, mark = self._detail(call)
        errors = dict.fromkeys(error.name for error in call.errors)
        if errors:
            detail = f"{detail}  {', '.join(errors)}".strip()
        if call.outcome not in ("answered", "no-response-expected"):
            detail = f"{detail}  {call.outcome}".strip()
        if self.kind == "group" and not detail and not mark:
            return
        if not mark and call.api_key in dict(STORY) and call.request.first.time == self._first_seen[call.api_key or 0]:
            step = [key for key, _ in STORY].index(call.api_key or 0) + 1
            mark = f"step {step}" if self.kind in ("client", "connection") else ""
        client = f"{client_of(call).name}" if self.kind != "connection" else call.client
        detail = short_name(detail, LONGEST_TEXT)
        self._add(Row(call.request.first, call.ended, client, f"{call.api_name} v{call.api_version}", detail, mark))

    def _use(self, call: Call, said: Said) -> None:
        """Take a use of the partition; between two marks those of one client by one API stand in one row."""
        assert call.request is not None
        row = Row(
            call.request.first,
            call.ended,
            client_of(call).name,
            f"{call.api_name} v{call.api_version}",
            short_name(said.detail, LONGEST_TEXT),
            said.mark,
        )
        key = row.client, row.what
        before = self._uses.get(key) if not said.mark else None
        if before is not None:
            used, begun = before
            used.count += 1
            used.last = row.last
            used.detail = begun if begun == row.detail else f"{begun} … {row.detail}"
            return
        self._add(row)
        if said.mark:
            self._uses.clear()
        elif self.rows[-1] is row:
            self._uses[key] = row, row.detail

    def _add(self, row: Row) -> None:
        last = self.rows[-1] if self.rows else None
        same = last is not None and (last.client, last.what, last.detail) == (row.client, row.what, row.detail)
        if last is not None and same and not row.mark:
            last.count += 1
            last.last = row.last
        elif len(self.rows) < _MOST_ROWS:
            self.rows.append(row)
        else:
            self.left_out += 1

    def _detail(self, call: Call) -> tuple[str, str]:
        """Give what a call says, and a mark where it matters."""
        request, response = request_of(call), response_of(call)
        key = call.api_key
        took = call.total_ns or 0
        slow = f"waited {took / SECOND:.1f} s" if took >= SLOW_NS and key in (JOIN_GROUP, SYNC_GROUP) else ""
        if key == JOIN_GROUP:
            return self._join(request, response, slow)
        if key == LEAVE_GROUP:
            members = request.get("members") or [request]
            reasons = [member.get("reason") for member in members if member.get("reason")]
            evicted = any("poll timeout" in reason for reason in reasons)
            return (
                f"{members[0].get('memberId', '')} {'; '.join(reasons)}".strip(),
                "evicted itself" if evicted else "left",
            )
        if key == FIND_COORDINATOR:
            nodes = [item.get("nodeId") for item in response.get("coordinators") or [response]]
            return f"coordinator {', '.join(str(node) for node in nodes)}", ""
        if key == SYNC_GROUP:
            return f"generation {request.get('generationId')}", slow
        if key in (HEARTBEAT, OFFSET_COMMIT) and any(
            error.code in (ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID) for error in call.errors
        ):
            return "", "thrown out"
        if key == CONSUMER_GROUP_HEARTBEAT and response.get("memberEpoch", -1) != self._generation:
            self._generation = response.get("memberEpoch", -1)
            return f"member epoch {self._generation}", "new epoch"
        return self._topics(call, request), ""

    def _join(self, request: dict[str, Any], response: dict[str, Any], slow: str) -> tuple[str, str]:
        parts = [f"member {request.get('memberId') or 'new'}"]
        generation = response.get("generationId", -1)
        mark = slow
        if response.get("errorCode") == 0:
            parts.append(f"generation {generation}")
            if generation != self._generation:
                self._generation = generation
                mark = f"new generation, {slow}" if slow else "new generation"
        if request.get("reason"):
            parts.append(request["reason"])
        return ", ".join(parts), mark

    def _topics(self, call: Call, request: dict[str, Any]) -> str:
        if self.kind == "group":
            return ""
        items = request.get("topicData") or request.get("topics") or []
        names = list(
            dict.fromkeys(filter(None, (self._facts.name_in(item) for item in items if isinstance(item, dict))))
        )
        more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
        took = call.total_ns
        slow = f"  {took // MILLISECOND} ms" if took is not None and took >= SECOND else ""
        return f"{', '.join(names[:_MANY])}{more}{slow}".strip()


def _groups(call: Call) -> Iterator[Any]:
    request = request_of(call)
    yield request.get("groupId")
    if call.api_key == FIND_COORDINATOR:
        yield from _keys(request, _GROUP_KEY)
    for each in request.get("groups") or ():
        # Of OffsetFetch these are structs, of DescribeGroups names.
        yield each.get("groupId") if isinstance(each, dict) else each


def _transactional_ids(call: Call) -> Iterator[Any]:
    request = request_of(call)
    yield request.get("transactionalId")
    yield request.get("v3AndBelowTransactionalId")
    if call.api_key == FIND_COORDINATOR:
        yield from _keys(request, _TRANSACTION_KEY)


def _keys(request: dict[str, Any], key_type: int) -> Iterator[Any]:
    """Give what FindCoordinator asks for, where it is of a type; before version 1 all are groups."""
    if request.get("keyType", _GROUP_KEY) == key_type:
        yield request.get("key")
        yield from request.get("coordinatorKeys") or ()


def _clients(call: Call) -> Iterator[Any]:
    yield call.client_id or call.client
    yield call.client


def _connections(call: Call) -> Iterator[Any]:
    yield f"{call.client}-{call.server}"


_NAMES: dict[str, Callable[[Call], Iterator[Any]]] = {
    "group": _groups,
    "client": _clients,
    "transactional-id": _transactional_ids,
    "connection": _connections,
}
"""Names that calls tell, by what they are of; the first of a call is what people call it."""
