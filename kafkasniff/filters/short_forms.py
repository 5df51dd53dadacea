"""Options that are short forms of expressions: `--api fetch,produce`, `--topic '!__*'`."""

from collections.abc import Sequence
from typing import Final

from kafkasniff.filters.predicates import Predicate, all_of, negation
from kafkasniff.filters.tests import make_test
from kafkasniff.filters.values import duration_ns, glob

ANY: Final = "*"
"""Stands for any value: of `--errors` without a name."""


def short_form(field: str, texts: Sequence[str]) -> Predicate:
    r"""Give what an option stands for that was given with these values; raises FilterError.

    A value may be a list with commas. Any of those without `!` before it must fit, and none of the others. `\,` is a
    comma within a value, and `\!` an exclamation mark at its begin.
    """
    wanted, unwanted = _parted(texts)
    parts = [negation(make_test(field, "==", [value]) if value != ANY else make_test(field)) for value in unwanted]
    if ANY in wanted:
        parts.append(make_test(field))
    elif wanted:
        parts.append(make_test(field, "in", wanted))
    return all_of(parts)


def fits(texts: Sequence[str], value: str) -> bool:
    """Tell whether a value is what an option with these values asks for."""
    wanted, unwanted = _parted(texts)
    return not any(glob(text)(value) for text in unwanted) and (not wanted or any(glob(text)(value) for text in wanted))


def slower_than(text: str) -> Predicate:
    """Give what `--slower-than` stands for, where a bare number is in milliseconds; raises FilterError."""
    return make_test("latency", ">", [f"{duration_ns(text, 'ms')}ns"])


def _parted(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the values that are asked for, and those that are not wanted."""
    values = [value for text in texts for value in _divided(text)]
    return [value for value in values if value[0] != "!"], [value[1:] for value in values if value[0] == "!"]


def _divided(text: str) -> list[str]:
    parts, escaped = [""], False
    for each in text:
        if each == "," and not escaped:
            parts.append("")
        else:
            # A pattern has its own use for what is before other characters.
            parts[-1] = parts[-1][:-1] + each if escaped and each == "," else parts[-1] + each
        escaped = each == "\\" and not escaped
    return [part for part in parts if part]
