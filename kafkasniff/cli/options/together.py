"""Options that a command takes together, as one argument: the fields of a named tuple."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, get_type_hints

Command = Callable[..., None]


def together(name: str, kind: Any, only: Sequence[str] = (), leads: bool = False) -> Callable[[Command], Command]:
    """Give what declares the fields of `kind` as options of a command, which takes them as its argument `name`.

    A field without a default is an argument that another such decorator gives. `only`: these fields alone; the others
    keep their defaults. `leads`: the help has them before the command's own options.
    """
    annotations = get_type_hints(kind, include_extras=True)
    fields = only or kind._fields
    added = [
        inspect.Parameter(
            field,
            inspect.Parameter.KEYWORD_ONLY,
            default=kind._field_defaults.get(field, inspect.Parameter.empty),
            annotation=annotations[field],
        )
        for field in fields
    ]

    def declare(command: Command) -> Command:
        signature = inspect.signature(command)

        @wraps(command)
        def run(**values: Any) -> None:
            taken = kind(**{field: values.pop(field) for field in fields})
            command(**values, **{name: taken})

        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for each, parameter in signature.parameters.items()
            if each != name
        ]
        at = 1 if leads else len(own)  # behind the files, or the interfaces
        run.__signature__ = signature.replace(parameters=[*own[:at], *added, *own[at:]])  # type: ignore[attr-defined]
        return run

    return declare
