from kafkasniff.calls.call import Call
from tests.diagnose.made import connection, finding, findings
from tests.diagnose.producers.test_produce import produce


def test_duplicate_sequence() -> None:
    def twice(count: int, code: int = 0, later: float = 0.5, producer_id: int = 7) -> list[Call]:
        calls = []
        for at in range(count):
            calls.append(produce(at, producer_id=producer_id, sequence=at, code=code, took=0.1))
            calls.append(produce(at + later, producer_id=producer_id, sequence=at, took=0.1))
        return calls

    assert findings("duplicate-sequence", twice(4)) == []
    found = finding("duplicate-sequence", twice(5))
    assert (found.count, found.subject["producerId"], found.subject["topic"]) == (5, 7, "orders")
    assert findings("duplicate-sequence", twice(9, code=19)) == []  # a retry after an error
    assert findings("duplicate-sequence", twice(9, later=0.05)) == []  # sent before the answer came
    assert findings("duplicate-sequence", twice(9, producer_id=-1)) == []


def test_answers_that_were_lost_with_their_connection_are_asked_for_again() -> None:
    before, after = connection(50_001), connection(50_002)
    first = [produce(at, producer_id=7, sequence=at, on=before) for at in range(5)]
    again = [produce(9 + at, producer_id=7, sequence=at, on=after) for at in range(5)]
    assert finding("duplicate-sequence", [*first, *again]).count == 5
    before.ended_by = "rst"
    assert findings("duplicate-sequence", [*first, *again]) == []
