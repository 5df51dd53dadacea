"""Definitions that a user gives, laid over those that are known: a newer Kafka, a vendor's own APIs."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Final

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.tables import make_table
from kafkasniff.protocol.definitions.building import api_of, json_of, message_of, other_message_of
from kafkasniff.protocol.definitions.lookup import GIVEN_MESSAGES, GIVEN_SIDES, api_definition, message_definition
from kafkasniff.protocol.definitions.merging import DefinitionError, Json, versions_of
from kafkasniff.protocol.definitions.sources import Definitions, read_sources
from kafkasniff.protocol.fields import IMPLICIT_DEFAULTS, Field, Kind, Message, version_range
from kafkasniff.protocol.message_table import MESSAGES
from kafkasniff.protocol.secrets.messages import expect_secrets

_LOADED: Final[set[tuple[Path, ...]]] = set()
_SIDES: Final[tuple[Kind, Kind]] = ("request", "response")


class OverKnown(Definitions):
    """Begins with what is known of each API and message that a source defines."""

    def api(self, key: int) -> Json | None:
        """Give what is known of an API."""
        if key not in self.apis and key in APIS:
            known = APIS[key]
            sides: Json = {side: json_of(api_definition(key, side)) for side in _SIDES}
            self.apis[key] = {"apiName": known.name, "listeners": list(known.listeners), **sides}
        return self.apis.get(key)

    def message(self, name: str) -> Json | None:
        """Give what is known of a message that is no API."""
        if name not in self.messages and name in MESSAGES:
            known = MESSAGES[name]
            self.messages[name] = json_of(message_definition(name)) | {"topic": known.topic}
            if known.record_type is not None:
                self.messages[name]["recordType"] = known.record_type
        return self.messages.get(name)

    def merged(self, older: Json | None, newer: Json) -> Json:
        """Merge a definition with what is known of the same message; of an older release it adds what is not."""
        if older is not None and _newest(newer) < _newest(older):
            older, newer = newer, older
        return super().merged(older, newer)


def load_definitions(paths: Iterable[str | PathLike[str]]) -> None:
    """Read folders and jars, oldest first, and decode with what they define from now on; raises DefinitionError.

    To be called before anything is decoded: what was made of older definitions stays. The same paths once more say
    nothing new.
    """
    sources = tuple(map(Path, paths))
    if sources in _LOADED:
        return
    found = read_sources(sources, OverKnown())
    apis = [api_of(key, api) for key, api in found.apis.items()]
    sides = {(key, side): message_of(api[side]) for key, api in found.apis.items() for side in _SIDES}
    messages = {name: message_of(message) for name, message in found.messages.items()}
    for message in (*sides.values(), *messages.values()):
        _check(message)
    for (key, side), message in sides.items():
        older = set(_fields(api_definition(key, side).fields)) if key in APIS else set()
        expect_secrets(key, side, [field for field in _fields(message.fields) if field not in older])
    APIS.update({api.key: api for api in apis})
    for key in sorted(APIS):
        APIS[key] = APIS.pop(key)
    MESSAGES.update({name: other_message_of(message) for name, message in found.messages.items()})
    GIVEN_SIDES.update(sides)
    GIVEN_MESSAGES.update(messages)
    api_definition.cache_clear()
    message_definition.cache_clear()
    _LOADED.add(sources)


def _newest(definition: Json) -> int:
    return max(versions_of(definition["validVersions"]), default=-1)


def _check(message: Message) -> None:
    """Make the tables of all versions once, so that nothing is wrong with one when it is needed."""
    for field in _fields(message.fields):
        if not field.fields and field.element_type not in IMPLICIT_DEFAULTS:
            raise DefinitionError(f"{message.name}: {field.name} is of the type {field.type}, which is not defined")
    first, last = version_range(message.versions)
    for version in range(first, last + 1):
        try:
            make_table(message, version)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            found = f"cannot be read ({type(error).__name__}: {error})"
            raise DefinitionError(f"{message.name} version {version}: its definition {found}") from None


def _fields(fields: tuple[Field, ...]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from _fields(field.fields)
