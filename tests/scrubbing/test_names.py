"""Other names: as long, the same for the same ones, and nothing of the old ones in them."""

import re
from ipaddress import IPv4Address

import pytest

from kafkasniff.scrubbing.names import Names, is_default_id

NAMES = Names(b"a key")
OTHERS = Names(b"another key")


@pytest.mark.parametrize("length", [1, 7, 49, 50, 51, 100, 249])
def test_a_name_becomes_letters_and_digits_of_its_length(length: int) -> None:
    name = ("Örders. -_" * length).encode()[:length]
    other = NAMES.text(name)
    assert re.fullmatch(rb"[a-z2-7]{%d}" % length, other)
    assert other == NAMES.text(name) == Names(b"a key").text(name)
    assert length < 7 or other != OTHERS.text(name)


def test_different_names_stay_different() -> None:
    names = [b"topic-%d" % number for number in range(2_000)]
    assert len({NAMES.text(name) for name in names}) == len(names)
    assert NAMES.text(b"") == b""


@pytest.mark.parametrize(
    ("client_id", "default"),
    [
        *((b"rdkafka", True), (b"sarama", True), (b"kgo", True), (b"kafkajs", True), (b"rskafka", True)),
        *((b"consumer-1", True), (b"producer-123456789", True), (b"admin-7", True), (b"adminclient-1", True)),
        *((b"console-producer", True), (b"kafka-python-2.0.2", True), (b"aiokafka-0.12.0", True), (b"aiokafka", True)),
        *((b"kafka-python-producer-1", True), (b"broker-1-fetcher-0", True)),
        *((b"consumer-billing-1", False), (b"producer-1234567890", False), (b"rdkafka2", False), (b"a-kgo", False)),
        *((b"broker-1-fetcher-", False), (b"kafka-python-billing", False), (b"", False)),
    ],
)
def test_what_libraries_call_themselves_names_nobody(client_id: bytes, default: bool) -> None:
    """The defaults of client.id: librdkafka, Sarama, franz-go, KafkaJS, Java, kafka-python, aiokafka, brokers."""
    assert is_default_id(client_id) == default
    assert (NAMES.text(client_id) == client_id) == (default or not client_id)


def test_the_group_within_the_id_of_a_java_consumer_stays_that_group() -> None:
    """ConsumerConfig.maybeOverrideClientId: consumer-GROUP-NUMBER."""
    assert NAMES.text(b"consumer-billing-12") == b"consumer-" + NAMES.text(b"billing") + b"-12"
    assert NAMES.text(b"consumer-a-b\n-3") == b"consumer-" + NAMES.text(b"a-b\n") + b"-3"


ADDRESSES = ["10.0.0.1", "10.0.0.254", "10.0.7.1", "192.168.1.77", "8.8.8.8", "127.0.0.1", "255.255.255.255", "0.0.0.0"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_has_another_one_whose_text_is_as_long(address: str) -> None:
    other = IPv4Address(NAMES.address(IPv4Address(address).packed))
    assert [len(part) for part in str(other).split(".")] == [len(part) for part in address.split(".")]
    # It may be a host's: no loopback, no multicast, no broadcast.
    assert other.packed[0] in {*range(1, 10), *range(11, 127), *range(128, 224)}
    assert NAMES.text(address.encode()) == str(other).encode()


def test_addresses_of_one_network_stay_in_one() -> None:
    def other(*parts: int) -> bytes:
        return bytes(NAMES.address(bytes(parts)))

    same = [other(10, 1, 2, last) for last in range(256)]
    assert len({each[:3] for each in same}) == 1
    assert len({each[3] for each in same}) == 256
    # What comes behind parts that differ is another thing altogether.
    assert len({other(10, 1, third, 5)[2] for third in range(10)}) == 10
    assert OTHERS.address(bytes((10, 1, 2, 3))) != other(10, 1, 2, 3)


@pytest.mark.parametrize("text", [b"10.0.0.256", b"10.0.0.01", b"10.0.0", b"10.0.0.1.5", b"10.0.0.1a"])
def test_what_is_no_address_is_a_name(text: bytes) -> None:
    assert re.fullmatch(rb"[a-z2-7]{%d}" % len(text), NAMES.text(text))


def test_addresses_of_ipv6_and_hardware_are_local() -> None:
    """RFC 4193: fd00::/8; IEEE 802: the second bit of the first byte."""
    for length, make, first in ((16, NAMES.address, 0xFD), (6, NAMES.hardware, 0x02)):
        made = {bytes(make(bytes(range(start, start + length)))) for start in range(50)}
        assert len(made) == 50
        assert {(len(each), each[0]) for each in made} == {(length, first)}
    assert NAMES.hardware(b"\xff" * 6) == b"\xff" * 6
    assert NAMES.hardware(bytes(6)) == bytes(6)


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 64, 65])
def test_other_bytes_are_as_many(length: int) -> None:
    raw = bytes(range(length))
    other = NAMES.opaque(raw)
    assert (len(other), other) == (length, NAMES.opaque(raw))
    assert length < 4 or other not in (raw, OTHERS.opaque(raw))
