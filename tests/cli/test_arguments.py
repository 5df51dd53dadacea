import pytest

from kafkasniff.cli.arguments import with_optional_values


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], []),
        (["read", "a.pcap"], ["read", "a.pcap"]),
        (["read", "a.pcap", "--errors"], ["read", "a.pcap", "--errors=any"]),
        (["read", "--errors", "a.pcap"], ["read", "--errors=any", "a.pcap"]),
        (["read", "--errors", "6", "a.pcap"], ["read", "--errors=6", "a.pcap"]),
        (["read", "--errors", "-1", "a.pcap"], ["read", "--errors=-1", "a.pcap"]),
        (["read", "--errors", "not_coordinator"], ["read", "--errors=not_coordinator"]),
        (["read", "--errors", "--json"], ["read", "--errors=any", "--json"]),
        (["read", "--errors=16"], ["read", "--errors=16"]),
        (["read", "--", "--errors"], ["read", "--", "--errors"]),
    ],
)
def test_with_optional_values(arguments: list[str], expected: list[str]) -> None:
    assert with_optional_values(arguments) == expected
