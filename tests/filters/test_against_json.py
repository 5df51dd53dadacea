"""Every field and operator of expressions against a filter of its own over the JSON lines, on healthy recordings."""

import calendar
import json
import re
import time
from operator import eq, ge, gt, le, lt

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.cli.options.filters import Filters
from kafkasniff.filters.fields import FIELDS
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading
from kafkasniff.render.json.lines import JsonLines
from tests.conformance.recordings import Recording, recordings
from tests.conftest import AddFigure
from tests.filters import json_filter as of
from tests.filters.json_filter import Holds, at, like
from tests.filters.json_matrix import MATRIX, SHORT_FORMS

DAY_NS = 86_400 * 1_000_000_000
ORDERS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq}
OF_NUMBERS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")

EXPRESSIONS: dict[str, Holds] = {
    # Fields of headers.
    "api": lambda line: of.key_of(line) is not None,
    "api == fetch": lambda line: of.key_of(line) == 1,
    'api = "ApiVersions"': lambda line: of.key_of(line) == 18,
    "api == 3": lambda line: of.key_of(line) == 3,
    "api != LIST_OFFSETS": lambda line: of.key_of(line) != 2,
    "api in (produce, join-group, 12)": lambda line: of.key_of(line) in (0, 11, 12),
    "api not in (fetch, Metadata)": lambda line: of.key_of(line) not in (1, 3),
    "api == *Group": lambda line: of.name_of(line).endswith("_GROUP"),
    "api ~ offset": lambda line: "OFFSET" in of.name_of(line),
    "api !~ ^Describe": lambda line: not of.name_of(line).startswith("DESCRIBE"),
    "version >= 9": lambda line: line["requestHeader"].get("requestApiVersion", -1) >= 9,
    "version < 2": lambda line: line["requestHeader"].get("requestApiVersion", 99) < 2,
    "version in (4, 12)": lambda line: line["requestHeader"].get("requestApiVersion") in (4, 12),
    "correlation_id <= 7": lambda line: line["requestHeader"]["correlationId"] <= 7,
    "client_id": lambda line: bool(of.client_id(line)),
    'client_id == "*-c?"': lambda line: like("*-c?")(of.client_id(line)),
    "client_id == rdkafka": lambda line: of.client_id(line) == "rdkafka",
    "client_id ~ '^(shop|sarama|kafka).*[a-z0-9]$'": lambda line: (
        re.search("^(shop|sarama|kafka).*[a-z0-9]$", of.client_id(line) or "") is not None
    ),
    "client_id !~ a": lambda line: "a" not in (of.client_id(line) or ""),
    # Places and times.
    "client == 127.0.0.1": lambda line: line["client"].startswith("127.0.0.1:"),
    "server == 127.0.0.0/8": lambda line: line["server"].startswith("127."),
    "server == *:19110": lambda line: line["server"].endswith(":19110"),
    "host == 10.*": lambda line: line["client"].startswith("10.") or line["server"].startswith("10."),
    "host != [::1]": lambda line: "[::1]" not in line["connection"],
    "server == [::1]:19110": lambda line: line["server"] == "[::1]:19110",
    "port == 19110": lambda line: ":19110" in (line["client"] + "-" + line["server"]),
    "port > 40000": lambda line: any(int(line[end].rpartition(":")[2]) > 40000 for end in ("client", "server")),
    "connection == *:4*-127.*": lambda line: like("*:4*-127.*")(line["connection"]),
    "packet < 50": lambda line: any((line.get(name) or 50) < 50 for name in ("requestPacket", "responsePacket")),
    # What was measured.
    "latency > 5000500ns": lambda line: of.latency(line) > 5.0005,
    "latency <= 1.0005ms": lambda line: 0 <= of.latency(line) < 1.0005,
    "latency": lambda line: of.latency(line) >= 0,
    "size > 1kB": lambda line: of.size(line) > 1000,
    "request_size <= 100": lambda line: (line["requestSizeBytes"] or 101) <= 100,
    "response_size >= 1KiB": lambda line: (line["responseSizeBytes"] or 0) >= 1024,
    "outcome == answered": lambda line: line["outcome"] == "answered",
    "outcome != Answered": lambda line: line["outcome"] != "answered",
    "outcome == *captured": lambda line: line["outcome"].endswith("captured"),
    "outcome ~ expected": lambda line: line["outcome"] == "no-response-expected",
    # Who.
    "principal": lambda line: bool(line.get("principal")),
    'principal == "User:*"': lambda line: like("User:*")(line.get("principal")),
    "software == *java": lambda line: like("*java")(of.software(line, "softwareName")),
    "software_version ~ ^[0-9]": lambda line: (of.software(line, "softwareVersion") or "x")[0].isdigit(),
    "security == SASL_SSL": lambda line: line["securityProtocol"] == "SASL_SSL",
    "security in (ssl, sasl_plaintext)": lambda line: line["securityProtocol"] in ("SSL", "SASL_PLAINTEXT"),
    # What bodies name.
    "topic": lambda line: bool(of.topics(line)),
    "topic == orders": lambda line: "orders" in of.topics(line),
    "topic == __*": lambda line: any(name.startswith("__") for name in of.topics(line)),
    "topic ~ e": lambda line: any("e" in name for name in of.topics(line)),
    "topic != orders": lambda line: "orders" not in of.topics(line),
    "partition == 1": lambda line: 1 in of.partitions(line),
    "partition > 2": lambda line: any(number > 2 for number in of.partitions(line)),
    "group": lambda line: bool(of.groups(line)),
    "group == b*": lambda line: any(name.startswith("b") for name in of.groups(line)),
    "transactional_id": lambda line: bool(of.transactional_ids(line)),
    "transactional_id ~ .": lambda line: bool(of.transactional_ids(line)),
    "error": lambda line: "errors" in line,
    "error == NOT_COORDINATOR": lambda line: "NOT_COORDINATOR" in of.errors(line),
    "error in (UnknownTopicOrPartition, 14, MemberIdRequiredException)": lambda line: (
        not of.errors(line).isdisjoint(
            {"UNKNOWN_TOPIC_OR_PARTITION", "COORDINATOR_LOAD_IN_PROGRESS", "MEMBER_ID_REQUIRED"}
        )
    ),
    "error == *COORDINATOR*": lambda line: any("COORDINATOR" in name for name in of.errors(line)),
    "error ~ '^not.*(leader|coordinator)'": lambda line: any(
        re.search("^NOT.*(LEADER|COORDINATOR)", name) for name in of.errors(line)
    ),
    "error != 79": lambda line: "MEMBER_ID_REQUIRED" not in of.errors(line),
    "acks == all": lambda line: of.key_of(line) == 0 and -1 in at(line, "request.acks"),
    "acks in (0, 1)": lambda line: any(acks in (0, 1) for acks in at(line, "request.acks")),
    "throttle": lambda line: bool(at(line, "response.throttleTimeMs")),
    "throttle > 5ms": lambda line: any(value > 5 for value in at(line, "response.throttleTimeMs")),
    "records": lambda line: of.records(line) >= 0,
    "records > 3": lambda line: of.records(line) > 3,
    "problem": lambda line: "problems" in line,
    "problem ~ bytes": lambda line: any("bytes" in problem["message"] for problem in line.get("problems", ())),
    # Fields of bodies by their paths.
    "request.acks == -1": lambda line: -1 in at(line, "request.acks"),
    "request.maxWaitMs >= 500ms": lambda line: any(value >= 500 for value in at(line, "request.maxWaitMs")),
    "request.maxBytes > 1MB": lambda line: any(value > 1_000_000 for value in at(line, "request.maxBytes")),
    "request.allowAutoTopicCreation == true": lambda line: True in at(line, "request.allowAutoTopicCreation"),
    "request.topics": lambda line: bool(at(line, "request.topics")),
    "request.topics[].name == o*": lambda line: any(map(like("o*"), at(line, "request.topics[].name"))),
    "request.topicData.partitionData[].index == 0": lambda line: (
        0 in at(line, "request.topicData[].partitionData[].index")
    ),
    "request.topicData[].partitionData[].recordsSizeInBytes > 1kB": lambda line: any(
        value > 1000 for value in at(line, "request.topicData[].partitionData[].recordsSizeInBytes")
    ),
    "response.topics[].errorCode == LEADER_NOT_AVAILABLE": lambda line: 5 in at(line, "response.topics[].errorCode"),
    "response.errorCode != 0": lambda line: 0 not in at(line, "response.errorCode"),
    "response.controllerId < 3": lambda line: any(value < 3 for value in at(line, "response.controllerId")),
    "request.clientSoftwareName ~ kafka": lambda line: any(
        "kafka" in value for value in at(line, "request.clientSoftwareName")
    ),
    "request.groupInstanceId": lambda line: any(at(line, "request.groupInstanceId")),
    # Together.
    "api == fetch and not error or api == produce": lambda line: (
        (of.key_of(line) == 1 and not of.errors(line)) or of.key_of(line) == 0
    ),
    "api == fetch and (error || latency > 100ms)": lambda line: (
        of.key_of(line) == 1 and (bool(of.errors(line)) or of.latency(line) > 100)
    ),
    "!(topic == orders && partition == 0)": lambda line: not ("orders" in of.topics(line) and 0 in of.partitions(line)),
    "NOT error AND topic": lambda line: not of.errors(line) and bool(of.topics(line)),
}

ALL = EXPRESSIONS | MATRIX
RECORDINGS = recordings(".json")


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_holds_for_the_lines_for_which_it_should(recording: Recording, add_figure: AddFigure) -> None:
    filters = {expression: Filter(expression) for expression in ALL}
    short = [(_of_options(*options), holds) for options, holds in SHORT_FORMS.items()]
    key_log = recording.options[1] if recording.options else None
    reading = Reading([*map(str, recording.files)], key_log=key_log)
    lines = JsonLines()
    matches = dict.fromkeys(ALL, 0)
    calls = 0
    names: dict[str, str] = {}
    for item in reading:
        if not isinstance(item, Call):
            continue
        calls += 1
        found = {expression: wanted.wants(item) for expression, wanted in filters.items()}
        line = json.loads(lines.line(item))
        names |= line.get("topics", {})
        line["namesBefore"] = names
        expected = {expression: holds(line) for expression, holds in ALL.items()}
        assert found == expected, line
        assert [wanted.wants(item) for wanted, _ in short] == [holds(line) for _, holds in short], line
        for expression, holds in expected.items():
            matches[expression] += holds
    figures = {"calls": calls, "expressions": len(matches), "that hold for some": sum(map(bool, matches.values()))}
    add_figure("Expressions", recording.name, **figures)


def _of_options(*words: str) -> Filter:
    """Give the filter that options stand for."""
    given: dict[str, list[str]] = {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        given.setdefault(option[2:].replace("-", "_"), []).append(value)
    slower = given.pop("slower_than", [None])[0]
    return Filters(**given, slower_than=slower).filter()  # type: ignore[arg-type]


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_times_are_those_of_the_lines(recording: Recording) -> None:
    key_log = recording.options[1] if recording.options else None
    reading = Reading([*map(str, recording.files)], key_log=key_log)
    calls = [*reading.calls()]
    lines = [json.loads(JsonLines().line(call)) for call in calls]
    begun = [line["time"] for line in lines]
    if not begun:
        return
    first = reading.summary.first_time
    assert first is not None
    pivot = sorted(begun)[len(begun) // 2]
    clock = f"{pivot[11:-1]}" if _ns(pivot) // DAY_NS == first // DAY_NS else pivot
    after = f"+{_ns(pivot) - first}ns"
    for operator, compare in ORDERS.items():
        expected = [compare(_ns(time), _ns(pivot)) for time in begun]
        for text in (pivot, pivot.removesuffix("Z") + "+00:00", clock, after):
            wanted = Filter(f"time {operator} {text}")
            wanted.start_at(first)
            assert [wanted.wants(call) for call in calls] == expected, (operator, text)
    # A call ends when its response does: so long after it began as it took.
    ended = Filter(f"ended >= {pivot} and outcome == answered")
    until = Filters(end=pivot).filter()
    since = Filters(begin=pivot).filter()
    for call, line in zip(calls, lines, strict=True):
        assert until.wants(call) == (_ns(line["time"]) <= _ns(pivot))
        if line["outcome"] == "answered":
            ends = _ns(line["time"]) + round(line["totalTimeMs"] * 1_000_000)
            assert ended.wants(call) == since.wants(call) == (ends >= _ns(pivot)), line


def _ns(text: str) -> int:
    """Give a time of a line in ns since 1970."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 1_000_000_000 + int(fraction.ljust(9, "0"))


def test_every_field_and_operator_is_among_them() -> None:
    words = set(re.findall(r"[a-z_]+", " ".join(ALL)))
    assert set(FIELDS) - words == {"time", "ended"}, "which are tested by the times of lines"
    fields = {field.name: field for field in FIELDS.values() if field.kind not in ("time",)}
    for name, field in fields.items():
        operators = ("==", "!=", "in") if field.kind in ("api", "error") else ("==", "!=", "in", "~", "!~")
        operators = OF_NUMBERS if field.kind in ("number", "port", "duration", "size") else operators
        if name == "connection":
            operators = ("==", "!=", "~")
        for operator in operators:
            assert any(f"{name} {operator} " in f"{expression} " for expression in ALL), (name, operator)
    options = {words[0] for words in SHORT_FORMS}
    assert options == {f"--{name.replace('_', '-')}" for name in Filters._fields} - {"--where", "--begin", "--end"}
