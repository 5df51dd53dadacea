"""The versions that brokers of a release take."""

from kafkasniff.protocol.api_releases import API_RELEASES, RELEASES
from kafkasniff.questions.database import Database


def release_of(name: str) -> str | None:
    """Give the release that is known of what a user names: `4`, `4.0` and `4.0.1` are 4.0.1; None where none is."""
    return next((release for release in RELEASES if f"{release}.".startswith(f"{name}.")), None)


def fill_target(database: Database, release: str) -> None:
    """Make the table `target`: the lowest and the highest version of each API that brokers of a release take."""
    database.run("CREATE TABLE target (target_key SMALLINT, lowest SMALLINT, highest SMALLINT)")
    for key, releases in API_RELEASES.items():
        versions = releases.get(release)
        if versions is not None:
            database.run("INSERT INTO target VALUES (?, ?, ?)", [key, versions.lowest, versions.highest])
