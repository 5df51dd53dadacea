"""Rules about members of consumer groups: evictions and commits."""

from typing import Any, NamedTuple

from kafkasniff.calls.call import Call
from kafkasniff.diagnose.facts import (
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    OFFSET_COMMIT,
    SYNC_GROUP,
    Client,
    client_of,
    request_of,
    response_of,
)
from kafkasniff.diagnose.finding import Finding
from kafkasniff.diagnose.memory import MILLISECOND, SECOND, Bounded, Names, Rate, Tally
from kafkasniff.diagnose.rule import Rule, Threshold, client_subject, seconds_text, times_text

UNKNOWN_MEMBER_ID = 25
MEMBER_ID_REQUIRED = 79

_MOST_MEMBERS = 256


class GroupMember(NamedTuple):
    """A client within a group."""

    group: str
    client: Client


class Leaves(Tally):
    """Leaves for slow polling, and the latest leave without a reason."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.left: Bounded[int] = Bounded(_MOST_MEMBERS)
        self.poll_interval_ms: int | None = None
        self.members = Names()


class PollTimeoutEviction(Rule[Leaves]):
    """A consumer leaves its group as its program does not poll in time."""

    id = "poll-timeout-eviction"
    title = "A consumer polls too slowly and leaves its group"
    severity = "error"
    scope = "group and client"
    apis = frozenset({LEAVE_GROUP, JOIN_GROUP})
    thresholds = (
        Threshold("leaves", 1, "leaves", "each stops the group and repeats work"),
        Threshold(
            "rejoin_seconds",
            1.5,
            "s",
            "measured: a program that closes its consumer does not come back on the connection",
        ),
    )
    meaning = (
        "Processing one batch takes longer than max.poll.interval.ms; the partitions go to others, and come back later."
    )
    wire = (
        "LeaveGroup v5 with the reason 'consumer poll timeout has expired.' (Java); or a LeaveGroup without reason "
        "and a "
        "JoinGroup on the same connection later (librdkafka and older clients)."
    )
    cause = "The program spends longer than max.poll.interval.ms (default 5 minutes) between two polls."
    fix = (
        "Raise max.poll.interval.ms (Java, librdkafka); fetch fewer records at once (max.poll.records); move slow work "
        "to other threads and pause the partitions meanwhile."
    )
    explains = ("rebalance-storm", "commit-after-rebalance", "rebalance-stuck", "session-timeout")

    def new_state(self) -> Leaves:
        """Begin with none."""
        return Leaves()

    def call(self, call: Call) -> None:
        """Watch leaves and who comes back."""
        request = request_of(call)
        group = request.get("groupId")
        if not group or call.request is None:
            return
        key = GroupMember(group, client_of(call))
        if call.api_key == JOIN_GROUP:
            self._join(call, self.state(key), request)
            return
        members = request.get("members") or [request]
        reasons = [member.get("reason") or "" for member in members]
        if any("poll timeout" in reason for reason in reasons):
            state = self.state(key)
            state.add(call.request.last, f"LeaveGroup: {reasons[0]}", call.client)
            for member in members:
                state.members.add(member.get("memberId"))
        elif not any(reasons):
            left = call.request.last.time
            self.state(key).left.put(call.connection, left)

    def _join(self, call: Call, state: Leaves, request: dict[str, Any]) -> None:
        assert call.request is not None
        state.poll_interval_ms = request.get("rebalanceTimeoutMs", state.poll_interval_ms)
        left = state.left.pop(call.connection)
        if left is not None:
            away = call.request.first.time - left
            if away >= self.limits["rejoin_seconds"] * SECOND:
                what = f"JoinGroup {seconds_text(away)} after a LeaveGroup on the same connection"
                state.add(call.request.last, what, call.client)

    def finding(self, key: Any, state: Leaves) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, GroupMember)
        if state.count < self.limits["leaves"]:
            return None
        interval = f" (max.poll.interval.ms {state.poll_interval_ms:,})" if state.poll_interval_ms else ""
        times = times_text(state.count)
        summary = f"{key.client.name} left group {key.group} {times} as it did not poll in time{interval}."
        subject = client_subject(key.client) | {"group": key.group, "memberId": state.members.only}
        return self.make(state, subject, summary)


class Member:
    """A member of a group, as its requests tell."""

    __slots__ = ("last", "session_ms")

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.last: int | None = None
        """When it last sent a group request that was not refused (ns)."""
        self.session_ms: int | None = None


class SessionTimeout(Rule[Tally]):
    """A member was silent for longer than its session."""

    id = "session-timeout"
    title = "A member was silent for longer than its session timeout"
    severity = "error"
    scope = "group and client"
    apis = frozenset({JOIN_GROUP, SYNC_GROUP, HEARTBEAT, OFFSET_COMMIT})
    thresholds = (
        Threshold("evictions", 1, "evictions", "each stops the group and repeats work"),
        Threshold("share", 0.9, "", "of the session timeout: the coordinator's clock starts before the capture's"),
    )
    meaning = "The coordinator took the member for dead and gave its partitions to others, while it still ran."
    wire = "No group request for longer than JoinGroup's sessionTimeoutMs, then 25 UNKNOWN_MEMBER_ID."
    cause = (
        "The process stood still: a garbage collection, a frozen or overloaded host, a stopped container, or a cut "
        "network."
    )
    fix = (
        "Find what stopped the process (garbage collection logs, CPU limits); raise session.timeout.ms (default 45 "
        "s since "
        "3.0) and keep heartbeat.interval.ms at a third of it."
    )
    explains = ("rebalance-storm", "commit-after-rebalance", "rebalance-stuck")

    def __init__(self, *arguments: Any) -> None:
        """Begin with no member known."""
        super().__init__(*arguments)
        self._members: Bounded[Member] = Bounded()

    def new_state(self) -> Tally:
        """Begin with none."""
        return Tally()

    def call(self, call: Call) -> None:
        """Measure the pause before a member is refused."""
        request, response = request_of(call), response_of(call)
        group = request.get("groupId")
        if not group or call.request is None:
            return
        if call.api_key == JOIN_GROUP and response.get("memberId") and response["errorCode"] in (0, MEMBER_ID_REQUIRED):
            member = self._members.touch((group, response["memberId"]), Member)
            member.session_ms = request.get("sessionTimeoutMs")
            member.last = call.response.last.time if call.response else None
            if not request.get("memberId"):
                return
        member_id = request.get("memberId")
        known = self._members.get((group, member_id)) if member_id else None
        if known is None:
            return
        refused = any(error.code == UNKNOWN_MEMBER_ID for error in call.errors)
        sent = call.request.first.time
        if not refused:
            known.last = max(known.last or 0, call.response.last.time if call.response else sent)
            return
        if known.last is not None and known.session_ms is not None:
            pause = sent - known.last
            if pause >= self.limits["share"] * known.session_ms * MILLISECOND:
                what = (
                    f"{call.api_name} refused with UNKNOWN_MEMBER_ID after {seconds_text(pause)} of silence "
                    f"(session timeout {known.session_ms:,} ms)"
                )
                assert call.response is not None
                self.state(GroupMember(group, client_of(call))).add(call.response.last, what, call.client)
        self._members.pop((group, member_id))

    def finding(self, key: Any, state: Tally) -> Finding | None:
        """Fire from the threshold on."""
        assert isinstance(key, GroupMember)
        if state.count < self.limits["evictions"]:
            return None
        times = times_text(state.count)
        summary = f"{key.client.name} was thrown out of group {key.group} {times}: {state.evidence[0].what}."
        return self.make(state, client_subject(key.client) | {"group": key.group}, summary)


class Commits(Tally):
    """The rate of a member's commits."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.rate = Rate(SECOND, 10_000)


class CommitStorm(Rule[Commits]):
    """A member commits far too often."""

    id = "commit-storm"
    title = "Offsets are committed far too often"
    severity = "warning"
    scope = "group and member"
    apis = frozenset({OFFSET_COMMIT})
    thresholds = (
        Threshold(
            "per_second", 25, "commits/s", "measured: healthy members stay below 10; Java's default is every 5 s"
        ),
    )
    meaning = (
        "Every commit is a write to an internal topic with its replicas; one for each record costs more than the work."
    )
    wire = "Tens of OffsetCommit requests a second from one member."
    cause = "commitSync after each record (enable.auto.commit=false), or auto.commit.interval.ms of a few milliseconds."
    fix = (
        "Commit once per poll or every few seconds: enable.auto.commit with auto.commit.interval.ms=5000, or "
        "commit per batch."
    )

    def new_state(self) -> Commits:
        """Begin with none."""
        return Commits()

    def call(self, call: Call) -> None:
        """Count commits within a second."""
        request = request_of(call)
        if call.request is None or not request.get("groupId"):
            return
        state = self.state((GroupMember(request["groupId"], client_of(call)), request.get("memberId", "")))
        topics = request.get("topics") or ()
        for topic in topics:
            state.topics.add(self.facts.name_in(topic))
        state.rate.add(call.request.first.time)
        state.add(call.request.last, "OffsetCommit", call.client)

    def finding(self, key: Any, state: Commits) -> Finding | None:
        """Fire where a second held too many."""
        member, member_id = key
        if state.rate.peak < self.limits["per_second"]:
            return None
        summary = (
            f"{member.client.name} committed offsets of group {member.group} up to {state.rate.peak:,} times a second, "
            f"{state.count:,} times in all."
        )
        subject = client_subject(member.client) | {
            "group": member.group,
            "memberId": member_id,
            "topic": state.topics.only,
        }
        return self.make(state, subject, summary)


MEMBERSHIP_RULES: tuple[type[Rule[Any]], ...] = (PollTimeoutEviction, SessionTimeout, CommitStorm)
