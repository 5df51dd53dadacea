"""Other names of equal length, by a key."""

import hmac
import re
from functools import lru_cache

_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567"
_DEFAULT_IDS = re.compile(
    rb"rdkafka|sarama|kgo|kafkajs|rskafka|pykafka|ruby-kafka|kafka-node-client|console-(producer|consumer)|"
    rb"(producer|adminclient|admin|consumer)-\d{1,9}|(kafka-python|aiokafka)(-producer|-consumer|-admin)?(-[\d.]{1,9})?|"
    rb"broker-\d{1,9}-fetcher-\d{1,9}"
)
"""What libraries and brokers call themselves; it names nobody."""
_CONSUMER = re.compile(rb"consumer-(.+)-(\d{1,9})", re.DOTALL)
"""What the Java client calls consumers, by their group (ConsumerConfig.maybeOverrideClientId)."""

_IPV4 = re.compile(rb"(?:\d{1,3}\.){3}\d{1,3}")

_MOST_REMEMBERED = 100_000
_CLASSES = ([*range(10)], [*range(10, 100)], [*range(100, 256)])
"""Numbers of one, two and three digits."""
_FIRST = ([*range(1, 10)], [*range(11, 100)], [*range(128, 224)])
"""Those with which an address may begin; neither 10, 127 nor what is no host's."""


def is_default_id(raw: bytes) -> bool:
    """Tell whether a text is what a library calls itself, and names nobody."""
    return _DEFAULT_IDS.fullmatch(raw) is not None


class Names:
    """Gives for each name, address and hardware address another one: always the same, and as long."""

    def __init__(self, key: bytes) -> None:
        """Derive all from `key`."""
        self._key = key
        self.text = lru_cache(_MOST_REMEMBERED)(self._text)
        """Gives another text in letters and digits, or for the text of an IPv4 address that of its other one."""
        self.address = lru_cache(_MOST_REMEMBERED)(self._address)
        """Gives another address: of IPv4 one whose text is as long, and that shares as much with its neighbours."""
        self.hardware = lru_cache(_MOST_REMEMBERED)(self._hardware)
        """Gives another hardware address, locally administered; that of a broadcast stays."""

    def _number(self, kind: bytes, content: bytes) -> int:
        return int.from_bytes(hmac.digest(self._key, kind + b"\0" + content, "sha256"), "big")

    def _text(self, raw: bytes) -> bytes:
        parts = raw.split(b".") if _IPV4.fullmatch(raw) else []
        if parts and all(int(part) < 256 and str(int(part)).encode() == part for part in parts):
            return ".".join(map(str, self.address(bytes(map(int, parts))))).encode()
        if is_default_id(raw):
            return raw
        named = _CONSUMER.fullmatch(raw)
        return self._letters(raw) if named is None else b"consumer-" + self.text(named[1]) + b"-" + named[2]

    def _letters(self, raw: bytes) -> bytes:
        made = bytearray()
        block = 0
        while len(made) < len(raw):
            number = self._number(b"text%d" % block, raw)
            made += bytes(_LETTERS[number >> shift & 31] for shift in range(0, 250, 5))
            block += 1
        return bytes(made[: len(raw)])

    def _address(self, address: bytes) -> bytes:
        if len(address) != 4:
            return b"\xfd" + self._number(b"ipv6", address).to_bytes(32, "big")[: len(address) - 1]
        made = bytearray()
        for place, part in enumerate(address):
            numbers = next(each for each in _CLASSES if part in each)
            others = _FIRST[_CLASSES.index(numbers)] if place == 0 else numbers
            turn = self._number(b"ipv4", address[:place])
            made.append(others[(numbers.index(part) + turn) % len(others)])
        return bytes(made)

    def opaque(self, raw: bytes) -> bytes:
        """Give other bytes, the same for the same ones."""
        parts = (self._number(b"opaque%d" % block, raw).to_bytes(32, "big") for block in range(-(-len(raw) // 32)))
        return b"".join(parts)[: len(raw)]

    def _hardware(self, address: bytes) -> bytes:
        if address in (b"\xff" * len(address), bytes(len(address))):
            return address
        return b"\x02" + self._number(b"hardware", address).to_bytes(32, "big")[: len(address) - 1]
