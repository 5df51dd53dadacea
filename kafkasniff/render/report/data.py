"""What a report shows, as plain values: answers of the named questions, and what the capture was worth."""

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson

from kafkasniff.protocol.api_table import APIS
from kafkasniff.questions.binned import Bins, binned, bins_of_calls
from kafkasniff.questions.database import Answer, Database
from kafkasniff.questions.named import keyed, text_of
from kafkasniff.reading import Summary
from kafkasniff.render.closing import closing_line, closing_notes
from kafkasniff.wording import file_name

TABLES = ("calls", "batches", "partitions", "connections", "findings", "group_events")
"""What a report is made of."""

Values = dict[str, Any]

_MOST_CELLS = 40_000
"""Of what is counted by bins; where there are more, the bins are wider."""
_MOST_ROWS = 5_000
_MOST_CALLS = 500

_CLIENT = ["client_host", "client_id"]
_IN_ORDER = "time, client, server, correlation_id"
"""Of single calls; orders end in it so that the same captures give the same report."""
_LISTS = {
    "apis": f"{keyed('stats', ['api_name', 'server'])} ORDER BY api_name, server",
    "servers": f"{keyed('stats', ['server'])} ORDER BY server",
    "clients": f"{keyed('stats', _CLIENT)} ORDER BY calls DESC, client_host, client_id",
    "programs": text_of("clients"),
    "topics": f"{keyed('stats', ['topic'])} ORDER BY calls DESC, topic",
    "errors": f"SELECT * FROM ({keyed('stats', ['error', 'api_name'])}) WHERE error IS NOT NULL "
    "ORDER BY calls DESC, error, api_name",
    "who": text_of("who"),
    "audit": text_of("audit"),
    "partitions": text_of("report_partitions"),
    "generations": text_of("report_generations"),
    "group_events": "SELECT * FROM group_events ORDER BY time_ns, connection, stream_offset",
    "transactions": text_of("report_transactions"),
    "producers": text_of("report_producers"),
    "connections": text_of("report_connections"),
    "connection_kinds": text_of("report_connection_kinds"),
}
"""Of each the first rows are in the report, and how many there are."""
_CALLS = {
    "slow_calls": ("total_time_ms IS NOT NULL", f"total_time_ms DESC, {_IN_ORDER}"),
    "failed_calls": ("cardinality(error_names) > 0", _IN_ORDER),
}
"""Single calls: for which of them there is a row, and in which order."""
_CELLS = {
    "time_cells": ("stats", []),
    "api_cells": ("stats", ["api_name", "server"]),
    "latency_cells": ("report_latencies", ["api_name", "server"]),
    "client_cells": ("report_cells", [*_CLIENT, "server"]),
    "topic_cells": ("report_cells", ["topic"]),
    "error_cells": ("report_cells", ["error", "api_name"]),
}
"""What is counted by bins of time: the question and its keys."""
_FURTHER = {"report_latencies": ["step"]}
"""Keys that a question has by itself."""


def asked() -> str:
    """Give the SQL of all that a report asks, but for what divides time."""
    cells = (keyed(name, keys) for name, keys in _CELLS.values())
    return " ".join((*_LISTS.values(), text_of("report_calls"), *map(" ".join, _CALLS.values()), *cells, "time_ns"))


def report_data(database: Database, summary: Summary, paths: Sequence[str]) -> Values:
    """Ask for all that a report shows."""
    data: Values = {
        "files": [file_name(path) for path in paths],
        "arguments": " ".join(shlex.quote(file_name(path)) for path in paths),
        "apis": [api.name for api in APIS.values()],
        "closing": closing_line(summary),
        "notSeen": closing_notes(summary),
        "findings": _findings(database),
        "bins": None,
        "tables": {name: _table(database, text) for name, text in _LISTS.items()}
        | {name: _single_calls(database, where, order) for name, (where, order) in _CALLS.items()},
    }
    bins = bins_of_calls(database)
    if bins is not None:
        data["bins"] = _bins(bins)
        data["tables"] |= {name: _cells(database, bins, *asked) for name, asked in _CELLS.items()}
    return data


def _findings(database: Database) -> list[Values]:
    """Give findings as `diagnose` orders them."""
    answer = database.ask("SELECT * EXCLUDE (vantages) FROM findings ORDER BY rowid")
    found = [dict(zip(answer.columns, map(_plain, row), strict=True)) for row in answer.rows]
    for finding in found:
        for name in ("subject", "evidence", "consequences"):
            finding[name] = orjson.loads(finding[name])
    return found


def _table(database: Database, text: str) -> Values:
    """Give the first rows of an answer, and how many there are."""
    table = _values(database.ask(f"SELECT * FROM ({text}) LIMIT {_MOST_ROWS + 1}"))
    if table["total"] > _MOST_ROWS:
        table["rows"].pop()
        table["total"] = _number(database, f"({text})")
    return table


def _single_calls(database: Database, where: str, order: str) -> Values:
    """Give the first of the calls for which `where` holds, and how many there are."""
    text = f"{text_of('report_calls')} WHERE {where} ORDER BY {order} LIMIT {_MOST_CALLS}"
    return _values(database.ask(text)) | {"total": _number(database, f"calls WHERE {where}")}


def _number(database: Database, rows: str) -> int:
    [(number,)] = database.ask(f"SELECT count(*) FROM {rows}").rows
    return int(number)


def _cells(database: Database, bins: Bins, name: str, keys: list[str]) -> Values:
    """Give what a question counts by bins, in bins so wide that there are not too many cells.

    Where one bin has too many, those with the most calls are given.
    """
    # Most calls have no error, and are no cells of any.
    where = " WHERE error IS NOT NULL" if "error" in keys else ""
    while True:
        database.run(f"CREATE OR REPLACE TEMP TABLE cells AS SELECT * FROM ({binned(name, bins, keys)}){where}")
        number = found = _number(database, "cells")
        if number <= _MOST_CELLS or bins.number == 1:
            order = ", ".join(["calls DESC", "bin", *keys, *_FURTHER.get(name, ())])
            table = _values(database.ask(f"SELECT * FROM cells ORDER BY {order} LIMIT {_MOST_CELLS}"))
            return _coded(table) | {"total": found, "bins": _bins(bins)}
        # Two bins as one have at least half the cells.
        while number > _MOST_CELLS and bins.number > 1:
            bins = bins.wider()
            number = -(-number // 2)


def _coded(table: Values) -> Values:
    """Give a table with each text once, in `texts`, and its number there in the columns that `coded` counts from 0.

    A name from the wire may be long, and stands in many cells.
    """
    rows = table["rows"]
    coded = [place for place in range(len(table["columns"])) if any(isinstance(row[place], str) for row in rows)]
    numbers: dict[str, int] = {}
    for row in rows:
        for place in coded:
            if row[place] is not None:
                row[place] = numbers.setdefault(row[place], len(numbers))
    return table | {"texts": [*numbers], "coded": coded}


def _bins(bins: Bins) -> Values:
    """Give bins in ms since 1970 UTC."""
    return {"start": bins.start_ns / 1e6, "width": bins.width_ns / 1e6, "count": bins.number}


def _values(answer: Answer) -> Values:
    rows = [[*map(_plain, row)] for row in answer.rows]
    return {"columns": list(answer.columns), "rows": rows, "total": len(rows)}


def _plain(value: Any) -> Any:
    """Give a value as JSON has it: times in ms since 1970 UTC, other numbers with six digits at most."""
    if isinstance(value, datetime):
        return value.timestamp() * 1000
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value
