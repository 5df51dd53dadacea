"""Which calls, gaps and connections to show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import typer

from kafkasniff.calls.call import Call, ConnectionReport, Gap, Side
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.enrichment.learning import names_topic_ids
from kafkasniff.calls.items import Item
from kafkasniff.cli.arguments import ANY_ERROR
from kafkasniff.protocol.bodies import DecodedBody, find_entities

_UNITS_NS = {"us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "min": 60_000_000_000}
_MOST_DIGITS = 5
"""Of an API key, which is an int16."""

_DURATION = re.compile(r"(\d{1,12}(?:\.\d+)?)\s*([a-zµ]*)", re.ASCII | re.IGNORECASE)


class Moment(NamedTuple):
    """A point in time: of the clock, or counted from the capture's first packet."""

    nanoseconds: int
    relative: bool

    def after(self, first: int) -> int:
        """Give the time in ns since 1970, where the first packet came at `first`."""
        return first + self.nanoseconds if self.relative else self.nanoseconds


@dataclass(slots=True)
class Filters:
    """What the options ask for; empty means everything. Values of one option are alternatives, options add up."""

    api_keys: frozenset[int] = frozenset()
    client_ids: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset()
    connections: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    any_error: bool = False
    error_codes: frozenset[int] = frozenset()
    slower_than_ns: int | None = None
    begin: Moment | None = None
    end: Moment | None = None

    def shows_call(self, call: Call, first_time: int) -> bool:
        """Tell whether a call is wanted; bodies are decoded only for the options that look into them.

        `first_time`: of the capture's first packet, in ns since 1970.
        """
        if self.api_keys and call.api_key not in self.api_keys:
            return False
        if self.client_ids and call.client_id not in self.client_ids:
            return False
        if not self._shows_place(call.client, call.server) or not self._shows_time(call.time.time, first_time):
            return False
        if self.slower_than_ns is not None:
            taken = call.pending_ns if call.total_ns is None else call.total_ns
            if taken is None or taken <= self.slower_than_ns:
                return False
        return self._shows_bodies(call)

    def shows(self, item: Item, first_time: int) -> bool:
        """Tell whether anything that the engine gives is wanted."""
        return self.shows_call(item, first_time) if isinstance(item, Call) else self.shows_other(item, first_time)

    def shows_other(self, item: Gap | RawToken | ConnectionReport, first_time: int) -> bool:
        """Tell whether a gap, a raw token or a connection is wanted: where nothing is asked about calls."""
        if self.asks_about_calls:
            return False
        time = item.last.time if isinstance(item, ConnectionReport) else item.arrival.time
        return self._shows_place(item.client, item.server) and self._shows_time(time, first_time)

    @property
    def asks_about_calls(self) -> bool:
        """Tell whether any option is about what only calls have."""
        about_calls = (self.api_keys, self.client_ids, self.topics, self.groups, self.any_error, self.error_codes)
        return any(about_calls) or self.slower_than_ns is not None

    def _shows_place(self, client: str, server: str) -> bool:
        if self.connections and f"{client}-{server}" not in self.connections:
            return False
        if not self.hosts and not self.ports:
            return True
        ends = [(end, *end.rpartition(":")[::2]) for end in (client, server)]
        if self.hosts and not any(end in self.hosts or address.strip("[]") in self.hosts for end, address, _ in ends):
            return False
        return not self.ports or any(int(port) in self.ports for _, _, port in ends)

    def _shows_time(self, time: int, first_time: int) -> bool:
        if self.begin is not None and time < self.begin.after(first_time):
            return False
        return self.end is None or time < self.end.after(first_time)

    def _shows_bodies(self, call: Call) -> bool:
        if (self.any_error or self.error_codes) and not any(
            self.any_error or error.code in self.error_codes for error in call.errors
        ):
            return False
        if not self.topics and not self.groups:
            return True
        if self.topics and not _may_name(call, self.topics) and not _has_topic_ids(call):
            return False
        if self.groups and not _may_name(call, self.groups):
            return False
        named = _entities(call)
        if self.topics and self.topics.isdisjoint(named["topicName"]) and self.topics.isdisjoint(call.topics.values()):
            return False
        return not self.groups or not self.groups.isdisjoint(named["groupId"])


def call_filters(
    api: Sequence[str] | None,
    client_id: Sequence[str] | None,
    host: Sequence[str] | None,
    port: Sequence[int] | None,
    connection: Sequence[str] | None,
    topic: Sequence[str] | None,
    group: Sequence[str] | None,
    errors: Sequence[str] | None,
    slower_than: str | None,
    begin: str | None = None,
    end: str | None = None,
) -> Filters:
    """Give the filters that the options of these names ask for; raises BadParameter."""
    return Filters(
        api_keys=api_keys(api or ()),
        client_ids=frozenset(client_id or ()),
        hosts=frozenset(host or ()),
        ports=frozenset(port or ()),
        connections=frozenset(connection or ()),
        topics=frozenset(topic or ()),
        groups=frozenset(group or ()),
        any_error=ANY_ERROR in (errors or ()),
        error_codes=error_codes(errors or ()),
        slower_than_ns=duration_ns(slower_than, "--slower-than") if slower_than else None,
        begin=moment(begin, "--from") if begin else None,
        end=moment(end, "--to") if end else None,
    )


def _may_name(call: Call, names: frozenset[str]) -> bool:
    """Tell whether the bytes of a call's messages may hold one of `names`, which spares decoding the others."""
    frames = [frame.data for frame in (call.request, call.response) if frame is not None]
    for name in names:
        raw = name.encode("utf-8", "surrogateescape")
        # U+FFFD stands for bytes that are not UTF-8.
        if "\ufffd" in name or any(raw in data for data in frames):
            return True
    return False


def _has_topic_ids(call: Call) -> bool:
    """Tell whether a call may mean topics by their ids, whose names other calls tell."""
    if call.header is None:
        return False
    return names_topic_ids(call.header.api_key, call.header.api_version)


def _entities(call: Call) -> dict[str, set[str]]:
    """Give the names of topics and groups in a call, also where its bodies did not decode whole."""
    found: dict[str, set[str]] = {"topicName": set(), "groupId": set()}
    if call.api_key is None:
        return found
    sides: tuple[tuple[Side, DecodedBody | None], ...] = (
        ("request", call.request_body),
        ("response", call.response_body),
    )
    for side, body in sides:
        if body is None or body.value is None:
            continue
        named = find_entities(call.api_key, body.version, side, body.value)
        for entity, names in found.items():
            names.update(named.get(entity, ()))
    return found


def api_keys(names: Sequence[str]) -> frozenset[int]:
    """Give the keys of APIs named in any form; raises BadParameter for an unknown one."""
    keys = set()
    for name in names:
        # Imported when asked for, since it brings the versions of all APIs in all releases.
        from kafkasniff.render.api_reference import find_api

        api = find_api(name)
        if api is not None:
            keys.add(api.key)
        elif name.isdecimal() and len(name) <= _MOST_DIGITS:
            keys.add(int(name))  # a key that this version does not know may be on the wire all the same
        else:
            raise typer.BadParameter(
                f"no API has the name {name!r}; `kafkasniff apis` lists them all.", param_hint="--api"
            )
    return frozenset(keys)


def error_codes(names: Sequence[str]) -> frozenset[int]:
    """Give the codes of errors by name or code; raises BadParameter for an unknown one."""
    codes = set()
    for name in names:
        if name == ANY_ERROR:
            continue
        from kafkasniff.render.error_reference import find_error

        error = find_error(name)
        if error is None:
            text = f"no error has the code or name {name!r}; `kafkasniff errors` lists them all."
            raise typer.BadParameter(text, param_hint="--errors")
        codes.add(error.code)
    return frozenset(codes)


def duration_ns(text: str, option: str) -> int:
    """Give a duration such as `100ms`, `2s`, `1.5m` or `100` (ms) in nanoseconds; raises BadParameter."""
    match = _DURATION.fullmatch(text.strip())
    unit = _UNITS_NS.get((match[2] or "ms").lower()) if match else None
    if match is None or unit is None:
        raise typer.BadParameter(f"{text!r} is no duration such as 100ms, 2s or 1m.", param_hint=option)
    return round(float(match[1]) * unit)


def moment(text: str, option: str) -> Moment:
    """Give a time in ISO 8601 (UTC where it names no zone), or `+` and a duration; raises BadParameter."""
    if text.startswith("+"):
        bare = text[1:]
        return Moment(duration_ns(f"{bare}s" if bare.replace(".", "", 1).isdecimal() else bare, option), relative=True)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        example = "2026-11-20T12:00:00Z or +5s"
        raise typer.BadParameter(f"{text!r} is no time such as {example}.", param_hint=option) from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    since_1970 = time - datetime(1970, 1, 1, tzinfo=UTC)
    return Moment(
        (since_1970.days * 86_400 + since_1970.seconds) * 10**9 + since_1970.microseconds * 1000, relative=False
    )
