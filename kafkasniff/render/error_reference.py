"""The error codes as an offline reference."""

from typing import Any

from kafkasniff.protocol.error_codes import ERROR_CODES
from kafkasniff.protocol.error_fixes import ERROR_FIXES
from kafkasniff.protocol.error_notes import ERROR_NOTES
from kafkasniff.protocol.fields import ErrorCode


def error_object(error: ErrorCode) -> dict[str, Any]:
    """Give an error as a JSON object."""
    return {
        "code": error.code,
        "name": error.name,
        "retriable": error.retriable,
        "meaning": ERROR_NOTES[error.code],
        "fix": ERROR_FIXES[error.code],
    }


def error_text(error: ErrorCode) -> str:
    """Give one error as text, with the end of its last line."""
    retriable = "retriable" if error.retriable else "not retriable"
    return (
        f"{error.code}  {error.name}  ({retriable})\n{ERROR_NOTES[error.code]}\nWhat to do: {ERROR_FIXES[error.code]}\n"
    )


def error_list_text() -> str:
    """Give all errors as a table, with the end of its last line."""
    lines = [f"CODE  {'NAME':<44}  RETRIABLE"]
    lines += [
        f"{error.code:>4}  {error.name:<44}  {'yes' if error.retriable else 'no'}" for error in ERROR_CODES.values()
    ]
    return "\n".join(lines) + "\n"
