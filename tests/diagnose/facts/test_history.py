from kafkasniff.diagnose.facts.history import ConnectionHistory, is_sample
from tests.diagnose.made import NOON, SECOND, call


def test_one_call_a_second_of_each_api_is_a_sample() -> None:
    sampled: dict[int, int] = {}
    asked = [(0, 0), (0, SECOND - 1), (1, SECOND - 1), (0, SECOND), (1, SECOND)]
    assert [is_sample(sampled, key, NOON + later) for key, later in asked] == [True, False, True, True, False]


def test_the_first_call_of_an_api() -> None:
    history = ConnectionHistory(call(12, 0, {}))
    keys = (0, 63, 64, 127, 0, 127, 128)
    assert [history.first_of(key) for key in keys] == [True, True, True, True, False, False, False]
    assert [history.used(key) for key in (63, 1, 64, 65)] == [True, False, True, False]
