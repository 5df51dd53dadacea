"""The named questions, asked of a run's tables by Spark: the same text that DuckDB runs (`kafkasniff.questions`)."""

import os
from collections.abc import Iterator

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from kafkasniff.lakes.formats import LakeError
from kafkasniff.lakes.tables import format_of, lake_named
from kafkasniff.pipeline.errors import PipelineError
from kafkasniff.pipeline.indexes.index import reason_of
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.questions.database import Answer
from kafkasniff.questions.named import keyed, text_of
from kafkasniff.questions.releases import LIBRARY_COLUMNS, TARGET_COLUMNS, library_rows, target_rows
from kafkasniff.tables.declared import RECORDS, TABLES

_DIALECT = {"spark.sql.ansi.enabled": "true", "spark.sql.ansi.doubleQuotedIdentifiers": "true"}
"""With these Spark takes the text as it is: names between double quotes."""
_FUNCTIONS = (
    "CREATE OR REPLACE TEMPORARY FUNCTION days_between(a TIMESTAMP, b TIMESTAMP) RETURNS INT RETURN datediff(b, a)",
)
"""What the text has under a name of its own (`kafkasniff.questions.database`)."""
STATS_KEYS = ("api_name", "server", "client_id", "topic", "error")
"""By what `stats` counts, a table each."""
_OTHERS = ("who", "unused", "audit", "security", "tls", "cost", "racks", "clients")


def texts() -> Iterator[tuple[str, str]]:
    """Give a heading and the SQL of each question."""
    yield "headline", text_of("headline")
    for key in STATS_KEYS:
        yield f"stats by {key}", f'{keyed("stats", [key])} ORDER BY calls DESC, "{key}"'
    for name in _OTHERS:
        yield name, text_of(name)


def answers(session: SparkSession, folder: str, run: str, release: str) -> Iterator[tuple[str, Answer]]:
    """Give heading and answer of each question over the tables of a run; `audit` is for brokers of a release.

    Raises PipelineError.
    """
    try:
        for name, value in _DIALECT.items():
            session.conf.set(name, value)
        for function in _FUNCTIONS:
            session.sql(function)
        _make_views(session, folder, run, release)
        for heading, text in texts():
            frame = session.sql(text)
            yield heading, Answer(frame.columns, iter([tuple(row) for row in frame.collect()]))
    except PySparkException as error:
        raise PipelineError(reason_of(error)) from None
    except LakeError as error:
        raise PipelineError(str(error)) from None


def _make_views(session: SparkSession, folder: str, run: str, release: str) -> None:
    for name in TABLES.keys() - {RECORDS.name}:
        place = os.path.join(folder, name)
        form = format_of(place)
        if form is None:
            frame = session.read.parquet(place).where(f"run_id = '{run}'")
        elif files := lake_named(form).files(place, run):
            frame = session.read.option("basePath", place).parquet(*(f"{place}/{path}" for path in files))
        else:
            frame = session.createDataFrame([], from_arrow_schema(schema_of(TABLES[name])))
        frame.createOrReplaceTempView(name)
    session.createDataFrame(target_rows(release), TARGET_COLUMNS).createOrReplaceTempView("target")
    session.createDataFrame(library_rows(release), LIBRARY_COLUMNS).createOrReplaceTempView("libraries")
