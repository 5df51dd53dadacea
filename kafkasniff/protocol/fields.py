"""What a definition is made of: messages and their fields, in the words of Kafka's message definitions."""

from enum import Enum
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Kind = Literal["request", "response"]

MOST_LAYOUTS: Final = 4_096
"""APIs and versions of which something is remembered: Kafka has some 400, and bytes may name 2^30."""

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
"""A value as it stands in Kafka's JSON."""


class _Implicit(Enum):
    IMPLICIT = "implicit"


IMPLICIT: Final = _Implicit.IMPLICIT
"""Default of a field whose definition gives none: zero, false, "", an empty array, a struct of defaults."""

IMPLICIT_DEFAULTS: Final[dict[str, JsonValue]] = {
    "bool": False,
    "int8": 0,
    "int16": 0,
    "uint16": 0,
    "int32": 0,
    "uint32": 0,
    "int64": 0,
    "float64": 0.0,
    "string": "",
    "bytes": "",
    "uuid": "AAAAAAAAAAAAAAAAAAAAAA",
    "records": None,
}
"""Implicit default by type, as in Kafka's JSON."""


@lru_cache(maxsize=1024)
def version_range(versions: str) -> tuple[int, int]:
    """Give first and last version of `3`, `0-12`, `4+` (last is then 32767) or `none` (an empty range)."""
    if versions == "none":
        return 0, -1
    if versions.endswith("+"):
        return int(versions[:-1]), 32767
    first, _, last = versions.partition("-")
    return int(first), int(last or first)


def covers(versions: str, version: int) -> bool:
    """Tell whether `version` lies in `versions` (text as in `version_range`)."""
    first, last = version_range(versions)
    return first <= version <= last


class Field(NamedTuple):
    """A field of a message or struct over all versions."""

    name: str
    """Kafka's own name, first letter in lower case."""
    type: str
    """A primitive (`int32`, `string`, …), a struct's name, or either with `[]` before it."""
    versions: str
    fields: tuple["Field", ...] = ()
    """Of the struct, where the type is one or an array of one."""
    nullable: str = "none"
    tagged: str = "none"
    tag: int | None = None
    default: JsonValue | Literal[_Implicit.IMPLICIT] = IMPLICIT
    map_key: bool = False
    entity: str = ""
    """What the value names: `topicName`, `groupId`, `transactionalId`, `brokerId`, `producerId`, or nothing."""
    flexible: str = ""
    """`none` for a string that keeps its int16 length in flexible versions (clientId of request header v2)."""

    @property
    def is_array(self) -> bool:
        """Tell whether the field is an array."""
        return self.type.startswith("[]")

    @property
    def element_type(self) -> str:
        """Give the type without the `[]` of an array."""
        return self.type.removeprefix("[]")

    def json_default(self, version: int) -> JsonValue:
        """Give the value that the field has in Kafka's JSON when nothing was set."""
        if self.default is not IMPLICIT:
            return self.default
        if self.is_array:
            return []
        if self.fields:
            return {
                field.name: field.json_default(version)
                for field in self.fields
                if covers(field.versions, version) and not covers(field.tagged, version)
            }
        return IMPLICIT_DEFAULTS[self.type]


class Message(NamedTuple):
    """The definition of a message over all versions."""

    name: str
    """Kafka's own name, e.g. `FetchRequest`."""
    versions: str
    """The versions that any known release has or had."""
    flexible: str
    """The versions with compact lengths and tagged fields (KIP-482)."""
    fields: tuple[Field, ...]

    def fields_of(self, version: int) -> tuple[Field, ...]:
        """Give the fields that the message has in `version`, in the definition's order."""
        return fields_of(self.fields, version)


def fields_of(fields: tuple[Field, ...], version: int) -> tuple[Field, ...]:
    """Give those of `fields` that are there in `version`."""
    return tuple(field for field in fields if covers(field.versions, version))


class Api(NamedTuple):
    """An API as the index of definitions has it."""

    key: int
    name: str
    """As in Kafka's ApiKeys, e.g. `LIST_OFFSETS`."""
    module: str
    """Module below `kafkasniff.protocol.apis` with `REQUEST` and `RESPONSE`."""
    first_version: int
    last_version: int
    request_flexible: int | None
    """First flexible version of the request (header v2); None where there is none."""
    response_flexible: int | None
    """First flexible version of the response; None where there is none."""
    listeners: tuple[str, ...]
    """`broker`, `controller`; empty for what Kafka 4.0 removed."""


class OtherMessage(NamedTuple):
    """A message that is no API, as the index of definitions has it."""

    name: str
    module: str
    """Module below `kafkasniff.protocol.messages` with `MESSAGE`."""
    topic: str
    """The internal topic whose records hold it; empty for others."""
    record_type: int | None
    """Number that the records of `topic` give it: a coordinator record's type, or a metadata record's API key."""
    first_version: int
    last_version: int


class ReleasedVersions(NamedTuple):
    """The versions of an API in one release of Kafka."""

    lowest: int
    highest: int
    highest_stable: int
    """-1 when no version is stable."""


class ErrorCode(NamedTuple):
    """An error code of Kafka's Errors class."""

    code: int
    name: str
    retriable: bool
