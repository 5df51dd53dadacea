"""The versions that brokers of a release take, and the client libraries that fit."""

from kafkasniff.protocol.api_releases import API_RELEASES, RELEASES
from kafkasniff.questions.database import Database

LIBRARIES = (
    ("apache-kafka-java", None, "2.1.0"),
    ("librdkafka", "rdkafka", "1.8.2"),
    ("kafkajs", "kafkajs", "1.15.0"),
    ("sarama", "sarama", "1.30.1"),
    ("kafka-python", "kafka-python-%", "2.0.2"),
)
"""By what libraries call themselves in ApiVersions, and by their default client id (a pattern of SQL's LIKE), the
version from which on they are known to fit brokers of 4.0 and later: those by which KIP-896 chose what stays
(docs/questions.md names the source of each).
Older ones may fit too. Of other libraries it tells nothing."""
_LIBRARIES_SINCE = (4, 0)

LIBRARY_COLUMNS = "software_name STRING, client_ids STRING, fits_from STRING"
TARGET_COLUMNS = "target_key SMALLINT, lowest SMALLINT, highest SMALLINT"
"""Columns of the tables that `audit` asks beside those of the captures, as DuckDB and Spark read them."""


def release_numbers(release: str) -> tuple[int, ...]:
    """Give a release as numbers, by which releases are compared."""
    return tuple(map(int, release.split(".")))


def release_of(name: str) -> str | None:
    """Give the release that is known of what a user names: `4`, `4.0` and `4.0.1` are 4.0.1; None where none is."""
    return next((release for release in RELEASES if f"{release}.".startswith(f"{name}.")), None)


def library_rows(release: str) -> list[tuple[str | None, ...]]:
    """Give the rows of the table `libraries` for brokers of a release."""
    return list(LIBRARIES) if release_numbers(release) >= _LIBRARIES_SINCE else []


def target_rows(release: str) -> list[tuple[int, int | None, int]]:
    """Give the rows of the table `target`: the lowest and the highest version of each API that brokers take.

    Of an API that only later releases have these are None and -1; one that they no longer have is not there.
    """
    rows: list[tuple[int, int | None, int]] = []
    for key, releases in API_RELEASES.items():
        versions = releases.get(release)
        if versions is not None:
            rows.append((key, versions.lowest, versions.highest))
        elif min(map(release_numbers, releases)) > release_numbers(release):
            rows.append((key, None, -1))
    return rows


def fill_target(database: Database, release: str) -> None:
    """Make the tables `target` and `libraries` of a release."""
    for name, columns, rows in (
        ("libraries", LIBRARY_COLUMNS, library_rows(release)),
        ("target", TARGET_COLUMNS, target_rows(release)),
    ):
        database.run(f"CREATE TABLE {name} ({columns})")
        if rows:
            places = ", ".join(["(?, ?, ?)"] * len(rows))
            database.run(f"INSERT INTO {name} VALUES {places}", [value for row in rows for value in row])
