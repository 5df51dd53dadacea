from random import Random
from typing import Literal

import pytest

from kafkasniff.protocol.primitives import RecordsField
from kafkasniff.protocol.records.batches import COMPRESSIONS, read_batches
from kafkasniff.protocol.records.totals import Totals, count_records, totals_of
from tests.protocol.records.made_batches import batch, message, record, simple_batch

Side = Literal["request", "response"]

SIDES: tuple[Side, Side] = ("request", "response")


def counted(*fields: bytes, side: Side = "request") -> tuple[int, set[str]] | None:
    """Count the records of fields that follow each other in a message."""
    data, found = b"..", []
    for field in fields:
        found.append(RecordsField("", len(data), len(data) + len(field)))
        data += field
    totals = count_records(data, found, side)
    return totals and (totals.records, set(totals.codecs))


@pytest.mark.parametrize("side", SIDES)
def test_batches_of_all_fields_count(side: Side) -> None:
    large = batch(record(0, None, bytes(9000)), 1, attributes=4)
    assert counted(simple_batch(3) + simple_batch(2, 3), b"", large, side=side) == (6, {"none", "zstd"})
    assert counted(simple_batch(3), side=side) == (3, {"none"})


def test_codecs_are_the_last_three_bits_of_the_attributes() -> None:
    for number, name in enumerate(COMPRESSIONS):
        assert counted(batch(b"", 7, attributes=0xF8 | number)) == (7, {name})


def test_no_batches() -> None:
    assert counted() == counted(b"", b"") == (0, set())


def test_what_is_wrong_or_old_is_not_counted() -> None:
    usual = simple_batch(1)
    damaged = usual[:-1] + bytes([usual[-1] ^ 1])
    longer, shorter = (usual[:8] + (len(usual) - 12 + more).to_bytes(4) + usual[12:] for more in (1, -1))
    for field in (damaged, longer, shorter, message(None, b"old"), message(None, b"older", 1), b"\0"):
        assert counted(usual + field, usual) is None
    for length in range(1, len(usual)):
        assert counted(usual, usual + usual[:length]) is None


def test_a_cut_last_batch_of_an_answer_counts_nothing() -> None:
    usual = simple_batch(2)
    for length in range(len(usual)):
        assert counted(usual + usual[:length], usual, side="response") == (4, {"none"})


def test_a_batch_behind_a_damaged_one_is_not_taken_for_a_cut_one() -> None:
    usual = simple_batch(2)
    assert counted(usual + b"\0\0\0" + usual, side="response") is None


@pytest.mark.parametrize("side", SIDES)
def test_totals_are_those_of_the_headers(side: Side) -> None:
    random = Random(5)
    sound = 0
    for _ in range(300):
        data = bytearray(b"".join(simple_batch(random.randrange(4)) for _ in range(random.randrange(1, 4))))
        if random.random() < 0.5:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        del data[len(data) - random.choice((0, 0, 1, 30)) :]
        batches, problems = read_batches(bytes(data), 0, len(data), side=side)
        found = counted(bytes(data), side=side)
        if found is not None:
            totals = totals_of(batches)
            assert problems == []
            assert found == (totals.records, set(totals.codecs))
            sound += 1
    assert 50 < sound < 290


def test_totals_of_headers() -> None:
    data = simple_batch(3) + simple_batch(2)
    batches = read_batches(data, 0, len(data), side="request")[0]
    assert totals_of(batches) == (5, {"none"})
    assert totals_of(batches[:1]) == (3, ["none"])
    assert totals_of([]) == Totals(0, set())
