"""A finding made by hand."""

from kafkasniff.diagnose.finding import Evidence, Finding
from tests.render.made_calls import MILLISECOND, NOON, arrival


def made(severity: str = "error", summary: str = "It was refused 7 times.", rule: str = "invalid-topic") -> Finding:
    return Finding(
        rule,
        severity,  # type: ignore[arg-type]
        {"clientId": "shop\x1b[31m", "client": ["10.0.0.1:1", "10.0.0.1:2"]},
        NOON,
        NOON + 1500 * MILLISECOND,
        7,
        summary,
        "A wrong name.",
        "Another name.",
        [Evidence(arrival(12, 0), "error 17\x07", 5)],
    )
