"""Compile functions that find, in a decoded body, its error codes or the entities that it names.

A visitor visits only the branches of one message, in one version, that hold such fields.
"""

from collections.abc import Callable
from typing import Any

from kafkasniff.protocol.fields import Field, Message, covers, fields_of
from kafkasniff.protocol.source_lines import SourceLines

ErrorFinder = Callable[[dict[str, Any]], list[tuple[str, int]]]
"""Gives path and code of each error code that is not zero."""

EntityFinder = Callable[[dict[str, Any]], dict[str, list[Any]]]
"""Gives the values by entity type, in order of appearance, each once."""

NO_ENTITY = (None, "", -1, "AAAAAAAAAAAAAAAAAAAAAA")
"""Values that name nothing: null, the empty name, id -1, the zero uuid."""


def compile_error_finder(message: Message, version: int) -> ErrorFinder:
    """Give the function that finds the error codes in one version of `message`."""

    def write(lines: SourceLines, field: Field, value: str, path: str) -> None:
        with lines.block(f"if {value}:"):
            lines.line(f'found.append((f"{path}", {value}))')

    lines = _visit(message, version, is_error_code, write)
    source = "\n".join(("def find(value):", "    found = []", *lines, "    return found", ""))
    finder: ErrorFinder = _compiled(source, message, version)["find"]
    return finder


def compile_entity_finder(message: Message, version: int, types: frozenset[str] | None = None) -> EntityFinder:
    """Give the function that finds the entities in one version of `message`: of `types` alone, where these are given.

    It looks at no other fields.
    """

    def write(lines: SourceLines, field: Field, value: str, path: str) -> None:
        entities = f'found.setdefault("{_entity(field)}", {{}})'
        if field.is_array:
            lines.line(f"{entities}.update(dict.fromkeys({value} or ()))")
        else:
            lines.line(f"{entities}[{value}] = None")

    lines = _visit(message, version, lambda field: is_entity(field, types), write)
    source = "\n".join(("def find(value):", "    found = {}", *lines, "    return listed(found)", ""))
    finder: EntityFinder = _compiled(source, message, version)["find"]
    return finder


def leading_fields(message: Message, version: int, wanted: Callable[[Field], bool]) -> frozenset[str]:
    """Give the names of the wanted fields in one version of `message`, and of the structs that lead to them."""

    def names(fields: tuple[Field, ...]) -> set[str]:
        found: set[str] = set()
        for field in fields_of(fields, version):
            inner = names(field.fields)
            if inner or wanted(field):
                found |= {field.name, *inner}
        return found

    return frozenset(names(message.fields))


def _listed(found: dict[str, dict[Any, None]]) -> dict[str, list[Any]]:
    """Give what was found as lists, without the values that name nothing."""
    lists = {entity: [value for value in values if value not in NO_ENTITY] for entity, values in found.items()}
    return {entity: values for entity, values in lists.items() if values}


def _compiled(source: str, message: Message, version: int) -> dict[str, Any]:
    namespace: dict[str, Any] = {"listed": _listed}
    exec(compile(source, f"<visitor of {message.name} v{version}>", "exec"), namespace)
    return namespace


def is_error_code(field: Field) -> bool:
    """Tell whether a field holds an error code."""
    return field.type == "int16" and field.name.lower().endswith("errorcode")


def is_entity(field: Field, types: frozenset[str] | None = None) -> bool:
    """Tell whether a field names something, of one of `types` where these are given."""
    entity = _entity(field)
    return bool(entity) and (types is None or entity in types)


def _entity(field: Field) -> str:
    """Give a field's entity type; definitions give none to topic ids, nor to group ids of share group state."""
    if field.type == "uuid" and field.name == "topicId":
        return "topicId"
    if field.type == "string" and field.name == "groupId":
        return "groupId"
    return field.entity


def _visit(
    message: Message,
    version: int,
    wanted: Callable[[Field], bool],
    write: Callable[[SourceLines, Field, str, str], None],
) -> list[str]:
    """Write the visit of the wanted fields: `write` is given the lines, the field, its value's expression, its path."""
    lines = SourceLines(1)

    def holds(field: Field) -> bool:
        return wanted(field) or any(holds(inner) for inner in fields_of(field.fields, version))

    def visit(fields: tuple[Field, ...], holder: str, path: str) -> None:
        for field in fields_of(fields, version):
            if not holds(field):
                continue
            # A tagged field is absent when it holds its default, and a nullable one may be null.
            optional = covers(field.tagged, version) or covers(field.nullable, version)
            value = f'{holder}.get("{field.name}")' if optional else f'{holder}["{field.name}"]'
            inner = lines.name("v")
            if not field.fields:
                lines.line(f"{inner} = {value}")
                write(lines, field, inner, f"{path}{field.name}")
            elif field.is_array:
                index = lines.name("i")
                with lines.block(f"for {index}, {inner} in enumerate({value} or ()):"):
                    visit(field.fields, inner, f"{path}{field.name}[{{{index}}}].")
            else:
                with lines.block(f"if {inner} := {value}:"):
                    visit(field.fields, inner, f"{path}{field.name}.")

    visit(message.fields, "value", "")
    return lines.lines
