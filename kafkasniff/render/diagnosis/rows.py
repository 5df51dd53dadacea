"""Findings as rows of the table `findings`."""

from collections.abc import Iterable, Iterator

import orjson

from kafkasniff.diagnose.finding import Finding
from kafkasniff.render.diagnosis.findings import finding_object
from kafkasniff.tables.rows import Placed
from kafkasniff.wording import file_name


def finding_rows(vantages: list[str], findings: Iterable[Finding]) -> Iterator[Placed]:
    """Give the rows of findings on what `vantages` saw."""
    for finding in findings:
        shown = finding_object(finding, numbered=False)
        texts = {name: orjson.dumps(shown[name]).decode() for name in ("subject", "evidence", "consequences")}
        yield (
            "findings",
            finding.first_time,
            (
                [file_name(vantage) for vantage in vantages],
                finding.rule,
                finding.severity,
                finding.first_time // 1000,
                finding.last_time // 1000,
                finding.count,
                texts["subject"],
                shown["summary"],
                shown["cause"],
                shown["fix"],
                texts["evidence"],
                texts["consequences"],
            ),
        )
