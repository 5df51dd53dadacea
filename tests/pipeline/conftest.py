"""A Spark session for all tests of the pipeline; without the extra `spark` none of them is collected."""

from importlib.util import find_spec

import pytest

collect_ignore_glob = ["*test_*.py"] if find_spec("pyspark") is None else []


@pytest.fixture(scope="session")
def spark():
    from kafkasniff.pipeline.session import open_session

    session = open_session("local[2]", {"spark.sql.shuffle.partitions": "2"})
    yield session
    session.stop()
