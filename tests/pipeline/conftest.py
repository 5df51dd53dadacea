"""A Spark session for all tests of the pipeline; without the extra `spark` none of them is collected."""

from importlib.util import find_spec

import pytest

from tests.pipeline.labelled import MISBEHAVE, SOME

collect_ignore_glob = ["*test_*.py"] if find_spec("pyspark") is None else []


@pytest.fixture(scope="session")
def spark():
    from kafkasniff.pipeline.session import open_session

    session = open_session("local[2]", {"spark.sql.shuffle.partitions": "2"})
    yield session
    session.stop()


@pytest.fixture(scope="module")
def labelled_tables(spark, tmp_path_factory):
    """The folder of the tables of the labelled captures, which are views too."""
    from tests.pipeline.runs import write

    folder = tmp_path_factory.mktemp("tables")
    write(spark, [MISBEHAVE / f"{name}.pcap" for name in SOME], folder)
    for table in ("calls", "errors", "batches", "connections", "findings", "files"):
        spark.read.parquet(str(folder / table)).createOrReplaceTempView(table)
    return folder
