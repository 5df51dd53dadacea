"""Parts of lines that calls share, or that few have."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from kafkasniff.calls.call import Call
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.errors import Problem
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.words import duration_text, shorten_inside, show

_LONGEST_CLIENT_ID: Final = 120
_MOST_ERROR_NAMES: Final = 3

OUTCOMES = {
    "no-response-expected": "no response expected",
    "unanswered": "UNANSWERED",
    "response-not-captured": "response not captured",
    "request-not-captured": "request not captured",
}


def client_id_text(client_id: str | None, columns: int | None) -> str:
    """Give a client id as safe text for a column, its middle cut; None: up to a length that no id has by design."""
    return shorten_inside(show(client_id or "-", _LONGEST_CLIENT_ID), columns or _LONGEST_CLIENT_ID)


@lru_cache(maxsize=1024)
def api_text(layout: tuple[int, int] | None) -> str:
    """Give API and version of a call by the key and version in its header."""
    if layout is None:
        return "?"
    key, version = layout
    return f"{camel_case(APIS[key].name) if key in APIS else f'API {key}'} v{version}"


def outcome_text(call: Call) -> str:
    """Say what became of a call that was not answered."""
    text = OUTCOMES[call.outcome]
    return text if call.pending_ns is None else f"{text}, pending for {duration_text(call.pending_ns)}"


def error_names(names: list[str]) -> str:
    """Give the most common error codes by their names."""
    counts = Counter(names)
    words = [name if count == 1 else f"{name} ×{count}" for name, count in counts.most_common(_MOST_ERROR_NAMES)]
    if len(counts) > _MOST_ERROR_NAMES:
        words.append(f"and {len(counts) - _MOST_ERROR_NAMES} more")
    return ", ".join(words)


def problem_text(problems: Sequence[Problem]) -> str:
    """Give the first problem, and how many more there are."""
    first = problems[0]
    place = "" if first.offset is None else f" at byte {first.offset}"
    path = f" {show(first.path, 100)}" if first.path else ""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{first.where}{path}{place}: {show(first.message, 200)}{more}"
