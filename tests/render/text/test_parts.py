from kafkasniff.protocol.errors import Problem
from kafkasniff.render.text.parts import api_text, client_id_text, error_names, outcome_text, problem_text
from tests.render.made_calls import heartbeat_call


def test_apis_have_kafkas_names() -> None:
    assert api_text((10, 4)) == "FindCoordinator v4"
    assert api_text((999, 0)) == "API 999 v0"
    assert api_text(None) == "?"


def test_client_ids_keep_their_ends() -> None:
    assert client_id_text(None, 20) == client_id_text("", 20) == "-"
    shortened = client_id_text("payments-service-7f9c8d-worker-12", 20)
    assert len(shortened) == 20
    assert shortened.startswith("paym")
    assert shortened.endswith("-12")


def test_the_most_common_errors_come_first() -> None:
    assert error_names(["A", "B", "B"]) == "B ×2, A"
    assert error_names(["A", "B", "C", "D", "E", "E"]) == "E ×2, A, B, and 2 more"


def test_what_became_of_a_call() -> None:
    assert outcome_text(heartbeat_call(outcome="unanswered")) == "UNANSWERED"
    call = heartbeat_call(outcome="response-not-captured")
    call.pending_ns = 1_500_000_000
    assert outcome_text(call) == "response not captured, pending for 1.50 s"


def test_the_first_problem_stands_for_all() -> None:
    first = Problem("response", 17, "topics[0].name", "expected text\x07")
    assert problem_text([first]) == r"response topics[0].name at byte 17: expected text\x07"
    assert problem_text([Problem("request", None, "", "cut"), first, first]) == "request: cut (and 2 more)"
