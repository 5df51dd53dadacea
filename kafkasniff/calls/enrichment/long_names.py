"""Names from messages that are remembered: long ones are cut, as a hostile capture may hold thousands of 32 kB each."""

from typing import Any, Final

LONGEST: Final = 255
"""Characters of a name that is kept as it is; Kafka's topics have up to 249 (Topic.MAX_NAME_LENGTH)."""

LONGEST_TEXT: Final = 1_000
"""Characters of a sentence that is kept as it is, which may hold several names."""

_DIGITS: Final = 16


def short_name(name: str, longest: int = LONGEST) -> str:
    """Give a name in at most `longest` characters: of a longer one its beginning and a hash of it all.

    The same names stay the same, and others do not become so.
    """
    if len(name) <= longest:
        return name
    # Only when needed: it loads all of OpenSSL.
    from hashlib import sha256

    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[: longest - _DIGITS - 1]}…{digest[:_DIGITS]}"


def with_short_names(value: dict[str, Any]) -> dict[str, Any]:
    """Give what was read of a message with all its text as `short_name` gives it; itself where none is long."""
    if not _has_long(value):
        return value
    return {name: _shortened(item) for name, item in value.items()}


def _has_long(value: Any) -> bool:
    # Asked of most messages: one step for each value, and one call for each structure.
    for item in value.values() if type(value) is dict else value:
        kind = type(item)
        if kind is str:
            if len(item) > LONGEST:
                return True
        elif (kind is dict or kind is list) and item and _has_long(item):
            return True
    return False


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return short_name(value)
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items()}
    return [_shortened(item) for item in value] if isinstance(value, list) else value
