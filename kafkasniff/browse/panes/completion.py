"""How an expression may go on: names of fields, operators, and values as far as they are known."""

import re
from collections.abc import Iterable
from functools import cache

from kafkasniff.filters.fields import FIELDS

_WORD = re.compile(r"[^\s()<>=!~,&|\"']*$")
_BEFORE_VALUE = re.compile(r"([\w.\[\]]+)\s*(?:==?|!=|!?~|<=?|>=?|(?:not\s+)?in\s*\([^)]*)\s*$", re.IGNORECASE)
_JOINED = re.compile(r"(?:^|\b(?:and|or|not)|&&|\|\||!|\()\s*$", re.IGNORECASE)
_JOINING = ("and", "or", "not", "in")


@cache
def _values(field: str) -> tuple[str, ...]:
    """Give the values of a field that are known."""
    known = FIELDS.get(field)
    if known is None:
        return ()
    if known.kind == "api":
        from kafkasniff.protocol.api_table import APIS
        from kafkasniff.protocol.names import camel_case

        return tuple(sorted(camel_case(api.name) for api in APIS.values()))
    if known.kind == "error":
        from kafkasniff.protocol.error_codes.codes import ERROR_CODES

        return tuple(sorted(error.name for error in ERROR_CODES.values() if error.code))
    return known.choices


def candidates(expression: str) -> list[str]:
    """Give what the word at the end of an expression may become, the shortest first."""
    word = _word(expression)
    before = expression[: len(expression) - len(word)]
    of_value = _BEFORE_VALUE.search(before)
    names: Iterable[str]
    if of_value:
        names = _values(of_value[1])
    elif _JOINED.search(before):
        names = (*FIELDS, "not", "request.", "response.")
    else:
        names = _JOINING
    return [name for name in names if name.lower().startswith(word.lower())]


def completed(expression: str) -> str | None:
    """Give an expression with the word at its end made whole; None where no word was begun, or none begins so."""
    word = _word(expression)
    found = candidates(expression) if word else []
    if not found or any(name.lower() == word.lower() for name in found):
        return None
    rest = found[0][len(word) :]
    # Names are known in any case; what is suggested must begin as typed.
    return expression + (rest.lower() if word.islower() else rest)


def _word(expression: str) -> str:
    found = _WORD.search(expression)
    return found[0] if found else ""
