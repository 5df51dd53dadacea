"""What stats, who and audit should say, worked out from the lines of `read --json` in plain Python.

Which fields name topics and groups comes from the fact files, which were read out of Kafka's releases.
"""

import json
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any

from tests.conftest import SHARED

FACTS = SHARED / "protocol-facts"
NOTHING = ("", None, "A" * 22)


@cache
def layouts() -> dict[int, dict[str, Any]]:
    found = {}
    for path in FACTS.glob("[0-9]*-*.json"):
        facts = json.loads(path.read_text())
        found[facts["apiKey"]] = facts
    return found


def entities(fields: list[dict[str, Any]], value: Any) -> Iterator[tuple[str, str]]:
    """Give kind and name of each topic and group that a struct names."""
    for field in fields:
        if not isinstance(value, dict) or value.get(field["name"]) is None:
            continue
        inner = value[field["name"]]
        kind = field.get("entityType", "")
        if field["type"] == "uuid" and field["name"] == "topicId":
            kind = "topicId"
        if field["type"] == "string" and field["name"] == "groupId":
            kind = "groupId"
        for each in inner if isinstance(inner, list) else [inner]:
            if field.get("fields"):
                yield from entities(field["fields"], each)
            elif kind in ("topicName", "topicId", "groupId") and each not in NOTHING:
                yield kind, each


def named(line: dict[str, Any]) -> dict[str, list[str]]:
    """Give the topics and the groups that a call names."""
    found: dict[str, dict[str, None]] = {"topic": {}, "group": {}}
    key = line["requestHeader"].get("requestApiKey")
    for side in ("request", "response"):
        body = line.get(side)
        if key not in layouts() or body is None:
            continue
        for kind, name in entities(layouts()[key][side]["fields"], body):
            if kind == "topicId":
                name = line.get("topics", {}).get(name)
            if name is not None:
                found["group" if kind == "groupId" else "topic"][name] = None
        if key == 10 and side == "request":
            keys = body.get("coordinatorKeys", [body.get("key")])
            if body.get("keyType", 0) == 0:
                found["group"].update(dict.fromkeys(keys))
        if key in (32, 33, 44):
            for resource in body.get("resources") or body.get("results") or body.get("responses") or ():
                kind = {2: "topic", 32: "group"}.get(resource["resourceType"])
                if kind:
                    found[kind][resource["resourceName"]] = None
    return {kind: list(names) for kind, names in found.items()}


def keys_of(line: dict[str, Any], key: str) -> list[Any]:
    header, client = line["requestHeader"], line.get("clientInformation") or {}
    if key in ("topic", "group"):
        return named(line)[key] or [None]
    if key == "error":
        return list(dict.fromkeys(error["name"] for error in line.get("errors", ()))) or [None]
    values = {
        "api_name": header.get("requestApiKeyName"),
        "api_version": header.get("requestApiVersion"),
        "client_id": header.get("clientId"),
        "client": line["client"],
        "client_host": line["client"].rpartition(":")[0],
        "server": line["server"],
        "outcome": line["outcome"],
        "principal": line.get("principal"),
        "software_name": client.get("softwareName"),
    }
    return [values[key]]


def percentile(values: list[float], share: float) -> float | None:
    """Give a percentile, linear between ranks."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def stats(lines: list[dict[str, Any]], keys: list[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    groups: defaultdict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        places: list[tuple[Any, ...]] = [()]
        for key in keys:
            places = [(*place, value) for place in places for value in keys_of(line, key)]
        for place in places:
            groups[place].append(line)
    found = {}
    for place, of_place in groups.items():
        throttles = [told for line in of_place if (told := setting(line, "throttleTimeMs")) is not None]
        times = [line["totalTimeMs"] for line in of_place if line["outcome"] == "answered"]
        found[place] = {
            "calls": len(of_place),
            "failed": sum(bool(line.get("errors")) for line in of_place),
            "unanswered": sum(line["outcome"] == "unanswered" for line in of_place),
            "request_bytes": sum(line.get("requestSizeBytes") or 0 for line in of_place),
            "response_bytes": sum(line.get("responseSizeBytes") or 0 for line in of_place),
            "p50_ms": percentile(times, 0.5),
            "p90_ms": percentile(times, 0.9),
            "p99_ms": percentile(times, 0.99),
            "max_ms": max(times, default=None),
            "throttled": sum(told > 0 for told in throttles),
            "max_throttle_ms": max(throttles, default=None),
        }
    return found


def nanoseconds(time: str) -> int:
    """Give a time of a line in ns since 1970."""
    whole, _, fraction = time.removesuffix("Z").partition(".")
    return int(datetime.fromisoformat(f"{whole}+00:00").timestamp()) * 10**9 + int(fraction.ljust(9, "0"))


def depths(lines: list[dict[str, Any]]) -> dict[int, int]:
    """Give for each line with a request how many requests its connection had in flight then, by its place."""
    moments: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for place, line in enumerate(lines):
        if "requestApiKey" in line["requestHeader"] and line["outcome"] != "no-response-expected":
            sent = nanoseconds(line["time"])
            moments[line["connection"]].append((sent, 1, place))
            if line["outcome"] == "answered":
                moments[line["connection"]].append((sent + round(line["totalTimeMs"] * 10**6), -1, place))
    found = {}
    for of_connection in moments.values():
        now = 0
        for _, step, place in sorted(of_connection):
            now += step
            if step == 1:
                found[place] = now
    return found


def more(lines: list[dict[str, Any]], key: str) -> dict[Any, list[Any]]:
    """Give batches, records, bytes of batches, empty fetches and the most requests in flight by a key."""
    found: defaultdict[Any, list[Any]] = defaultdict(lambda: [0, 0, 0, 0, None])
    in_flight = depths(lines)
    for place, line in enumerate(lines):
        for value in keys_of(line, key):
            row = found[value]
            batches = [each for each in line.get("batches", ()) if key != "topic" or topic_at(line, each) == value]
            row[0] += len(batches)
            row[1] += sum(each["recordCount"] or 0 for each in batches)
            row[2] += sum(each["sizeInBytes"] for each in batches)
            is_fetch = line["requestHeader"].get("requestApiKey") in (1, 78)
            row[3] += is_fetch and line["outcome"] == "answered" and not line.get("errors") and not batches
            row[4] = max((each for each in (row[4], in_flight.get(place)) if each is not None), default=None)
    return dict(found)


def compression(lines: list[dict[str, Any]], key: str) -> dict[Any, float | None]:
    """Give by a key the bytes of batches to those without compression, but for old compressed ones."""
    sizes: defaultdict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        for value in keys_of(line, key):
            for batch in line.get("batches", ()):
                of_value = sizes[value]
                plain = batch["compression"] == "none"
                if (key != "topic" or topic_at(line, batch) == value) and (plain or batch["magic"] == 2):
                    of_value[0] += batch["sizeInBytes"]
                    of_value[1] += batch["sizeInBytes"] if plain else uncompressed(batch)
    return {value: size / whole if whole else None for value, (size, whole) in sizes.items()}


def uncompressed(batch: dict[str, Any]) -> int:
    """Give the bytes of a batch whose records are written as KIP-98 has them."""
    return 61 + sum(record_bytes(each, batch) for each in batch["records"])


def record_bytes(record: dict[str, Any], batch: dict[str, Any]) -> int:
    parts = [varint(record["timestamp"] - batch["baseTimestamp"]), varint(record["offset"] - batch["baseOffset"])]
    parts += [sized(content(record, name)) for name in ("key", "value")]
    parts.append(varint(len(record["headers"])))
    for header in record["headers"]:
        parts += [sized(header["key"].encode()), sized(content(header, "value"))]
    size = 1 + sum(parts)
    return varint(size) + size


def content(item: dict[str, Any], name: str) -> bytes | None:
    if f"{name}Base64" in item:
        return b64decode(item[f"{name}Base64"])
    return None if item[name] is None else item[name].encode()


def sized(raw: bytes | None) -> int:
    return varint(-1) if raw is None else varint(len(raw)) + len(raw)


def varint(value: int) -> int:
    """Give the bytes of a number as a signed varint: seven bits each."""
    zigzag = value << 1 if value >= 0 else (-value << 1) - 1
    return max(-(-zigzag.bit_length() // 7), 1)


def setting(line: dict[str, Any], name: str) -> Any:
    """Give a number of a whole message."""
    bodies = [line.get(side) or {} for side in ("request", "response")]
    return next((body[name] for body in bodies if name in body), None)


_ROLES = {0: "produces", 1: "consumes", 78: "consumes", 8: "commits", 28: "commits"}


def who(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[int]]:
    """Give calls, bytes and records by all that `who` tells beside them."""
    groups: defaultdict[tuple[str, Any], set[str]] = defaultdict(set)
    for line in lines:
        host = line["client"].rpartition(":")[0]
        groups[host, line["requestHeader"].get("clientId")].update(named(line)["group"])
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for line in lines:
        header, client = line["requestHeader"], line.get("clientInformation") or {}
        role = _ROLES.get(header.get("requestApiKey"))  # type: ignore[arg-type]
        if role is None:
            continue
        names, host = named(line), line["client"].rpartition(":")[0]
        of_client = groups[host, header.get("clientId")]
        known = next(iter(of_client)) if len(of_client) == 1 and header.get("clientId") is not None else None
        group = min(names["group"]) if names["group"] else known
        for topic in names["topic"]:
            row = found[
                topic,
                role,
                host,
                header.get("clientId"),
                line.get("principal"),
                client.get("softwareName"),
                client.get("softwareVersion"),
                group,
            ]
            row[0] += 1
            for batch in line.get("batches", ()):
                if topic_at(line, batch) == topic:
                    row[1] += batch["sizeInBytes"]
                    row[2] += batch["recordCount"] or 0
    return dict(found)


def settings_of_users(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], tuple[list[Any], ...]]:
    """Give by topic, role, address and client id the acks, codecs and isolation levels."""
    found: defaultdict[tuple[Any, ...], tuple[set[Any], ...]] = defaultdict(lambda: (set(), set(), set()))
    for line in lines:
        role = _ROLES.get(line["requestHeader"].get("requestApiKey"))
        for topic in named(line)["topic"] if role else ():
            host = line["client"].rpartition(":")[0]
            acks, codecs, levels = found[topic, role, host, line["requestHeader"].get("clientId")]
            acks.add(setting(line, "acks"))
            levels.add(setting(line, "isolationLevel"))
            codecs |= {batch["compression"] for batch in line.get("batches", ()) if topic_at(line, batch) == topic}
    return {place: tuple(sorted(each - {None}) for each in sets) for place, sets in found.items()}


def cost(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[int]]:
    """Give batches, bytes, records, uncompressed bytes and tiny batches by topic, role, address and client id."""
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * 5)
    for line in lines:
        role = "produces" if line["requestHeader"].get("requestApiKey") == 0 else "consumes"
        for batch in line.get("batches", ()):
            if batch["isControl"]:
                continue
            host, size, count = line["client"].rpartition(":")[0], batch["sizeInBytes"], batch["recordCount"]
            row = found[topic_at(line, batch), role, host, line["requestHeader"].get("clientId")]
            tiny = count == 1 and size < 1024
            added = 1, size, count or 0, size if batch["compression"] == "none" else 0, int(tiny)
            row[:] = [before + more for before, more in zip(row, added, strict=True)]
    return dict(found)


def cleartext(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[int]]:
    """Give calls and bytes by address, client id, principal and protocol."""
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for line, login in zip(lines, logged_in(lines), strict=True):
        host, client_id = line["client"].rpartition(":")[0], line["requestHeader"].get("clientId")
        row = found[host, client_id, *login]
        row[0] += 1
        row[1] += (line.get("requestSizeBytes") or 0) + (line.get("responseSizeBytes") or 0)
    return dict(found)


def logged_in(lines: list[dict[str, Any]]) -> list[tuple[str | None, str]]:
    """Give principal and protocol of each call: before the login of a connection those behind it."""
    principals: dict[tuple[Any, ...], str] = {}
    protocols: dict[tuple[Any, ...], str] = {}
    # Addresses and ports are used again: a client id tells such connections apart.
    places = [(line["connection"], line["requestHeader"].get("clientId")) for line in lines]
    for place, line in zip(places, lines, strict=True):
        if line.get("principal"):
            principals[place] = max(principals.get(place, ""), line["principal"])
        if line["securityProtocol"].startswith("SASL"):
            protocols[place] = line["securityProtocol"]
    return [
        (line.get("principal") or principals.get(place), protocols.get(place, line["securityProtocol"]))
        for place, line in zip(places, lines, strict=True)
    ]


def topic_at(line: dict[str, Any], batch: dict[str, Any]) -> str | None:
    """Give the topic that the path of a batch leads through."""
    array, _, index = batch["path"].partition(".")[0].partition("[")
    topic = (line[batch["where"]] or line[f"{batch['where']}Partial"])[array][int(index.rstrip("]"))]
    name = topic.get("topic") or topic.get("name")
    return name or line.get("topics", {}).get(topic.get("topicId"))


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def audited(lines: list[dict[str, Any]], release: str) -> dict[tuple[Any, ...], tuple[bool, bool]]:
    """Give for each client, API and version whether brokers of a release no longer take it, and whether not yet."""
    facts = json.loads((FACTS / "versions.json").read_text())["apis"]
    # An API that a release does not have may be listed with a highest version of -1.
    taken = {
        api["api_key"]: {name: span for name, span in api["by_release"].items() if span["highest"] >= 0}
        for api in facts
    }
    found = {}
    for line in lines:
        header = line["requestHeader"]
        key, version = header.get("requestApiKey"), header.get("requestApiVersion")
        if key is None:
            continue
        client = line["client"].rpartition(":")[0], header.get("clientId")
        span = taken[key].get(release)
        if span is None:
            had_before = any(_numbers(each) < _numbers(release) for each in taken[key])
            verdict = had_before, not had_before
        else:
            verdict = version < span["lowest"], version > span["highest"]
        found[*client, header["requestApiKeyName"], version] = verdict
    return found


def lags(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], int]:
    """Give by topic, address and client id the sum of the lags of partitions, each as its last Fetch has it."""
    latest: dict[tuple[Any, ...], tuple[int, int]] = {}
    for line in lines:
        if line["requestHeader"].get("requestApiKey") != 1 or not line.get("response") or not line.get("request"):
            continue
        asked = {
            (topic.get("topic") or topic.get("topicId"), each["partition"]): each["fetchOffset"]
            for topic in line["request"]["topics"]
            for each in topic["partitions"]
        }
        for topic_at, topic in enumerate(line["response"]["responses"]):
            name = topic.get("topic") or topic.get("topicId")
            for at, each in enumerate(topic["partitions"]):
                path = f"responses[{topic_at}].partitions[{at}].records"
                ends = [batch["lastOffset"] + 1 for batch in line.get("batches", ()) if batch["path"] == path]
                behind = ends[-1] if ends else asked.get((name, each["partitionIndex"]))
                if each["highWatermark"] < 0 or behind is None:
                    continue
                host = line["client"].rpartition(":")[0]
                place = (
                    line.get("topics", {}).get(name, name),
                    *(host, line["requestHeader"].get("clientId"), each["partitionIndex"]),
                )
                told = nanoseconds(line["time"]), max(each["highWatermark"] - behind, 0)
                latest[place] = max(latest.get(place, (0, 0)), told, key=lambda of: of[0])
    found: defaultdict[tuple[Any, ...], int] = defaultdict(int)
    for (*place, _), (_, lag) in latest.items():
        found[tuple(place)] += lag
    return dict(found)


def subscribed(line: dict[str, Any]) -> set[str]:
    """Give the topics that a join subscribes to."""
    told = (line.get("request") or {}).get("subscribedTopicNames") or []
    for each in line.get("decoded", ()):
        if each["where"] == "request" and each["type"] == "ConsumerProtocolSubscription" and each["value"]:
            told = [*told, *each["value"]["topics"]]
    return set(told)


def unused(lines: list[dict[str, Any]]) -> dict[tuple[str, str], set[Any]]:
    """Give group and topic of subscriptions without any fetch by a client of the group, with the client ids."""
    members: defaultdict[str, set[tuple[Any, ...]]] = defaultdict(set)
    asked: defaultdict[tuple[str, str], set[Any]] = defaultdict(set)
    fetched: set[tuple[Any, ...]] = set()
    for line in lines:
        header, request = line["requestHeader"], line.get("request") or {}
        client, key = (line["client"].rpartition(":")[0], header.get("clientId")), header.get("requestApiKey")
        if key in (1, 78):
            fetched |= {(*client, topic) for topic in named(line)["topic"]}
        if key in (11, 13, 14) or (key == 68 and request.get("memberEpoch", 1) <= 0):
            members[request.get("groupId", "")].add(client)
        if key == 11 or (key == 68 and request.get("memberEpoch") == 0):
            for topic in subscribed(line) if not (line.get("response") or {}).get("errorCode") else ():
                asked[request["groupId"], topic].add(header.get("clientId"))
    return {
        (group, topic): clients
        for (group, topic), clients in asked.items()
        if not any((*client, topic) in fetched for client in members[group])
    }


def mechanisms(lines: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """Give address, client id and mechanism of those who log in."""
    return {
        (line["client"].rpartition(":")[0], line["requestHeader"].get("clientId"), line["request"]["mechanism"])
        for line in lines
        if line["requestHeader"].get("requestApiKey") == 17 and line.get("request")
    }


def racks(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[int]]:
    """Give fetches and bytes by address, client id, its rack, server, and the rack of that."""
    places = {
        f"{broker['host']}:{broker['port']}": broker.get("rack")
        for line in lines
        if line["requestHeader"].get("requestApiKey") == 3 and line.get("response")
        for broker in line["response"]["brokers"]
    }
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        rack = setting(line, "rackId")
        if line["requestHeader"].get("requestApiKey") in (1, 78) and rack:
            server, host = line["server"], line["client"].rpartition(":")[0]
            row = found[host, line["requestHeader"].get("clientId"), rack, server, places.get(server)]
            row[0] += 1
            row[1] += line.get("responseSizeBytes") or 0
    return dict(found)
