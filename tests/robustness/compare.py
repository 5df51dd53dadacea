"""What was printed, held against what could be had and against what was really sent."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafkasniff.calls.call import Call
from kafkasniff.calls.frame import Frame
from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import Gap
from tests.robustness.conversations import Conversation, Message, SentCall
from tests.robustness.oracle import Expected, ExpectedMessage, Presence


@dataclass(slots=True)
class Share:
    """How many of what could be had were had."""

    found: int = 0
    expected: int = 0

    def count(self, found: bool) -> None:
        """Count one that could be had."""
        self.found += found
        self.expected += 1

    @property
    def part(self) -> float:
        """Give the part that was found; 1 where there was nothing to find."""
        return self.found / self.expected if self.expected else 1.0

    def __str__(self) -> str:
        """Give `found/expected`, or a dash."""
        return f"{self.found}/{self.expected}" if self.expected else "-"


AIMS = {
    "calls_followed": 1.0,
    "lone_followed": 1.0,
    "gaps": 1.0,
    "calls_searched": 0.99,
    "lone_searched": 0.99,
    "headers_followed": 0.99,
    "headers_searched": 0.99,
}
"""Shares of what is there that must be found: all where sizes can be followed."""


@dataclass(slots=True)
class Outcome:
    """One row's figures."""

    calls_followed: Share = field(default_factory=Share)
    """Calls all of whose bytes are there and whose places follow from sizes."""
    calls_searched: Share = field(default_factory=Share)
    """Calls all of whose bytes are there and of which a place must be searched for."""
    lone_followed: Share = field(default_factory=Share)
    """Whole messages whose other side is not whole."""
    lone_searched: Share = field(default_factory=Share)
    headers_followed: Share = field(default_factory=Share)
    """Messages whose header is there and whose body is cut."""
    headers_searched: Share = field(default_factory=Share)
    gaps: Share = field(default_factory=Share)
    """Runs of missing bytes in front of bytes that are there, each reported once with its length."""
    missing: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    """What was printed and never sent, sent otherwise, or sent once and printed twice."""
    wrong: list[str] = field(default_factory=list)
    """Outcomes that contradict the bytes, and gaps that are none."""

    @property
    def below_aim(self) -> list[str]:
        """Give what fell below its aim."""
        return [f"{name} {share}" for name, aim in AIMS.items() if (share := getattr(self, name)).part < aim]


def canonical(value: Any) -> str:
    """Give the JSON text of a body, keys in their order."""
    return json.dumps(value, ensure_ascii=False)


def _frame_error(frame: Frame, message: Message) -> str | None:
    content = message.frame[4:]
    if frame.size != len(content):
        return f"size {frame.size} instead of {len(content)}"
    if frame.data != content[: len(frame.data)]:
        return "other bytes"
    return None


def _request_error(call: Call, sent: Message) -> str | None:
    """Tell how the printed request differs from the one that was sent."""
    if call.request is None or call.header is None:
        return None
    client_id = sent.client_id
    if client_id is not None and len(call.request.data) < sent.header_end - 4:
        # Of a client id that is cut, as much is printed as there is.
        client_id = client_id[: len(call.header.client_id or "")]
    printed = (call.header.api_key, call.header.api_version, call.header.client_id)
    if printed != (sent.api_key, sent.api_version, client_id):
        return f"header {printed} instead of {(sent.api_key, sent.api_version, client_id)}"
    error = _frame_error(call.request, sent)
    if error is None and call.request.whole:
        body = call.request_body
        if body is None or canonical(body.value) != canonical(sent.body):
            error = f"body {body}"
    return error and f"request: {error}"


def _response_error(call: Call, sent: Message | None) -> str | None:
    if call.response is None:
        return None
    if sent is None:
        return "response: none was sent"
    error = _frame_error(call.response, sent)
    if error is None and call.response.whole and call.header is not None:
        body = call.response_body
        if body is None or canonical(body.value) != canonical(sent.body):
            error = f"body {body}"
    return error and f"response: {error}"


class _Ledger:
    """Who sent what under which correlation id, and what of it was printed."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self.sent: dict[tuple[str, str, int], list[SentCall]] = defaultdict(list)
        self.printed: dict[Message, Presence] = {}
        for conversation in conversations:
            ends = (_endpoint(conversation.client), _endpoint(conversation.server))
            for call in conversation.calls:
                self.sent[*ends, call.request.correlation_id].append(call)

    def claim(self, call: Call, outcome: Outcome) -> None:
        """Find what was sent for a printed call; note an invention where there is nothing."""
        name = _name(call)
        errors = ["nothing was sent under this id"]
        for sent in self.sent.get((call.client, call.server, call.correlation_id), ()):
            error = _request_error(call, sent.request) or _response_error(call, sent.response)
            if error is None:
                error = self._note(call, sent)
            if error is None:
                _check_outcome(call, sent, outcome)
                return
            errors.append(error)
        outcome.invented.append(f"{name}: {errors[-1]}")

    def _note(self, call: Call, sent: SentCall) -> str | None:
        pairs = ((call.request, sent.request), (call.response, sent.response))
        shown = [(frame, message) for frame, message in pairs if frame is not None and message is not None]
        if any(message in self.printed for _, message in shown):
            return "printed twice"
        for frame, message in shown:
            self.printed[message] = "whole" if frame.whole else "header"
        return None


def _check_outcome(call: Call, sent: SentCall, outcome: Outcome) -> None:
    allowed: tuple[str, ...]
    if call.request is None:
        allowed = ("request-not-captured",)
    elif sent.response is None:
        allowed = ("no-response-expected",) if call.request.whole else ("no-response-expected", "response-not-captured")
    else:
        # The conversations answer every request, so `unanswered` is never true unless the connection was cut short.
        allowed = ("answered",) if call.response is not None else ("response-not-captured",)
        if call.response is not None and not call.response.whole:
            allowed = ("answered", "response-not-captured")
    if call.outcome not in allowed and not (
        call.outcome == "unanswered" and call.connection.ended_by in ("fin", "rst")
    ):
        outcome.wrong.append(f"{_name(call)}: {call.outcome} instead of {allowed}")


def _endpoint(end: tuple[str, int]) -> str:
    return f"[{end[0]}]:{end[1]}" if ":" in end[0] else f"{end[0]}:{end[1]}"


def _name(call: Call) -> str:
    header = call.header
    api = f"api {header.api_key} v{header.api_version}" if header else "no request"
    packet = call.request.first.packet if call.request else call.ended.packet
    return f"packet {packet} {call.client}-{call.server} id {call.correlation_id} {api} {call.outcome}"


def _count_messages(expected: Expected, ledger: _Ledger, outcome: Outcome) -> None:
    calls: dict[SentCall, list[ExpectedMessage]] = defaultdict(list)
    for one in expected.messages:
        calls[one.call].append(one)
    for parts in calls.values():
        followed = all(part.followable for part in parts)
        if all(part.presence == "whole" for part in parts):
            found = all(ledger.printed.get(part.message) == "whole" for part in parts)
            (outcome.calls_followed if followed else outcome.calls_searched).count(found)
            if not found:
                outcome.missing.append(_lack(parts, followed))
            continue
        for part in parts:
            if part.presence == "none":
                continue
            whole = part.presence == "whole"
            printed = ledger.printed.get(part.message)
            found = printed == "whole" if whole else printed is not None
            if whole:
                share = outcome.lone_followed if part.followable else outcome.lone_searched
            else:
                share = outcome.headers_followed if part.followable else outcome.headers_searched
            share.count(found)
            if not found:
                outcome.missing.append(_lack([part], part.followable))


def _lack(parts: list[ExpectedMessage], followed: bool) -> str:
    first = parts[0].message
    sides = " and ".join(f"{part.message.side} ({part.presence}, {len(part.message.frame)} bytes)" for part in parts)
    name = f"connection {parts[0].conversation} id {first.correlation_id} api {first.api_key} v{first.api_version}"
    return f"{name}: {sides}, {'followed' if followed else 'searched'}"


def _count_gaps(
    items: Iterable[Item], expected: Expected, conversations: Sequence[Conversation], outcome: Outcome
) -> None:
    reported: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for item in items:
        if isinstance(item, Gap):
            side = item.direction or "unknown"
            reported[item.client, item.server, side].append(-1 if item.length is None else item.length)
    wanted: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for (number, direction), lengths in expected.gaps.items():
        ends = conversations[number]
        key = (_endpoint(ends.client), _endpoint(ends.server), ("request", "response")[direction])
        wanted[key] += lengths
    for key in sorted(wanted | reported):
        have = sorted(reported[key])
        for length in sorted(wanted[key]):
            outcome.gaps.count(length in have)
            if length in have:
                have.remove(length)
            else:
                outcome.missing.append(f"gap of {length} bytes in {key}; reported: {sorted(reported[key])}")
        outcome.wrong += [f"gap of {length} bytes in {key}; expected: {sorted(wanted[key])}" for length in have]


def compare(items: Sequence[Item], conversations: Sequence[Conversation], expected: Expected) -> Outcome:
    """Hold printed items against what could be had."""
    outcome = Outcome()
    ledger = _Ledger(conversations)
    for item in items:
        if isinstance(item, Call):
            ledger.claim(item, outcome)
    _count_messages(expected, ledger, outcome)
    _count_gaps(items, expected, conversations, outcome)
    return outcome
