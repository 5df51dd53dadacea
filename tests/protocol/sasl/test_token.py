"""What tokens of all mechanisms have in common."""

from kafkasniff.protocol.sasl.token import SaslToken, secret, unknown_token, user


def test_a_token_that_is_nothing_of_its_mechanism_says_its_size() -> None:
    assert unknown_token("PLAIN", b"\xff" * 7) == SaslToken("PLAIN", "unknown", None, {"sizeInBytes": 7})
    assert "\xff" not in str(unknown_token("PLAIN", b"\xff" * 7))


def test_a_user_is_named_as_brokers_do() -> None:
    """KafkaPrincipal.USER_TYPE, a colon and the name."""
    assert (user("alice"), user("CN=alice,O=Example"), user("")) == ("User:alice", "User:CN=alice,O=Example", "User:")


def test_a_secret_is_shown_on_demand_only() -> None:
    assert secret("alice-secret", False) == "***"
    assert secret("alice-secret", True) == "alice-secret"
