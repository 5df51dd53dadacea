"""Options that take one of a fixed set of values."""

from collections.abc import Callable, Collection, Sequence

import typer

from kafkasniff.near_names import did_you_mean


def one_of(known: Sequence[str]) -> Callable[[str | None], str | None]:
    """Give what checks the value of such an option, for Typer; it raises BadParameter."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise none_of(value, known)
        return value

    return check


def none_of(value: str, known: Collection[str], option: str | None = None) -> typer.BadParameter:
    """Say that a value is none of those that there are, and which are near; Typer knows the option in its callback."""
    near = did_you_mean(value, known) or "."
    return typer.BadParameter(f"{value!r} is none of {', '.join(known)}{near}", param_hint=option)


def starting_with(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Give what completes it in a shell."""
    return lambda incomplete: [value for value in known if value.startswith(incomplete)]
