import pytest

from kafkasniff.diagnose.network.churn import family_of
from tests.diagnose.kinds import lived
from tests.diagnose.made import finding, findings


def test_connection_churn() -> None:
    assert findings("connection-churn", lived(19, 1)) == []
    assert finding("connection-churn", lived(20, 1)).subject["clientId"] == "shop"
    assert findings("connection-churn", lived(40, 2.5)) == []
    assert finding("connection-churn", lived(40, 2.4)).count == 40
    assert findings("connection-churn", lived(40, 0.1, every=10.1 / 19)) == []
    assert finding("connection-churn", lived(40, 0.1, every=9.9 / 19)).count == 40
    assert findings("connection-churn", lived(40, 1, every=1)) == []
    assert findings("connection-churn", lived(40, 1, ended_by="capture-end")) == []


def test_programs_that_connect_to_each_of_several_brokers() -> None:
    """Seven short programs that make a connection or two to each of three brokers: no server sees many."""
    assert findings("connection-churn", lived(57, 1, every=0.17, servers=3)) == []
    assert len(findings("connection-churn", lived(60, 1, every=0.16, servers=3))) == 1


@pytest.mark.parametrize(
    ("client_id", "family"),
    [
        ("fn-checkout-4aebfa1c", "fn-checkout"),
        ("svc-3f2b8a10-0c9d-4e7f-8b1a-2c3d4e5f6a7b", "svc"),
        ("etl-3f2b8a10-0c9d-4e7f-8b1a-2c3d4e5f6a7b-StreamThread-1-consumer", "etl-StreamThread-1-consumer"),
        ("producer-17", "producer"),
        ("orders.v2", "orders.v2"),
        ("fn-checkout-facade", "fn-checkout-facade"),  # a word, though its letters are hexadecimal
        ("rdkafka", "rdkafka"),
    ],
)
def test_what_client_ids_have_in_common(client_id: str, family: str) -> None:
    assert family_of(client_id) == family


def test_each_start_has_a_client_id_of_its_own() -> None:
    found = finding("connection-churn", lived(20, 1, client_id="fn-checkout-{:04}a"))
    assert found.summary.startswith("fn-checkout (client ids fn-checkout-0000a, ")
    assert found.subject["client"] == "10.0.0.1"
    assert findings("connection-churn", lived(19, 1, client_id="fn-checkout-{:04}a")) == []


def test_client_ids_that_have_nothing_in_common() -> None:
    found = finding("connection-churn", lived(40, 0.2, every=0.2, client_id="{0:x}f{0}"))
    assert found.summary.startswith("10.0.0.1 (client ids ")
    assert findings("connection-churn", lived(39, 0.2, every=0.2, client_id="{0:x}f{0}")) == []


def test_client_ids_that_tls_hides() -> None:
    found = finding("connection-churn", lived(20, 1, client_id=None, protocol="tls"))
    assert (found.subject["client"], found.count) == ("10.0.0.1", 20)
    assert findings("connection-churn", lived(19, 1, client_id=None, protocol="tls")) == []
    assert findings("connection-churn", lived(40, 1, client_id=None, protocol="http")) == []
