from kafkasniff.calls.call import Call
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.tables.declared import CALLS
from kafkasniff.tables.rows import item_rows
from tests.render.made_calls import heartbeat_call


class Broken:
    """A name of which nothing can be made."""

    def __getattr__(self, name: str) -> object:
        raise OverflowError(name)


def row_of(call: Call) -> dict[str, object]:
    [(table, _, row)] = item_rows("vantage", call, False)
    assert table == "calls"
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
