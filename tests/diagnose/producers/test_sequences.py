from kafkasniff.calls.call import Call
from kafkasniff.diagnose.catalogue import RULES_BY_ID
from kafkasniff.diagnose.engine import Diagnosis
from tests.diagnose.kinds import produce
from tests.diagnose.made import connection, finding, findings


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


def test_an_old_batch_is_repeated_not_lost() -> None:
    """Brokers answer what lies behind their five latest batches with 45, as if an earlier one were missing."""
    accepted = [produce(at, producer_id=7, sequence=10 * at) for at in range(20)]
    old = [produce(30 + at, producer_id=7, sequence=10 * at, code=45) for at in range(6)]
    assert finding("duplicate-sequence", [*accepted, *old]).count == 6
    diagnosis = Diagnosis([RULES_BY_ID["duplicate-sequence"], RULES_BY_ID["out-of-order-sequence"]])
    for each in [*accepted, *old]:
        diagnosis.feed(each)
    assert [each.rule for each in diagnosis.findings()] == ["duplicate-sequence"]
    ahead = [produce(30 + at, producer_id=7, sequence=500 + at, code=45) for at in range(6)]
    assert findings("duplicate-sequence", [*accepted, *ahead]) == []
    assert finding("out-of-order-sequence", [*accepted, *ahead]).count == 6


ORDERS, PAYS = "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"
"""Topic ids whose names were not captured."""


def test_each_topic_has_its_sequences_where_only_its_id_was_captured() -> None:
    """Produce v13 names topics by id (KIP-516), and Metadata came before the capture."""
    both = [
        produce(at + later, producer_id=7, sequence=at, topic_id=topic, took=0.1)
        for at in range(9)
        for later, topic in ((0, ORDERS), (0.5, PAYS))
    ]
    assert findings("duplicate-sequence", both) == []
    again = [produce(20 + at, producer_id=7, sequence=at, topic_id=PAYS) for at in range(6)]
    assert finding("duplicate-sequence", [*both, *again]).subject["topic"] == PAYS
    lost = [produce(at, producer_id=7, code=45, topic_id=topic) for at in range(4) for topic in (ORDERS, PAYS)]
    assert findings("out-of-order-sequence", lost) == []


def test_sequences_begin_again_with_zero() -> None:
    last = 2**31 - 5
    calls = [produce(at, producer_id=7, sequence=(last + at) % 2**31) for at in range(20)]
    assert findings("duplicate-sequence", calls) == []


def test_answers_that_were_lost_with_their_connection_are_asked_for_again() -> None:
    before, after = connection(50_001), connection(50_002)
    first = [produce(at, producer_id=7, sequence=at, on=before) for at in range(5)]
    again = [produce(9 + at, producer_id=7, sequence=at, on=after) for at in range(5)]
    assert finding("duplicate-sequence", [*first, *again]).count == 5
    before.ended_by = "rst"
    assert findings("duplicate-sequence", [*first, *again]) == []
