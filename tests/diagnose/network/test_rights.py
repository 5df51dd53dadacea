from tests.diagnose.made import call, finding


def test_one_refusal_is_enough_as_java_stops_at_it() -> None:
    coordinator = {"key": "payments", "keyType": 1}
    denied = call(10, 2, coordinator, {"throttleTimeMs": 0, "errorCode": 53, "errorMessage": None})
    once = finding("authorization-denied", [denied])
    assert (once.severity, once.summary) == ("info", "shop got TRANSACTIONAL_ID_AUTHORIZATION_FAILED once.")
    assert finding("authorization-denied", [denied] * 2).severity == "info"
    assert finding("authorization-denied", [denied] * 3).severity == "error"
    group = call(10, 2, {"key": "billing", "keyType": 0}, {"throttleTimeMs": 0, "errorCode": 30, "errorMessage": None})
    assert "was refused once as it may not use group billing" in finding("group-authorization-denied", [group]).summary
