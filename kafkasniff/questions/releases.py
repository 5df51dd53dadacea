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
version from which on they are known to fit brokers of 4.0 and later: those by which KIP-896 chose what stays.
Older ones may fit too. Of other libraries it tells nothing."""
_LIBRARIES_SINCE = (4, 0)


def release_numbers(release: str) -> tuple[int, ...]:
    """Give a release as numbers, by which releases are compared."""
    return tuple(map(int, release.split(".")))


def release_of(name: str) -> str | None:
    """Give the release that is known of what a user names: `4`, `4.0` and `4.0.1` are 4.0.1; None where none is."""
    return next((release for release in RELEASES if f"{release}.".startswith(f"{name}.")), None)


def fill_target(database: Database, release: str) -> None:
    """Make the tables `target` and `libraries`.

    `target` has the lowest and the highest version of each API that brokers of a release take.
    """
    database.run("CREATE TABLE libraries (software_name VARCHAR, client_ids VARCHAR, fits_from VARCHAR)")
    for library in LIBRARIES if release_numbers(release) >= _LIBRARIES_SINCE else ():
        database.run("INSERT INTO libraries VALUES (?, ?, ?)", library)
    database.run("CREATE TABLE target (target_key SMALLINT, lowest SMALLINT, highest SMALLINT)")
    for key, releases in API_RELEASES.items():
        versions = releases.get(release)
        if versions is not None:
            database.run("INSERT INTO target VALUES (?, ?, ?)", [key, versions.lowest, versions.highest])
