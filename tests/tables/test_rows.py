from kafkasniff.calls.call import Call
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import CALLS
from kafkasniff.tables.rows import item_rows
from tests.render.made_calls import heartbeat_call, made_call


class Broken:
    """A name of which nothing can be made."""

    def __getattr__(self, name: str) -> object:
        raise OverflowError(name)


def row_of(call: Call) -> dict[str, object]:
    [row] = [row for table, _, row in item_rows("vantage", call, False) if table == "calls"]
    return dict(zip(schema_of(CALLS).names, row, strict=True))


def test_a_call_that_cannot_be_shown_has_a_row_with_a_problem() -> None:
    whole, broken = heartbeat_call(), heartbeat_call()
    broken._response_body = Broken()  # type: ignore[assignment]
    broken._response_scan = Broken()  # type: ignore[assignment]
    expected, found = row_of(whole), row_of(broken)
    assert found["problems"] == ["cannot be shown (OverflowError): a fault of kafkasniff, not of the capture"]
    lost = ("problems", "groups", "response_api_version")
    assert {name: value for name, value in found.items() if name not in lost} == {
        name: value for name, value in expected.items() if name not in lost
    }


def test_a_setting_of_an_answer_with_a_problem_is_not_told() -> None:
    """librdkafka 2.16.0's mock cluster answers ApiVersions v3 with bytes that read as throttleTimeMs 1179648."""
    asked = bytes.fromhex(
        "001200030000000100066d6f636b65640017636f6e666c75656e742d6b61666b612d707974686f6e"
        "16322e31362e312d72646b61666b612d322e31362e3000"
    )
    mock, broker = bytes.fromhex("00000001002301001200000002 00000000"), bytes.fromhex("00000001000001 00120000 00")
    assert row_of(made_call(asked, mock))["throttle_time_ms"] is None
    assert row_of(made_call(asked, broker))["throttle_time_ms"] == 1179648
