"""Opens the records of one direction in their order, through changes of keys and behind losses."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kafkasniff.tcp.tls.cipher_suites import CipherSuite
from kafkasniff.tcp.tls.key_schedule import next_traffic_secret, tls12_keys, tls13_keys
from kafkasniff.tcp.tls.protection import (
    CbcProtection,
    Content,
    Protection,
    Tls12AeadProtection,
    Tls13Protection,
)
from kafkasniff.tcp.tls.records import APPLICATION_DATA, Record

_LARGEST_SEARCH = 4_096
"""Sequence numbers tried for one record, at most."""
_FAILURES_AT_FIRST = 1_000
_FAILURES = 20_000
"""Attempts that may fail in a row before the direction is given up: a bound on the time that damage can take."""
_GENERATIONS_AHEAD = 2


class Decrypted(NamedTuple):
    """An authenticated record."""

    content: Content
    lost_records: int | None
    """Records of application data missing before it; None: at least one, and how many is not known."""
    lost_length: int | None
    """Bytes of data that they held; None where that cannot be known."""


class Generations:
    """The keys of one direction, one set behind the other."""

    __slots__ = ("_derive", "_known")

    def __init__(self, known: list[Protection | None], derive: Callable[[], Protection] | None = None) -> None:
        """Begin with the `known` keys (None: lacking in the key log); `derive` gives those behind each KeyUpdate."""
        self._known = known
        self._derive = derive

    def at(self, index: int) -> Protection | None:
        """Give the keys of a generation, None where there are none."""
        while index >= len(self._known) and self._derive is not None:
            self._known.append(self._derive())
        return self._known[index] if index < len(self._known) else None


class _KeyUpdates:
    """Derives the keys behind each KeyUpdate (RFC 8446, 7.2)."""

    __slots__ = ("_secret", "_suite")

    def __init__(self, suite: CipherSuite, secret: bytes) -> None:
        self._suite = suite
        self._secret = secret

    def __call__(self) -> Protection:
        """Give the next."""
        self._secret = next_traffic_secret(self._suite, self._secret)
        return Tls13Protection(self._suite, tls13_keys(self._suite, self._secret))


class RecordOpener:
    """Knows which keys and which sequence number come next, and searches for them where records are missing."""

    __slots__ = (
        "_before_data",
        "_data_from",
        "_failures_left",
        "_generation",
        "_generations",
        "_padded",
        "_seen_data",
        "_sequence",
    )

    def __init__(self, generations: Generations, before_data: int, data_from: int) -> None:
        """Open from the first protected record on.

        Application data come with generation `data_from`, there behind the first `before_data` records.
        """
        self._generations = generations
        self._before_data = before_data
        self._data_from = data_from
        self._generation = 0
        self._sequence = 0
        self._failures_left = _FAILURES_AT_FIRST
        self._seen_data = False
        self._padded = False

    @property
    def exhausted(self) -> bool:
        """Tell whether so much failed that trying goes no further."""
        return self._failures_left <= 0

    def open(self, record: Record, lost: int | None) -> Decrypted | None:
        """Open a record that stands behind `lost` bytes which no record could be made of; None when it fails.

        Fails for what is no record of this direction, is damaged, or is farther on than is searched.
        """
        for generation, sequence in self._places(lost):
            protection = self._generations.at(generation)
            if protection is None:
                continue
            if self.exhausted:
                return None
            content = protection.open(record.header, record.fragment, sequence)
            if content is None:
                self._failures_left -= 1
                continue
            return self._accept(content, protection, generation, sequence, lost)
        return None

    def _places(self, lost: int | None) -> Iterator[tuple[int, int]]:
        """Give generations and sequence numbers in which a record may stand, the likeliest first."""
        generation, sequence = self._generation, self._sequence
        yield generation, sequence
        if lost == 0:
            yield generation + 1, 0
            # A record can vanish without bytes that are lost when its type was damaged.
            yield generation, sequence + 1
            return
        protection = self._generations.at(generation) or self._generations.at(generation + 1)
        assert protection is not None
        most = _LARGEST_SEARCH if lost is None else min(lost // protection.smallest + 1, _LARGEST_SEARCH)
        for skipped in range(1, most + 1):
            yield generation, sequence + skipped
        for ahead in range(1, _GENERATIONS_AHEAD + 1):
            for first in range(most + 1):
                yield generation + ahead, first

    def _accept(
        self, content: Content, protection: Protection, generation: int, sequence: int, lost: int | None
    ) -> Decrypted:
        records: int | None = None
        length = None
        if generation == self._generation:
            records = sequence - self._sequence
            if generation < self._data_from:
                records = 0
            elif self._sequence < self._before_data:
                records = max(sequence - self._before_data, 0)
            elif self._seen_data and lost and protection.overhead is not None and not self._padded:
                # What is missing is whole records of data: their number tells what of the bytes was data.
                length = lost - records * protection.overhead
        elif self._generation < self._data_from == generation:
            records = sequence
        elif lost == 0:
            # A KeyUpdate came before it (RFC 8446, 4.6.3).
            records = 0
        self._generation, self._sequence = generation, sequence + 1
        self._failures_left = _FAILURES
        self._seen_data = self._seen_data or content.content_type == APPLICATION_DATA
        self._padded = self._padded or content.padding > 0
        return Decrypted(content, records, length if length is not None and length > 0 else None)


def tls13_opener(suite: CipherSuite, handshake: bytes | None, application: bytes) -> RecordOpener:
    """Give the opener of a direction by its traffic secrets: for the handshake, where known, and for the data."""
    first = None if handshake is None else Tls13Protection(suite, tls13_keys(suite, handshake))
    known: list[Protection | None] = [first, Tls13Protection(suite, tls13_keys(suite, application))]
    return RecordOpener(Generations(known, _KeyUpdates(suite, application)), before_data=0, data_from=1)


def tls12_openers(
    suite: CipherSuite, master: bytes, client_random: bytes, server_random: bytes, encrypt_then_mac: bool
) -> tuple[RecordOpener, RecordOpener]:
    """Give the openers of the client's and of the server's records by their master secret."""
    protections = [
        CbcProtection(suite, keys, encrypt_then_mac) if suite.bulk == "cbc" else Tls12AeadProtection(suite, keys)
        for keys in tls12_keys(suite, master, client_random, server_random)
    ]
    # The first record is the Finished message.
    client, server = (RecordOpener(Generations([one]), before_data=1, data_from=0) for one in protections)
    return client, server
