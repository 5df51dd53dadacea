"""What came in an interval, as JSON lines: `kafkasniff live --every TIME --json`."""

from collections.abc import Iterator
from typing import Any

import orjson

from kafkasniff.metrics.breakdown import SUMS, Row, merged, total
from kafkasniff.metrics.state import State
from kafkasniff.metrics.totals import API_BROKER, CLIENT, ERROR_API, GROUP, TOPIC, Snapshot
from kafkasniff.render.json.safe import safe_line
from kafkasniff.render.times import utc_text

KEYS = (
    ("api_name", API_BROKER),
    ("server", API_BROKER),
    *((labels[0], labels) for labels in (CLIENT, TOPIC, GROUP, ERROR_API)),
)
"""Each key that lines have, and the breakdown that has its rows."""

_COUNTED = SUMS[: SUMS.index("throttled") + 1]
_PERCENTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99}


def interval_lines(came: Snapshot, seconds: float, state: State) -> Iterator[bytes]:
    """Give what came in an interval of so many seconds: a line for all of it, and one for each value of each key."""
    times = {"time": utc_text(came.time_ns, 6), "seconds": round(seconds, 3)}
    # Each call has one API and one broker, or none of both.
    everything = total(came.rows[API_BROKER].values())
    yield _line({"type": "interval", **times, **state._asdict(), **_measures(everything)})
    for name, labels in KEYS:
        rows = merged(came.rows[labels], labels.index(name))
        for (value,), row in sorted(rows.items(), key=lambda each: (-each[1]["calls"], each[0])):
            yield _line({"type": "totals", **times, name: value, **_measures(row)})


def _measures(row: Row) -> dict[str, Any]:
    percentiles = {name: row.percentile_ms(share) for name, share in _PERCENTILES.items()}
    return {name: int(row[name]) for name in _COUNTED} | {
        name: None if value is None else float(f"{value:.4g}") for name, value in percentiles.items()
    }


def _line(fields: dict[str, Any]) -> bytes:
    return safe_line(orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE))
