"""Who does what with which topic, as a matrix."""

from collections import defaultdict

from kafkasniff.questions.database import Answer

_CLIENT = ("client_host", "client_id", "principal")


def matrix_of(answer: Answer) -> Answer:
    """Give the answer to `who` with a row for each client and a column for each topic: roles, each with its calls."""
    cells: defaultdict[tuple[str | None, ...], defaultdict[str, dict[str, int]]]
    cells = defaultdict(lambda: defaultdict(dict))
    topics: dict[str, None] = {}
    for values in answer.rows:
        row = dict(zip(answer.columns, values, strict=True))
        topics[row["topic"]] = None
        roles = cells[tuple(row[name] for name in _CLIENT)][row["topic"]]
        roles[row["role"]] = roles.get(row["role"], 0) + row["calls"]
    made = []
    for client in sorted(cells, key=lambda names: [name or "" for name in names]):
        told = (", ".join(f"{role} {calls:,}" for role, calls in cells[client][topic].items()) for topic in topics)
        made.append((*client, *(text or None for text in told)))
    return Answer([*_CLIENT, *topics], iter(made))
