"""Tables of libraries' options, and how the library of a client is told."""

import json
from pathlib import Path

import pytest

from kafkasniff.diagnose.catalogue import RULES
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.options.aiokafka import AIOKAFKA
from kafkasniff.diagnose.options.java import JAVA
from kafkasniff.diagnose.options.kafka_python import KAFKA_PYTHON
from kafkasniff.diagnose.options.libraries import LIBRARIES, library_by_fingerprint, library_by_software
from kafkasniff.diagnose.options.library import Library, filled, places
from kafkasniff.reading import Reading
from tests.conftest import SHARED, needs_shared

INCIDENTS = SHARED / "captures" / "incidents"
HEALTHY = (
    *("aiokafka", "kafkajs", "kafka-go", "franz-go", "sarama", "rskafka", "kafka-python", "librdkafka"),
    *("java-4.3.1-basic", "java-1.1.1-clients", "clients-on-3.9.1"),
)

LABELLED = {
    "Java client": "the Java client",
    "librdkafka": "confluent-kafka (Python)",
    **{name: name for name in ("franz-go", "sarama", "kafkajs", "kafka-go", "aiokafka", "kafka-python", "rskafka")},
}
"""Libraries by what labels of recordings call them."""


def path_of(name: str) -> Path:
    return SHARED / "captures" / "healthy" / f"{name}.pcap"


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.id)
def test_each_table_is_whole(library: Library) -> None:
    assert set(library.options) == set(JAVA.options)
    assert all(option.name and option.source for option in library.options.values())


def test_rules_name_options_that_all_libraries_know() -> None:
    for rule in RULES:
        for text in (rule.cause, rule.fix):
            assert set(places(text)) <= set(JAVA.options), rule.id
    for library in LIBRARIES:
        for rule_id, advice in library.advice.items():
            assert rule_id in {rule.id for rule in RULES}
            assert "{" not in filled(advice.cause + advice.fix, library)


def test_software_that_wraps_librdkafka_under_another_name() -> None:
    told = library_by_software("karafka", "2.4.0-rdkafka-0.15-librdkafka-2.3.0")
    assert told is not None
    assert told.id == "librdkafka"
    assert library_by_software("my-own-client", "1") is None


def test_nothing_is_told_of_versions_that_several_libraries_send() -> None:
    """kafka-python that is told of a broker 0.10 sends what Java 0.10 sends (recorded in clients-on-3.9.1)."""
    assert library_by_fingerprint("orders", {(18, 0), (3, 2), (0, 2)}) is None
    assert library_by_fingerprint("orders", set()) is None
    older = library_by_fingerprint("orders", {(18, 0), (3, 0), (3, 1)})
    assert older is not None
    assert older.id == "kafka-python"  # Recorded with 2.0.2 on 4.3.1.


@needs_shared
@pytest.mark.parametrize(
    "path", [*map(path_of, HEALTHY), *sorted(INCIDENTS.glob("*.pcap"))], ids=lambda path: path.stem
)
def test_clients_of_recordings_are_of_the_libraries_that_their_labels_name(path: Path) -> None:
    """No other library is told of any client, and one is told of each recording in which clients say what they are.

    Brokers send requests by the Java client.
    """
    clients = str(json.loads(path.with_suffix(".json").read_text())["clients"])
    labelled = {library for word, library in LABELLED.items() if word in clients}
    diagnosis = Diagnosis()
    for item in Reading([str(path)], connections=True):
        diagnosis.feed(item)
    profiles = diagnosis.facts.profiles
    found = {library.id for profile in profiles.all() for library in profile.libraries() if library is not None}
    assert found - {"the Java client"} <= labelled
    if "tls" not in path.stem:
        assert found & labelled


def test_libraries_that_are_known_by_how_they_log_in() -> None:
    """As recorded at a SASL/PLAIN listener of 4.3.1 with kafkajs 2.2.4 and Java 4.3.1, whose names come later."""
    handshake = (17, 1)
    kafkajs, java = library_by_fingerprint("c", {(18, 2), handshake}), library_by_fingerprint("c", {(18, 0), (36, 2)})
    assert (kafkajs and kafkajs.id, java) == ("kafkajs", JAVA)
    # Java 2.3 and 1.1 behind a login, whose ApiVersions is v0 (SaslClientAuthenticator): no kafka-go, no aiokafka.
    assert library_by_fingerprint("c", {(18, 0), handshake, (36, 1), (18, 2), (3, 8), (1, 11), (1, 10)}) is JAVA
    assert library_by_fingerprint("c", {(18, 0), handshake, (36, 0), (18, 1), (3, 5)}) is JAVA
    # aiokafka 0.12.0 at 4.3.1, a producer and a member of a group; kafka-python 2.0.2 asks with Metadata v1 as well.
    for versions in ({(18, 0), (3, 0), (0, 7)}, {(18, 0), (3, 0), (3, 1), (11, 5), (1, 4)}):
        assert library_by_fingerprint("c", versions) is AIOKAFKA
    assert library_by_fingerprint("c", {(18, 0), (3, 0), (3, 1), (0, 7), (11, 2)}) is KAFKA_PYTHON
    # kafka-go, aiokafka and Java up to 2.3 alike.
    assert library_by_fingerprint("c", {(18, 0), handshake, (36, 1)}) is None
