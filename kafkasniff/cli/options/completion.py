"""Shell completion of what options and arguments take."""

from collections.abc import Iterable

TIME_MODES = ("absolute", "local", "relative", "delta")
"""What `--time` takes."""


def complete_time(incomplete: str) -> list[str]:
    """Give the values of `--time` that begin with what was typed."""
    return _first_that_fits((TIME_MODES,), incomplete)


def complete_severity(incomplete: str) -> list[str]:
    """Give the severities that begin with what was typed."""
    from kafkasniff.diagnose.finding import SEVERITIES

    return _first_that_fits((SEVERITIES,), incomplete)


def complete_rule(incomplete: str) -> list[str]:
    """Give the ids of rules that begin with what was typed."""
    from kafkasniff.diagnose.catalogue import RULES_BY_ID

    return _first_that_fits((RULES_BY_ID,), incomplete)


def complete_api(incomplete: str) -> list[str]:
    """Give the names of APIs that begin with what was typed, in the form that was begun."""
    from kafkasniff.protocol.api_table import APIS
    from kafkasniff.protocol.names import camel_case

    names = [api.name for api in APIS.values()]
    forms = (
        map(camel_case, names),
        names,
        (name.lower() for name in names),
        (camel_case(name).lower() for name in names),
    )
    return _first_that_fits(forms, incomplete)


def complete_error(incomplete: str) -> list[str]:
    """Give the names of errors that begin with what was typed, in the form that was begun."""
    from kafkasniff.protocol.error_codes.codes import ERROR_CODES

    names = [error.name for error in ERROR_CODES.values()]
    return _first_that_fits((names, (name.lower() for name in names)), incomplete)


def _first_that_fits(forms: Iterable[Iterable[str]], incomplete: str) -> list[str]:
    # Shells keep only what begins as typed, so `lis` needs `list_offsets` and `Lis` needs `ListOffsets`.
    for names in forms:
        if fitting := [name for name in names if name.startswith(incomplete)]:
            return fitting
    return []
