"""Makes predicates of a field, an operator and values; checks that they fit each other."""

import operator as operators
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from kafkasniff.filters.bodies import Needles
from kafkasniff.filters.errors import FilterError
from kafkasniff.filters.fields import FIELDS, Field
from kafkasniff.filters.predicates import BODY, Predicate, Values, any_of, negation
from kafkasniff.filters.values import (
    Moment,
    address,
    connection,
    duration_ns,
    glob,
    literals,
    number,
    port,
    regular_expression,
    size_bytes,
)
from kafkasniff.near_names import did_you_mean, plain
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.error_codes.codes import ERROR_CODES, error_name
from kafkasniff.protocol.headers import api_name
from kafkasniff.protocol.names import camel_case, find_api, find_error, no_api, no_error

_POSITIVE: Final = {"!=": "==", "!~": "~", "not in": "in"}
_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operators.gt, "<=": operators.ge, ">": operators.lt, ">=": operators.le, "==": operators.eq,
}  # fmt: skip
"""Each with its sides exchanged, so that the value asked for comes first."""
_MOST_CODE: Final = 32_767
"""API keys and error codes are int16."""
_UNITS: Final[dict[str, Callable[[str], int | float]]] = {
    "number": number, "port": port, "duration": duration_ns, "size": size_bytes,
    "milliseconds": lambda text: number(text) if text[-1:].isdecimal() else duration_ns(text) / 1e6,
}  # fmt: skip

Test = Callable[[Any], bool]


def make_test(name: str, operator: str = "", values: Sequence[str] = ()) -> Predicate:
    """Give what compares a field with values, of which `in` takes several; without an operator: it has a value.

    Raises FilterError.
    """
    field = find_field(name)
    if not operator:
        return _on_field(field, bool if field.is_many else _is_there, ())
    if operator in _POSITIVE:
        return negation(make_test(name, _POSITIVE[operator], values))
    if field.kind == "struct":
        raise FilterError(f"{name} holds other fields: name one of them", name)
    if field.kind == "time":
        return any_of([_time_test(field, "==" if operator == "in" else operator, value) for value in values])
    tests = [_value_test(field, "==" if operator == "in" else operator, value) for value in values]
    test = tests[0] if len(tests) == 1 else lambda value: any(each(value) for each in tests)
    if field.kind in _UNITS:
        return _on_field(field, partial(_any, test), ()) if field.is_many else _on_number(field, test)
    met = Values(field.plural, test, _SHOWN.get(field.kind, str))
    if operator in ("==", "in") and field.kind == "text" and field.cost == BODY:
        texts = [literals(str(value)) for value in values]
        # Bytes that are not UTF-8 are shown as U+FFFD.
        if all(texts) and not any("\ufffd" in text for text in texts):
            return Predicate(Needles(texts, test, met.fits, field.read), field.cost, field.of_calls, (met,))
    if field.is_many:
        return _on_field(field, partial(_any, met.fits), (met,))
    return Predicate(met.of(field.read), field.cost, field.of_calls, (met,))


def find_field(word: str) -> Field:
    """Give the field called so, which may be one of bodies by its path; raises FilterError."""
    name = str(word)
    if (field := FIELDS.get(name)) is not None:
        return field
    if name.partition(".")[0] not in ("request", "response"):
        near = did_you_mean(name, FIELDS)
        raise FilterError(f"no field is called {name!r}{near or '; `kafkasniff help filters` lists them'}", word)
    from kafkasniff.filters.paths import path_field  # it takes the definitions of all APIs

    try:
        return path_field(name)
    except FilterError as error:
        raise FilterError(error.message, word, error.part) from None


def _on_field(field: Field, test: Test, values: tuple[Values, ...]) -> Predicate:
    read = field.read
    return Predicate(lambda item: test(read(item)), field.cost, field.of_calls, values)


def _is_there(value: Any) -> bool:
    return value is not None and value != ""


def _on_number(field: Field, test: Test) -> Predicate:
    read = field.read

    def holds(item: Any) -> bool:
        value = read(item)
        return value is not None and test(value)

    return Predicate(holds, field.cost, field.of_calls)


def _any(test: Test, values: Sequence[Any]) -> bool:
    for value in values:  # noqa: SIM110 (any() with a generator takes twice the time)
        if test(value):
            return True
    return False


def _time_test(field: Field, operator: str, word: str) -> Predicate:
    compare = _order(field, operator)
    try:
        moment = Moment(str(word))
    except FilterError as error:
        raise FilterError(error.message, word) from None
    return _on_field(field, lambda time: compare(moment.time, moment.at_most(time)), ())._replace(moments=(moment,))


def _value_test(field: Field, operator: str, word: str) -> Test:
    """Give what compares a value of a field; raises FilterError."""
    kind, text = field.kind, str(word)
    try:
        if kind in _UNITS:
            wanted = -1 if field.name == "acks" and text == "all" else _UNITS[kind](text)
            return partial(_order(field, operator), wanted)
        if kind == "any":
            return _mixed_test(operator, text)
        if operator not in ("==", "~"):
            raise FilterError(f"{field.name} is no number: compare it with ==, !=, ~, !~ or in", operator)
        if kind in ("api", "error"):
            return _codes(field, operator, text).__contains__
        if kind == "bool":
            if text not in ("true", "false"):
                raise FilterError(f"{field.name} is true or false, not {text!r}", text)
            return partial(operators.eq, text == "true")
        if operator == "~":
            return regular_expression(text)
        if kind == "choice":
            return _choice(field, text)
        return {"address": address, "connection": connection}.get(kind, glob)(text)
    except FilterError as error:
        raise FilterError(error.message, operator if error.culprit is operator else word) from None


def _order(field: Field, operator: str) -> Callable[[Any, Any], bool]:
    if operator not in _ORDER:
        raise FilterError(f"{field.name} is a number: compare it with ==, !=, <, <=, >, >= or in", operator)
    return _ORDER[operator]


def _mixed_test(operator: str, text: str) -> Test:
    """Give what compares values that are numbers in some APIs and text in others."""
    of_text = regular_expression(text) if operator == "~" else glob(text) if operator == "==" else None
    try:
        of_number = partial(_ORDER[operator], number(text))
    except (FilterError, KeyError):
        of_number = None
    if of_text is None and of_number is None:
        raise FilterError(f"{text!r} is no number", text)

    def test(value: Any) -> bool:
        each = of_text if isinstance(value, str) else of_number
        return each is not None and each(value)

    return test


def _choice(field: Field, text: str) -> Test:
    if "*" in text or "?" in text:
        return glob(text)
    found = [choice for choice in field.choices if plain(choice) == plain(text)]
    if not found:
        known = did_you_mean(text, field.choices) or f"; there are {', '.join(field.choices)}"
        raise FilterError(f"no {field.name} is called {text!r}{known}", text)
    return found[0].__eq__


def _codes(field: Field, operator: str, text: str) -> frozenset[int]:
    """Give the keys of the APIs, or the codes of the errors, that a name or a pattern means; raises FilterError."""
    is_api = field.kind == "api"
    names = (
        {key: (api.name, camel_case(api.name)) for key, api in APIS.items()}
        if is_api
        else {code: (error.name, camel_case(error.name)) for code, error in ERROR_CODES.items()}
    )
    if operator == "~" or "*" in text or "?" in text:
        fits = regular_expression(text) if operator == "~" else glob(text)
        # A pattern may be in any case, as a name may.
        folded = regular_expression(text, True) if operator == "~" else glob(text.upper())
        found = frozenset(code for code, both in names.items() if any(fits(name) or folded(name) for name in both))
        if not found:
            raise FilterError(f"no {field.kind if not is_api else 'API'} has a name like {text!r}", text)
        return found
    known = find_api(text) if is_api else find_error(text)
    if field.name == "error" and known is not None and not _code(known):
        raise FilterError("NONE (0) is no error: write `not error` for calls without one", text)
    if known is not None:
        return frozenset((_code(known),))
    if text.removeprefix("-").isdecimal() and len(text) < 7 and -_MOST_CODE - 2 < int(text) <= _MOST_CODE:
        return frozenset((int(text),))  # a number that this version does not know may be on the wire all the same
    raise FilterError(no_api(text) if is_api else no_error(text), text)


def _code(known: Any) -> int:
    code: int = known.key if hasattr(known, "key") else known.code
    return code


def _api_shown(key: int) -> str:
    name = api_name(key)
    return camel_case(name) if name is not None else str(key)


_SHOWN: Final[dict[str, Callable[[Any], str]]] = {"api": _api_shown, "error": error_name}
