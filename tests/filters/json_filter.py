"""A filter of its own over JSON lines: what expressions are held against. It uses nothing of kafkasniff."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any, TypeVar

Read = TypeVar("Read")
Path = tuple[str, ...]
Line = dict[str, Any]
Holds = Callable[[Line], bool]

_TOPIC_KEYS = {"topic", "topicName", "sinkTopic"}
_TOPIC_LISTS = {"subscribedTopicNames", "topicNames", "sourceTopics", "repartitionSinkTopics"}
_NAMED_TOPICS = {
    "repartitionSourceTopics", "responses", "results", "resultsByTopicV3AndBelow", "stateChangelogTopics", "topicData",
    "topicResults", "topics", "v3AndBelowTopics",
}  # fmt: skip
_PARTITION_KEYS = {"partition", "partitionIndex", "partitionId"}
_PARTITION_LISTS = {"partitions", "partitionIndexes"}
_COUNTING = {"repartitionSourceTopics", "stateChangelogTopics"}
"""Say by `partitions` how many there are to be."""


def body(line: Line, side: str) -> Line:
    return line.get(side) or line.get(f"{side}Partial") or {}


def fields(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Give path and value of all in a body, elements of arrays one by one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, list):
                for element in inner:
                    yield (*path, key), element
                    yield from fields(element, (*path, key))
            else:
                yield (*path, key), inner
                yield from fields(inner, (*path, key))


def once(read: Callable[[Line], Read]) -> Callable[[Line], Read]:
    """Read it of a line once: hundreds of expressions ask for the same."""

    def give(line: Line) -> Read:
        kept = line.setdefault("alreadyRead", {})
        if read not in kept:
            kept[read] = read(line)
        found: Read = kept[read]
        return found

    return give


@once
def both(line: Line) -> list[tuple[Path, Any]]:
    return [found for side in ("request", "response") for found in fields(body(line, side), (side,))]


@once
def _by_path(line: Line) -> dict[Path, list[Any]]:
    found = defaultdict(list)
    for path, value in both(line):
        if value is not None:
            found[path].append(value)
    return found


def at(line: Line, path: str) -> list[Any]:
    return _by_path(line).get(tuple(step.removesuffix("[]") for step in path.split(".")), [])


def key_of(line: Line) -> int | None:
    return line["requestHeader"].get("requestApiKey")


def name_of(line: Line) -> str:
    return line["requestHeader"].get("requestApiKeyName") or ""


@once
def topics(line: Line) -> set[str]:
    """Names of topics; `namesBefore` are those of ids that other lines tell, also for bodies that are there in part."""
    found = set(line.get("topics", {}).values())
    for path, value in both(line):
        key, around = path[-1], path[-2]
        if isinstance(value, str) and (
            key in _TOPIC_KEYS or key in _TOPIC_LISTS or (key == "name" and around in _NAMED_TOPICS)
        ):
            found.add(value)
        if key == "topicId" and value in line["namesBefore"]:
            found.add(line["namesBefore"][value])
    return (found | _resources(line, 2)) - {""}


@once
def groups(line: Line) -> set[str]:
    found = set()
    for path, value in both(line):
        listed = path[-1] in ("groupIds", "groupsNames", "groups") and len(path) == 2
        if isinstance(value, str) and (path[-1] == "groupId" or listed):
            found.add(value)
    return (found | _resources(line, 32) | _coordinators(line, 0)) - {""}


@once
def transactional_ids(line: Line) -> set[str]:
    found = {value for path, value in both(line) if "ransactionalId" in path[-1] and isinstance(value, str)}
    return (found | _coordinators(line, 1)) - {""}


def _resources(line: Line, kind: int) -> set[str]:
    """Names in DescribeConfigs, AlterConfigs and IncrementalAlterConfigs: ConfigResource.Type 2 topics, 32 groups."""
    if key_of(line) not in (32, 33, 44):
        return set()
    found = set()
    for _, value in both(line):
        if isinstance(value, dict) and value.get("resourceType") == kind:
            found.add(value.get("resourceName", ""))
    return found


def _coordinators(line: Line, kind: int) -> set[str]:
    request = body(line, "request")
    if key_of(line) != 10 or request.get("keyType", 0) != kind:
        return set()
    return {*request.get("coordinatorKeys", ()), *([request["key"]] if "key" in request else [])}


@once
def partitions(line: Line) -> list[int]:
    found = []
    for path, value in both(line):
        key, around = path[-1], path[-2]
        if type(value) is int and (
            key in _PARTITION_KEYS
            or (key in _PARTITION_LISTS and around not in _COUNTING)
            or (key == "index" and around.startswith("partition"))
        ):
            found.append(value)
    return found


@once
def errors(line: Line) -> set[str]:
    return {error["name"] for error in line.get("errors", ())}


def latency(line: Line) -> float:
    taken = line.get("totalTimeMs")
    taken = line.get("pendingMs") if taken is None else taken
    return -1.0 if taken is None else float(taken)


def size(line: Line) -> int:
    return (line.get("requestSizeBytes") or 0) + (line.get("responseSizeBytes") or 0)


def records(line: Line) -> int:
    """Records in batches, -1 where there are no batches."""
    counts = [batch["recordCount"] or 0 for batch in line.get("batches", ())]
    return sum(counts) if counts else -1


def client_id(line: Line) -> str | None:
    return line["requestHeader"].get("clientId")


def software(line: Line, part: str) -> str | None:
    return (line.get("clientInformation") or {}).get(part)


def like(pattern: str) -> Callable[[str | None], bool]:
    return lambda text: text is not None and fnmatchcase(text, pattern)
