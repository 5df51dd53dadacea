from kafkasniff.browse.store.matches import Matches


def test_numbers_are_read_from_any_row() -> None:
    matches = Matches()
    assert (matches.count(), matches.numbers(0, 10)) == (0, [])
    matches.add([3, 5, 2**40])
    matches.add([2**40 + 1])
    assert matches.count() == 4
    assert matches.numbers(1, 2) == [5, 2**40]
    assert matches.numbers(3, 10) == [2**40 + 1]
    assert matches.numbers(4, 10) == []
    matches.clear()
    assert (matches.count(), matches.numbers(0, 10)) == (0, [])
