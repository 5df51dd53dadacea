from kafkasniff.protocol import api_keys
from kafkasniff.protocol.api_table import APIS


def test_names_are_those_of_kafka() -> None:
    keys = {name: value for name, value in vars(api_keys).items() if not name.startswith("_")}
    assert keys
    assert {APIS[key].name: key for key in keys.values()} == keys
