"""Find, in a decoded body, its error codes or the entities that it names, by the fields that hold such."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from kafkasniff.protocol.bodies.tables import is_error_code, is_topic_id
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field, Kind, Message, fields_of
from kafkasniff.protocol.typed_names import typed_names

EntityFinder = Callable[[dict[str, Any]], dict[str, list[Any]]]
"""Gives the values by entity type, in order of appearance, each once."""

NO_ENTITY = (None, "", -1, "AAAAAAAAAAAAAAAAAAAAAA")
"""Values that name nothing: null, the empty name, id -1, the zero uuid."""


class _Branch(NamedTuple):
    """A field that is looked for, or a struct or array with such fields inside."""

    field: Field
    inner: tuple["_Branch", ...]


def find_errors(api_key: int, version: int, kind: Kind, value: dict[str, Any]) -> list[tuple[str, int]]:
    """Give path and code of each error code in a decoded body that is not zero."""
    found: list[tuple[str, int]] = []
    _add_errors(_error_branches(api_key, version, kind), value, "", found)
    return found


def find_entities(api_key: int, version: int, kind: Kind, value: dict[str, Any]) -> dict[str, list[Any]]:
    """Give what a decoded body names, by entity type, each in order of appearance without repeats.

    The types are `topicName`, `topicId`, `groupId`, `transactionalId`, `brokerId`, `producerId`.
    """
    found = _entity_finder(api_key, version, kind)(value)
    for entity, names in typed_names(api_key, kind, value).items():
        found[entity] = list(dict.fromkeys(found.get(entity, []) + names))
    return found


def entity_finder(message: Message, version: int, types: frozenset[str] | None = None) -> EntityFinder:
    """Give what finds the entities in one version of `message`: of `types` alone, where these are given.

    It looks at no other fields.
    """
    branches = _branches(message.fields, version, lambda field: is_entity(field, types))

    def find(value: dict[str, Any]) -> dict[str, list[Any]]:
        found: dict[str, dict[Any, None]] = {}
        _add_entities(branches, value, found)
        lists = {entity: [name for name in names if name not in NO_ENTITY] for entity, names in found.items()}
        return {entity: names for entity, names in lists.items() if names}

    return find


def leading_fields(message: Message, version: int, wanted: Callable[[Field], bool]) -> frozenset[str]:
    """Give the names of the wanted fields in one version of `message`, and of the structs that lead to them."""

    def names(branches: tuple[_Branch, ...]) -> Iterator[str]:
        for branch in branches:
            yield branch.field.name
            yield from names(branch.inner)

    return frozenset(names(_branches(message.fields, version, wanted)))


def is_entity(field: Field, types: frozenset[str] | None = None) -> bool:
    """Tell whether a field names something, of one of `types` where these are given."""
    entity = _entity(field)
    return bool(entity) and (types is None or entity in types)


def _entity(field: Field) -> str:
    """Give a field's entity type; definitions give none to topic ids, nor to group ids of share group state."""
    if is_topic_id(field):
        return "topicId"
    if field.type == "string" and field.name == "groupId":
        return "groupId"
    return field.entity


@cache
def _error_branches(api_key: int, version: int, kind: Kind) -> tuple[_Branch, ...]:
    return _branches(api_definition(api_key, kind).fields, version, is_error_code)


@cache
def _entity_finder(api_key: int, version: int, kind: Kind) -> EntityFinder:
    return entity_finder(api_definition(api_key, kind), version)


def _branches(fields: tuple[Field, ...], version: int, wanted: Callable[[Field], bool]) -> tuple[_Branch, ...]:
    """Give the branches that lead to wanted fields, and nowhere else."""
    found = (_Branch(field, _branches(field.fields, version, wanted)) for field in fields_of(fields, version))
    return tuple(branch for branch in found if branch.inner or wanted(branch.field))


# A tagged field is absent when it holds its default, and a nullable one may be null.


def _add_errors(
    branches: tuple[_Branch, ...], holder: dict[str, Any], prefix: str, found: list[tuple[str, int]]
) -> None:
    for field, inner in branches:
        name = field.name
        value = holder.get(name)
        if not value:
            continue
        if not inner:
            found.append((prefix + name, value))
        elif isinstance(value, dict):
            _add_errors(inner, value, f"{prefix}{name}.", found)
        else:
            for index, element in enumerate(value):
                _add_errors(inner, element, f"{prefix}{name}[{index}].", found)


def _add_entities(branches: tuple[_Branch, ...], holder: dict[str, Any], found: dict[str, dict[Any, None]]) -> None:
    for field, inner in branches:
        value = holder.get(field.name)
        if not inner:
            names = found.setdefault(_entity(field), {})
            if field.is_array:
                names.update(dict.fromkeys(value or ()))
            else:
                names[value] = None
        elif isinstance(value, dict):
            _add_entities(inner, value, found)
        else:
            for element in value or ():
                _add_entities(inner, element, found)
