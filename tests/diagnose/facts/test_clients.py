from kafkasniff.diagnose.facts.clients import Client, at_host, client_of
from tests.diagnose.made import call


def test_a_client_without_id_is_its_connection() -> None:
    client = client_of(call(12, 0, {}, client_id=None))
    assert client == Client(None, "10.0.0.1:50000")
    assert at_host(client) == Client(None, "10.0.0.1")


def test_a_client_with_id_is_the_same_on_all_its_connections() -> None:
    client = client_of(call(12, 0, {}, client_id="shop"))
    assert client == at_host(client) == Client("shop", "10.0.0.1")
    assert client.name == "shop"
