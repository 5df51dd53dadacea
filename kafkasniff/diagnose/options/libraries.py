"""All libraries whose options are known, and how a client's is told."""

from collections.abc import Collection
from typing import NamedTuple

from kafkasniff.diagnose.options.aiokafka import AIOKAFKA
from kafkasniff.diagnose.options.franz_go import FRANZ_GO
from kafkasniff.diagnose.options.java import JAVA
from kafkasniff.diagnose.options.kafka_go import KAFKA_GO
from kafkasniff.diagnose.options.kafka_python import KAFKA_PYTHON
from kafkasniff.diagnose.options.kafkajs import KAFKAJS
from kafkasniff.diagnose.options.library import Library
from kafkasniff.diagnose.options.librdkafka import LIBRDKAFKA, LIBRDKAFKA_LIBRARIES
from kafkasniff.diagnose.options.rskafka import RSKAFKA
from kafkasniff.diagnose.options.sarama import SARAMA

LIBRARIES = (JAVA, *LIBRDKAFKA_LIBRARIES, FRANZ_GO, SARAMA, KAFKA_GO, KAFKAJS, AIOKAFKA, KAFKA_PYTHON, RSKAFKA)

_BY_SOFTWARE = {name: library for library in LIBRARIES for name in library.software}

_DEFAULT_IDS = {"rdkafka": LIBRDKAFKA, "sarama": SARAMA, "kgo": FRANZ_GO, "kafkajs": KAFKAJS, "rskafka": RSKAFKA}
"""Client ids that libraries use where the program sets none, and no program is likely to."""


class Fingerprint(NamedTuple):
    """Versions by which a library that does not say its name is known, as pairs of API key and version."""

    library: Library
    all: frozenset[tuple[int, int]]
    any: frozenset[tuple[int, int]] = frozenset()
    """One of these as well, where there are any."""
    none: frozenset[tuple[int, int]] = frozenset()
    """Another library sends these beside the others."""


_FINGERPRINTS = (
    # Seen in recordings of kafkajs 2.2.4, which negotiates and has no newer ones; Java 2.0 stops at Produce v6.
    Fingerprint(KAFKAJS, frozenset({(18, 2), (3, 6)}), frozenset({(0, 7), (1, 11), (11, 5)})),
    # Before a login Java's is always v0 (SaslClientAuthenticator).
    Fingerprint(KAFKAJS, frozenset({(18, 2), (17, 1)}), none=frozenset({(18, 0)})),
    # aiokafka 0.14.0: ApiVersions v0 and Metadata v5; Java 1.x, whose Metadata is v5 as well, sends ApiVersions v1.
    Fingerprint(AIOKAFKA, frozenset({(18, 0), (3, 5)}), none=frozenset({(18, 1)})),
    # aiokafka 0.12.0: Metadata v0 of producers, and JoinGroup v5, where kafka-python stops at v2.
    Fingerprint(AIOKAFKA, frozenset({(18, 0), (3, 0), (0, 7)}), none=frozenset({(3, 1)})),
    Fingerprint(AIOKAFKA, frozenset({(18, 0), (3, 0), (11, 5)})),
    # kafka-python up to 2.0.2: ApiVersions v0, then Metadata v0 and v1 (`BrokerConnection.check_version`).
    Fingerprint(KAFKA_PYTHON, frozenset({(18, 0), (3, 0), (3, 1)})),
    # kafka-go 0.4.51: versions that no other client uses behind ApiVersions v0; Java 2.1 to 2.3 sends v2 after a login.
    Fingerprint(KAFKA_GO, frozenset({(18, 0)}), frozenset({(0, 8), (1, 10)}), frozenset({(18, 2)})),
    # Java tells its name after the login only; those who send SaslAuthenticate v2 as well tell theirs before it.
    Fingerprint(JAVA, frozenset({(18, 0), (36, 2)})),
    # Java before 2.4, which had no names to tell: 1.x, and 2.1 to 2.3.
    Fingerprint(JAVA, frozenset({(18, 1), (3, 5)})),
    Fingerprint(JAVA, frozenset({(18, 2)}), frozenset({(3, 7), (3, 8)})),
)

TELLING_VERSIONS = frozenset[tuple[int, int]]().union(*(each.all | each.any | each.none for each in _FINGERPRINTS))
"""API keys and versions that fingerprints are made of."""


def library_by_software(name: str, version: str) -> Library | None:
    """Give the library that ApiVersions names; what wraps librdkafka says so in its version, as its page asks for."""
    return _BY_SOFTWARE.get(name) or (LIBRDKAFKA if "rdkafka" in version else None)


def library_by_fingerprint(client_id: str | None, versions: Collection[tuple[int, int]]) -> Library | None:
    """Give the library that sends requests in these versions, or whose default this client id is."""
    if client_id in _DEFAULT_IDS:
        return _DEFAULT_IDS[client_id]
    if client_id is not None and client_id.endswith(" (github.com/segmentio/kafka-go)"):
        return KAFKA_GO
    for library, every, some, none in _FINGERPRINTS:
        if every <= set(versions) and (not some or not some.isdisjoint(versions)) and none.isdisjoint(versions):
            return library
    return None
