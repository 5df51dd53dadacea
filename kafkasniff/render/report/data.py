"""What a report shows, as plain values: answers of the named questions, and what the capture was worth."""

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson

from kafkasniff.questions.binned import Bins, binned, bins_of_calls
from kafkasniff.questions.database import Answer, Database
from kafkasniff.questions.named import keyed, text_of
from kafkasniff.reading import Summary
from kafkasniff.render.closing import closing_line, closing_notes
from kafkasniff.wording import file_name

TABLES = ("calls", "batches", "connections", "findings", "group_events")
"""What a report is made of."""

_CLIENT = ["client_host", "client_id"]
_MOST_CELLS = 60_000
"""Of clients and brokers by bins; where there are more, the bins are wider."""
_MOST_ROWS = 5_000
_MOST_CALLS = 500


def report_data(database: Database, summary: Summary, paths: Sequence[str]) -> dict[str, Any]:
    """Ask for all that a report shows."""
    data: dict[str, Any] = {
        "files": [file_name(path) for path in paths],
        "arguments": " ".join(map(shlex.quote, paths)),
        "closing": closing_line(summary),
        "notSeen": closing_notes(summary),
        "findings": _findings(database),
        "tables": {},
    }
    bins = bins_of_calls(database)
    if bins is not None:
        data["bins"] = {"start": bins.start_ns / 1e6, "width": bins.width_ns / 1e6, "count": bins.number}
    questions = {
        "apis": keyed("stats", ["api_name", "server"]),
        "clients": keyed("stats", [*_CLIENT, "software_name", "software_version", "principal"]),
        "topics": keyed("stats", ["topic"]),
        "servers": keyed("stats", ["server"]),
        "errors": f"SELECT * FROM ({keyed('stats', ['error', 'api_name'])}) WHERE error IS NOT NULL",
        "who": text_of("who"),
        "audit": text_of("audit"),
        "slow_calls": f"{text_of('report_calls')} WHERE total_time_ms IS NOT NULL ORDER BY total_time_ms DESC",
        "failed_calls": f"{text_of('report_calls')} WHERE cardinality(error_names) > 0 ORDER BY time",
        "connections": "SELECT * FROM connections",
        "group_events": "SELECT * FROM group_events ORDER BY time_ns",
    }
    most = {"slow_calls": _MOST_CALLS, "failed_calls": _MOST_CALLS}
    for name, text in questions.items():
        data["tables"][name] = _table(database, text, most.get(name, _MOST_ROWS))
    if bins is not None:
        data["tables"]["over_time"] = _whole(database.ask(binned("stats", bins, [])))
        data["tables"]["apis_over_time"] = _whole(database.ask(binned("stats", bins, ["api_name", "server"])))
        data |= _client_cells(database, bins)
    return data


def _findings(database: Database) -> list[dict[str, Any]]:
    """Give findings as `diagnose` orders them."""
    answer = database.ask("SELECT * EXCLUDE (vantages) FROM findings ORDER BY rowid")
    found = [dict(zip(answer.columns, map(_plain, row), strict=True)) for row in answer.rows]
    for finding in found:
        for name in ("subject", "evidence", "consequences"):
            finding[name] = orjson.loads(finding[name])
    return found


def _client_cells(database: Database, bins: Bins) -> dict[str, Any]:
    """Give calls by bin, client and broker, in bins so wide that there are not too many."""
    wide = bins
    while True:
        text = binned("report_cells", wide, [*_CLIENT, "server"])
        [(count,)] = database.ask(f"SELECT count(*) FROM ({text})").rows
        if count <= _MOST_CELLS or wide.number == 1:
            break
        wide = wide.wider()
    cells = _whole(database.ask(text))
    return {"clientCells": cells, "clientBins": {"start": wide.start_ns / 1e6, "width": wide.width_ns / 1e6}}


def _table(database: Database, text: str, most: int) -> dict[str, Any]:
    """Give the first rows of an answer, and how many there are."""
    answer = database.ask(f"SELECT * FROM ({text}) LIMIT {most + 1}")
    rows = [[*map(_plain, row)] for row in answer.rows]
    total = len(rows)
    if total > most:
        [(total,)] = database.ask(f"SELECT count(*) FROM ({text})").rows
    return {"columns": list(answer.columns), "rows": rows[:most], "total": total}


def _whole(answer: Answer) -> dict[str, Any]:
    rows = [[*map(_plain, row)] for row in answer.rows]
    return {"columns": list(answer.columns), "rows": rows, "total": len(rows)}


def _plain(value: Any) -> Any:
    """Give a value as JSON has it: times in ms since 1970 UTC, other numbers with six digits at most."""
    if isinstance(value, datetime):
        return value.timestamp() * 1000
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value
