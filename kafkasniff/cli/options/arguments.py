"""Options whose value may be left out."""

import os
import re
from collections.abc import Sequence

import typer

ANY_ERROR = "*"
"""What `--errors` means without a name."""

_LIKE_A_NAME = r"!?[\w*?-]+(?:,!?[\w*?-]+)*"


def with_optional_values(arguments: Sequence[str]) -> list[str]:
    """Give the command line with `--errors` as `--errors=NAME`, or `--errors=*` where no error's name follows.

    The parser knows no options with an optional value. Raises BadParameter for what may be a name and a file.
    """
    result: list[str] = []
    rest = iter(range(len(arguments)))
    for index in rest:
        argument = arguments[index]
        if argument == "--":
            return [*result, *arguments[index:]]
        if argument != "--errors":
            result.append(argument)
            continue
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        if _is_value(following):
            result.append(f"--errors={following}")
            next(rest)
        else:
            result.append(f"--errors={ANY_ERROR}")
    return result


def _is_value(text: str) -> bool:
    """Tell whether what follows `--errors` is its value: no option, no file and no interface."""
    if not re.fullmatch(_LIKE_A_NAME, text, re.ASCII) or (text[0] == "-" and not text[1:].isdecimal()):
        return False
    from kafkasniff.protocol.names import find_error

    names_errors = all("*" in name or "?" in name or find_error(name.lstrip("!")) for name in text.split(","))
    if names_errors and os.path.exists(text):
        why = f"{text} is both an error and a file here: write --errors={text}, or --errors ./{text} for the file."
        raise typer.BadParameter(why, param_hint="--errors")
    return names_errors or not (os.path.exists(text) or _is_interface(text))


def _is_interface(text: str) -> bool:
    import socket

    return text == "any" or text in [name for _, name in socket.if_nameindex()]
