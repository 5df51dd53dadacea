"""Options that a command takes together, as one argument: the fields of a named tuple."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints

Command = Callable[..., None]


def together(name: str, kind: Any) -> Callable[[Command], Command]:
    """Give what declares the fields of `kind` as options of a command, which takes them as its argument `name`.

    A field without a default is an argument that another such decorator gives.
    """
    annotations = get_type_hints(kind, include_extras=True)
    added = [
        inspect.Parameter(
            field,
            inspect.Parameter.KEYWORD_ONLY,
            default=kind._field_defaults.get(field, inspect.Parameter.empty),
            annotation=annotations[field],
        )
        for field in kind._fields
    ]

    def declare(command: Command) -> Command:
        signature = inspect.signature(command)

        @wraps(command)
        def run(**values: Any) -> None:
            taken = kind(**{field: values.pop(field) for field in kind._fields})
            command(**values, **{name: taken})

        own = [parameter for each, parameter in signature.parameters.items() if each != name]
        run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        return run

    return declare
