"""The error codes as an offline reference."""

from typing import Any

from kafkasniff.diagnose.normal_errors import ANY_NUMBER, NORMAL_ERRORS
from kafkasniff.diagnose.options.library import filled
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.error_codes.fixes import ERROR_FIXES
from kafkasniff.protocol.error_codes.notes import ERROR_NOTES
from kafkasniff.protocol.fields import ErrorCode
from kafkasniff.protocol.headers import api_name
from kafkasniff.protocol.names import message_names


def error_normal(error: ErrorCode) -> list[str]:
    """Say where an error is part of a healthy client's life."""
    return [
        f"{', '.join(map(api_name, sorted(each.apis))) if each.apis else 'any API'}"
        f"{'' if each.a_minute == ANY_NUMBER else f', up to {each.a_minute} a minute'}: {each.why}"
        for each in NORMAL_ERRORS
        if error.code in each.codes
    ]


def error_object(error: ErrorCode) -> dict[str, Any]:
    """Give an error as a JSON object."""
    return {
        "code": error.code,
        "name": error.name,
        "retriable": error.retriable,
        "meaning": ERROR_NOTES[error.code],
        "fix": filled(ERROR_FIXES[error.code], None),
        "normal": error_normal(error),
    }


def error_text(error: ErrorCode) -> str:
    """Give one error as text, with the end of its last line."""
    retriable = "retriable" if error.retriable else "not retriable"
    lines = [f"{error.code}  {error.name}  ({retriable})", ERROR_NOTES[error.code]]
    fix = filled(ERROR_FIXES[error.code], None)
    lines += [f"What to do: {fix}", *(f"Normal: {message_names(text)}" for text in error_normal(error))]
    return "\n".join(lines) + "\n"


def error_list_text() -> str:
    """Give all errors as a table, with the end of its last line."""
    lines = [f"CODE  {'NAME':<44}  RETRIABLE"]
    lines += [
        f"{error.code:>4}  {error.name:<44}  {'yes' if error.retriable else 'no'}" for error in ERROR_CODES.values()
    ]
    return "\n".join(lines) + "\n"
