from kafkasniff.diagnose.facts.whole_bodies import is_follower, request_of, response_of
from tests.diagnose.made import call


def test_followers() -> None:
    assert is_follower({"replicaId": 2})
    assert is_follower({"replicaState": {"replicaId": 0}})
    assert not is_follower({"replicaId": -1})
    assert not is_follower({})


def test_a_call_without_answer_has_no_response() -> None:
    alone = call(12, 0, {"groupId": "billing"})
    assert (request_of(alone), response_of(alone)) == ({"groupId": "billing"}, {})
