"""Options that take one of a fixed set of values."""

from collections.abc import Callable, Sequence

import typer

from kafkasniff.near_names import did_you_mean


def one_of(known: Sequence[str]) -> Callable[[str | None], str | None]:
    """Give what checks the value of such an option, for Typer; it raises BadParameter."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(known)}{did_you_mean(value, known) or '.'}")
        return value

    return check


def starting_with(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Give what completes it in a shell."""
    return lambda incomplete: [value for value in known if value.startswith(incomplete)]
