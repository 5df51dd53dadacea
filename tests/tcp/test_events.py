"""Endpoints as text."""

from kafkasniff.tcp.events import Endpoint


def test_ipv6_stands_in_brackets() -> None:
    assert str(Endpoint("10.0.0.1", 9092)) == "10.0.0.1:9092"
    assert str(Endpoint("2001:db8::1", 9092)) == "[2001:db8::1]:9092"
