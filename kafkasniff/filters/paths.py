"""Fields of bodies by their paths, such as `request.acks` or `response.topics[].errorCode`."""

from collections.abc import Iterable
from typing import Final

from kafkasniff.calls.call import Side
from kafkasniff.filters.bodies import FieldsReader, json_name
from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.fields import Field
from kafkasniff.filters.predicates import BODY
from kafkasniff.near_names import did_you_mean
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.bodies.tables import is_error_code
from kafkasniff.protocol.definitions import api_definition
from kafkasniff.protocol.fields import Field as BodyField

_NUMBERS: Final = ("int", "uint", "float")


def path_field(name: str) -> Field:
    """Give the field of bodies at a path; raises FilterError where no API has it in any version."""
    side: Side = "request" if name.startswith("request") else "response"
    steps = [step.removesuffix("[]") for step in name.split(".")]
    if len(steps) == 1:
        raise FilterError(f"{side} is a body: name a field in it, such as {_EXAMPLES[side]}", name)
    found: list[BodyField] = []
    level = [api_definition(key, side).fields for key in APIS]
    for place, step in enumerate(steps[1:], 1):
        above = ".".join(steps[:place])
        known = {field.name for fields in level for field in fields}
        if not known:
            raise FilterError(f"{above} has no fields", name, slice(0, len(above)))
        found = [field for fields in level for field in fields if step in (field.name, json_name(field))]
        if not found:
            begin = len(".".join(name.split(".")[:place])) + 1
            part = slice(begin, begin + len(step))
            raise FilterError(f"no {above} has a field {step!r}{did_you_mean(step, known)}", name, part)
        level = [field.fields for field in found]

    def wanted(path: tuple[BodyField, ...]) -> bool:
        names = zip(path, steps[1:], strict=False)
        return len(path) == len(steps) - 1 and all(step in (field.name, json_name(field)) for field, step in names)

    return Field(name, _kind(found), "", FieldsReader([side], wanted), True, BODY, plural=f"values of {name}")


_EXAMPLES: Final = {"request": "request.acks", "response": "response.topics[].errorCode"}


def _kind(fields: Iterable[BodyField]) -> str:
    """Give the kind of the values of a field, which may differ from API to API."""
    kinds = {_kind_of(field) for field in fields}
    if len(kinds) > 1:
        kinds.discard("struct")
    return kinds.pop() if len(kinds) == 1 else "any"


def _kind_of(field: BodyField) -> str:
    if field.fields:
        return "struct"
    if is_error_code(field):
        return "error"
    if field.type == "records":
        return "size"
    kind = field.element_type
    if kind == "bool":
        return "bool"
    if not kind.startswith(_NUMBERS):
        return "text"
    return "milliseconds" if field.name.endswith("Ms") else "size" if field.name.endswith("Bytes") else "number"
