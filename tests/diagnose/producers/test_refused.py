from kafkasniff.calls.call import Call
from tests.diagnose.kinds import produce
from tests.diagnose.made import finding, findings


def test_wrong_checksums_without_answers() -> None:
    def bad(count: int) -> list[Call]:
        return [produce(at, acks=0, outcome="no-response-expected") for at in range(count)]

    assert findings("crc-mismatch", bad(2)) == []
    assert finding("crc-mismatch", bad(3)).subject["topic"] == "orders"
