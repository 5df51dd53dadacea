import pytest

from kafkasniff.tcp.events import Endpoint
from kafkasniff.tcp.reassembly.flow_keys import address_text, canonical, endpoints, reverse

KEY = bytes.fromhex("0a000001 0a000002 9c40 2384")
KEY6 = bytes.fromhex("20010db8000000000000000000000001 20010db8000000000000000000000002 9c40 2384")


def test_keys_reverse() -> None:
    assert reverse(KEY) == bytes.fromhex("0a000002 0a000001 2384 9c40")
    assert reverse((("vxlan:1",), KEY)) == (("vxlan:1",), reverse(KEY))
    assert reverse(reverse(KEY6)) == KEY6


def test_both_keys_of_a_4_tuple_have_one_canonical_key() -> None:
    assert canonical(KEY) == canonical(reverse(KEY)) == min(KEY, reverse(KEY))
    same_address = bytes.fromhex("7f000001 7f000001 9c40 2384")
    assert canonical(same_address) == canonical(reverse(same_address)) == reverse(same_address)
    assert canonical((("vxlan:1",), reverse(KEY6))) == (("vxlan:1",), KEY6)


def test_endpoints_of_keys() -> None:
    assert endpoints(KEY) == (Endpoint("10.0.0.1", 40_000), Endpoint("10.0.0.2", 9092))
    assert endpoints((("gre:1",), KEY6)) == (Endpoint("2001:db8::1", 40_000), Endpoint("2001:db8::2", 9092))


def test_addresses_are_told_by_their_bytes() -> None:
    assert address_text(bytes([192, 0, 2, 255])) == "192.0.2.255"
    # RFC 5952, 4: lower case, the longest row of zeros left out.
    assert address_text(bytes.fromhex("20010db8000000000001000000000001")) == "2001:db8::1:0:0:1"


def test_keys_without_two_ports_are_refused() -> None:
    for key in (b"", b"\0\0\0"):
        with pytest.raises(IndexError):
            reverse(key)
        with pytest.raises(IndexError):
            canonical(key)
