"""The named questions on Spark, over what the pipeline wrote, beside DuckDB's answers over the same captures."""

import math
from typing import Any

import pytest

from kafkasniff.pipeline.asking import answers, texts
from kafkasniff.pipeline.follow.ledger import run_id
from kafkasniff.questions.database import TABLE_NAMES, Database
from kafkasniff.questions.releases import fill_target
from kafkasniff.reading import Reading
from tests.conftest import SHARED
from tests.pipeline.runs import CAPTURES, write

RELEASE = "4.0.1"
NAMES = (
    "java-4.3.1-basic",
    "librdkafka",
    "cluster-0.8.2.2-startup-shutdown",
    "tls12-aes128-cbc-sha256",
    "sasl-plain-java",
    "incidents/no-offset-and-no-reset",
)
RACKS = SHARED / "captures" / "misbehave" / "wrong-rack-fetch-1.pcap"
PATHS = [*(CAPTURES / f"{name}.pcap" for name in NAMES), *([RACKS] if RACKS.exists() else [])]


def loaded(paths: list[str]) -> Database:
    """DuckDB with the captures' tables."""
    database = Database()
    filler = database.filler(TABLE_NAMES)
    for items in Reading(paths, connections=True, metrics=False).batches():
        filler.take(items)
    filler.flush()
    fill_target(database, RELEASE)
    return database


def comparable(columns: Any, rows: Any) -> list[dict[str, Any]]:
    """Rows without their order."""
    found = []
    for row in rows:
        pairs = dict(zip(columns, row, strict=True))
        for name, value in pairs.items():
            if hasattr(value, "timestamp"):
                # Spark gives times of UTC without saying so.
                pairs[name] = value.replace(tzinfo=None).isoformat()
            elif isinstance(value, float):
                pairs[name] = None if math.isnan(value) else float(f"{value:.9g}")
        found.append(pairs)
    return sorted(found, key=lambda each: str(sorted(each.items())))


@pytest.fixture(scope="module")
def asked(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("tables")
    write(spark, PATHS, folder)
    found = dict(answers(spark, str(folder), run_id([], []), RELEASE))
    return loaded([*map(str, PATHS)]), {heading: comparable(each.columns, each.rows) for heading, each in found.items()}


@pytest.mark.parametrize(("heading", "text"), list(texts()), ids=[heading for heading, _ in texts()])
def test_spark_answers_as_duckdb_does(asked: Any, heading: str, text: str) -> None:
    if heading == "racks" and RACKS not in PATHS:
        pytest.skip("the recording is not there")
    database, found = asked
    answer = database.ask(text)
    expected = comparable(answer.columns, answer.rows)
    assert expected
    assert found[heading] == expected
