"""Every field with every operator that it takes, and every unit, each with what it means for a JSON line.

It uses nothing of kafkasniff.
"""

import re
from collections.abc import Callable, Sequence
from ipaddress import ip_address, ip_network
from operator import eq, ge, gt, le, lt
from typing import Any

from tests.filters import json_filter as of
from tests.filters.json_filter import Holds, Line, at, like

Values = Callable[[Line], Sequence[Any]]

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"==": eq, "=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


def _one(read: Callable[[Line], Any]) -> Values:
    return lambda line: [value for value in [read(line)] if value not in (None, "")]


def _header(name: str) -> Values:
    return _one(lambda line: line["requestHeader"].get(name))


def _milliseconds(path: str) -> Values:
    return lambda line: [value * 1_000_000 for value in at(line, path)]


def _packets(line: Line) -> Sequence[int]:
    return [packet for packet in (line.get("requestPacket"), line.get("responsePacket")) if packet]


def _latency(line: Line) -> Sequence[int]:
    return [] if of.latency(line) < 0 else [round(of.latency(line) * 1_000_000)]


def _ports(line: Line) -> Sequence[int]:
    return [int(line[end].rpartition(":")[2]) for end in ("client", "server")]


def _host(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


NUMBERS: dict[str, tuple[Values, str, int, str]] = {
    "version": (_header("requestApiVersion"), "4", 4, "12"),
    "correlation_id": (_header("correlationId"), "5", 5, "7"),
    "packet": (_packets, "40", 40, "7"),
    "port": (_ports, "19110", 19110, "9092"),
    "size": (_one(of.size), "120", 120, "64B"),
    "request_size": (_one(lambda line: line["requestSizeBytes"]), "60", 60, "46"),
    "response_size": (_one(lambda line: line["responseSizeBytes"]), "30", 30, "16"),
    "latency": (_latency, "3ms", 3_000_000, "1ms"),
    "throttle": (_milliseconds("response.throttleTimeMs"), "0", 0, "7ms"),
    "partition": (of.partitions, "1", 1, "2"),
    "records": (lambda line: [of.records(line)] if of.records(line) >= 0 else [], "1", 1, "3"),
    "acks": (lambda line: at(line, "request.acks") if of.key_of(line) == 0 else [], "all", -1, "1"),
    "request.maxBytes": (lambda line: at(line, "request.maxBytes"), "52428800", 52_428_800, "1"),
    "request.topics[].partitions[].fetchOffset": (
        lambda line: at(line, "request.topics[].partitions[].fetchOffset"), "0", 0, "3",
    ),
    "response.responses[].partitions[].highWatermark": (
        lambda line: at(line, "response.responses[].partitions[].highWatermark"), "10", 10, "0",
    ),
    "request.sessionTimeoutMs": (lambda line: at(line, "request.sessionTimeoutMs"), "10s", 10_000, "45s"),
}  # fmt: skip
"""By field: its values in a line, one to compare with as it is written and as it is, and another for `in`."""
_OTHERS = {"64B": 64, "1ms": 1_000_000, "7ms": 7_000_000, "45s": 45_000}

TEXTS: dict[str, tuple[Values, str, str, str]] = {
    "client_id": (_header("clientId"), "rdkafka", "*-*", "[0-9]$"),
    "principal": (_one(lambda line: line.get("principal")), "User:ANONYMOUS", "User:?*", "ANON|admin"),
    "software": (_one(lambda line: of.software(line, "softwareName")), "librdkafka", "apache-*", "^(lib|apache)"),
    "software_version": (_one(lambda line: of.software(line, "softwareVersion")), "4.3.1", "?.*.?", r"^\d\."),
    "topic": (lambda line: sorted(of.topics(line)), "orders", "o*s", "^[a-z]+$"),
    "group": (lambda line: sorted(of.groups(line)), "billing", "*-?*", "g"),
    "transactional_id": (lambda line: sorted(of.transactional_ids(line)), "tx-1", "t*", "-"),
    "problem": (lambda line: [each["message"] for each in line.get("problems", ())], "none", "*byte*", "expected|left"),
    "outcome": (_one(lambda line: line["outcome"]), "unanswered", "*answered", "^(un|no)"),
    "security": (_one(lambda line: line["securityProtocol"]), "SASL_SSL", "SASL*", "SSL$"),
    "request.clientSoftwareName": (
        lambda line: at(line, "request.clientSoftwareName"), "librdkafka", "*kafka*", "java$",
    ),
    "request.memberId": (lambda line: at(line, "request.memberId"), "x", "*-*-*", "[0-9a-f]{8}-"),
    "response.brokers[].host": (lambda line: at(line, "response.brokers[].host"), "localhost", "127.*", "^[a-z]+$"),
}  # fmt: skip
"""By field: its values in a line, a value, a glob and a regular expression."""


def _compared(read: Values, compare: Callable[[Any, Any], bool], wanted: Any) -> Holds:
    return lambda line: any(compare(value, wanted) for value in read(line))


def _not(holds: Holds) -> Holds:
    return lambda line: not holds(line)


def _there(read: Values) -> Holds:
    return lambda line: len(read(line)) > 0


def _matrix() -> dict[str, Holds]:
    found: dict[str, Holds] = {}
    for name, (read, text, value, other) in NUMBERS.items():
        for operator, compare in _ORDERS.items():
            found[f"{name} {operator} {text}"] = _compared(read, compare, value)
        among = (value, _OTHERS.get(other) or int(other))
        found[f"{name} != {text}"] = _not(_compared(read, eq, value))
        found[f"{name} in ({text}, {other})"] = _compared(read, lambda each, wanted: each in wanted, among)
        found[f"{name} not in ({text}, {other})"] = _not(found[f"{name} in ({text}, {other})"])
        found[f"not {name} < {text}"] = _not(found[f"{name} < {text}"])
    for name, (read, text, pattern, expression) in TEXTS.items():
        found[f'{name} == "{text}"'] = _compared(read, eq, text)
        found[f'{name} != "{text}"'] = _not(found[f'{name} == "{text}"'])
        fits, searched = like(pattern), re.compile(expression).search
        found[f'{name} == "{pattern}"'] = _compared(read, lambda each, fits: fits(each), fits)
        found[f'{name} != "{pattern}"'] = _not(found[f'{name} == "{pattern}"'])
        found[f"{name} ~ '{expression}'"] = _compared(read, lambda each, search: bool(search(each)), searched)
        found[f"{name} !~ '{expression}'"] = _not(found[f"{name} ~ '{expression}'"])
        either = _compared(read, lambda each, wanted: each == wanted[0] or wanted[1](each), (text, fits))
        found[f'{name} in ("{text}", "{pattern}")'] = either
        found[f'{name} not in ("{text}", "{pattern}")'] = _not(either)
        found[name] = _there(read)
    return found


def _units() -> dict[str, Holds]:
    durations = {
        "1500000ns": 1_500_000, "1500us": 1_500_000, "1500µs": 1_500_000, "1.5ms": 1_500_000, "0.002s": 2_000_000,
        "0.0001m": 6_000_000, "0.0001min": 6_000_000, "0.00001h": 36_000_000,
    }  # fmt: skip
    sizes = {
        "90": 90, "90B": 90, "0.09kB": 90, "0.09k": 90, "0.0001MB": 100, "0.0000001GB": 100, "0.25KiB": 256,
        "0.0001MiB": 105, "0.0000001GiB": 107,
    }  # fmt: skip
    found = {f"latency > {text}": _compared(_latency, gt, value) for text, value in durations.items()}
    found |= {f"size <= {text}": _compared(_one(of.size), le, value) for text, value in sizes.items()}
    waits = {"0.5s": 500, "500ms": 500, "500": 500, "500000us": 500}
    found |= {
        f"request.maxWaitMs <= {text}": _compared(lambda line: at(line, "request.maxWaitMs"), le, value)
        for text, value in waits.items()
    }
    return found


def _addresses() -> dict[str, Holds]:
    found: dict[str, Holds] = {}
    for name, ends in (("client", ("client",)), ("server", ("server",)), ("host", ("client", "server"))):
        for text, fits in (
            ("127.0.0.1", lambda address: _host(address) == "127.0.0.1"),
            ("127.0.0.1:19110", lambda address: address == "127.0.0.1:19110"),
            ("::1", lambda address: _host(address) == "::1"),
            ("127.0.0.0/30", lambda address: _within(address, "127.0.0.0/30")),
            ("::/64", lambda address: _within(address, "::/64")),
            ("*:1911?", lambda address: like("*:1911?")(address)),
        ):
            holds = _end_fits(ends, fits)
            found[f'{name} == "{text}"'] = holds
            found[f'{name} != "{text}"'] = _not(holds)
            found[f'{name} in ("{text}", 10.1.2.3)'] = holds
        found[f"{name} ~ '1:19'"] = _end_fits(ends, lambda address: "1:19" in address)
        found[f"{name} !~ '1:19'"] = _not(found[f"{name} ~ '1:19'"])
    found["connection == '*-127.0.0.1:19110'"] = lambda line: line["server"] == "127.0.0.1:19110"
    found["connection != '*-127.0.0.1:19110'"] = lambda line: line["server"] != "127.0.0.1:19110"
    found["connection ~ ':4[0-9]+-'"] = lambda line: re.search(":4[0-9]+-", line["connection"]) is not None
    return found


def _end_fits(ends: Sequence[str], fits: Callable[[str], bool]) -> Holds:
    return lambda line: any(fits(line[end]) for end in ends)


def _within(address: str, network: str) -> bool:
    host, wanted = ip_address(_host(address)), ip_network(network)
    return host.version == wanted.version and host in wanted


MATRIX: dict[str, Holds] = _matrix() | _units() | _addresses()

SHORT_FORMS: dict[tuple[str, ...], Holds] = {
    ("--api", "fetch,produce"): lambda line: of.key_of(line) in (0, 1),
    ("--api", "!fetch", "--api", "!*Group"): lambda line: (
        of.key_of(line) != 1 and not of.name_of(line).endswith("_GROUP")
    ),
    ("--client-id", "*-c?,rdkafka"): lambda line: of.client_id(line) == "rdkafka" or like("*-c?")(of.client_id(line)),
    ("--client-id", "!*a*"): lambda line: "a" not in (of.client_id(line) or ""),
    ("--host", "127.0.0.1:19110,::1"): lambda line: (
        "127.0.0.1:19110" in (line["client"], line["server"]) or "::1" in (_host(line["client"]), _host(line["server"]))
    ),
    ("--host", "!127.0.0.0/8"): lambda line: not any(_within(line[end], "127.0.0.0/8") for end in ("client", "server")),
    ("--broker", "127.0.0.1:19110"): lambda line: line["server"] == "127.0.0.1:19110",
    ("--port", "19110,9092"): lambda line: any(port in (19110, 9092) for port in _ports(line)),
    ("--connection", "*-127.0.0.1:19110"): lambda line: line["server"] == "127.0.0.1:19110",
    ("--topic", "orders,__*"): lambda line: any(name == "orders" or name.startswith("__") for name in of.topics(line)),
    ("--topic", "!orders"): lambda line: "orders" not in of.topics(line),
    ("--group", "b*"): lambda line: any(name.startswith("b") for name in of.groups(line)),
    ("--errors", "*"): lambda line: bool(of.errors(line)),
    ("--errors", "NOT_LEADER_FOR_PARTITION,79"): lambda line: (
        not of.errors(line).isdisjoint({"NOT_LEADER_OR_FOLLOWER", "MEMBER_ID_REQUIRED"})
    ),
    ("--errors", "!79"): lambda line: "MEMBER_ID_REQUIRED" not in of.errors(line),
    ("--slower-than", "10"): lambda line: of.latency(line) > 10,
    ("--slower-than", "2.5ms"): lambda line: of.latency(line) > 2.5,
    ("--api", "fetch", "--slower-than", "100ms", "--topic", "o*"): lambda line: (
        of.key_of(line) == 1 and of.latency(line) > 100 and any(name.startswith("o") for name in of.topics(line))
    ),
}
"""Options in place of an expression."""
