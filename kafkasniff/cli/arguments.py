"""Options whose value may be left out."""

from collections.abc import Sequence

ANY_ERROR = "any"
"""What `--errors` means without a name."""


def with_optional_values(arguments: Sequence[str]) -> list[str]:
    """Give the command line with `--errors` as `--errors=NAME`, or `--errors=any` where no error's name follows.

    The parser knows no options with an optional value, and `--errors a.pcap` must not take the file for a name.
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
        if _is_error(following):
            result.append(f"--errors={following}")
            next(rest)
        else:
            result.append(f"--errors={ANY_ERROR}")
    return result


def _is_error(text: str) -> bool:
    from kafkasniff.render.error_reference import find_error

    return find_error(text) is not None
