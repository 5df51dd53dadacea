from kafkasniff.protocol.memory import LONGEST, MOST, Memory


def test_results_are_those_of_one_layout() -> None:
    first, second = Memory[str](), Memory[str]()
    first.put(b"message", "one")
    assert first.get(b"message") == "one"
    assert first.get(b"other") is None
    assert second.get(b"message") is None


def test_long_messages_are_not_kept() -> None:
    remembered = Memory[str]()
    remembered.put(bytes(LONGEST + 1), "long")
    assert remembered.get(bytes(LONGEST + 1)) is None


def test_a_layout_whose_messages_do_not_come_again_is_given_up() -> None:
    changing, steady = Memory[int](), Memory[int]()
    for number in range(1000):
        for remembered, message in ((changing, number.to_bytes(2)), (steady, bytes([number % 16]))):
            if remembered.worthwhile and remembered.get(message) is None:
                remembered.put(message, number + 1)
    assert not changing.worthwhile
    assert steady.worthwhile
    assert steady.get(b"\x03") == 4


def test_the_number_of_results_is_bounded() -> None:
    first, second = Memory[int](), Memory[int]()
    for number in range(MOST):
        (first if number % 2 else second).put(number.to_bytes(2), number + 1)
    # Other layouts, of other tests, may have filled up the room; then all was forgotten once.
    second.put(b"last", 7)
    for number in range(MOST):
        first.put(b"more" + number.to_bytes(2), 1)
    assert second.get(b"last") is None
    assert sum(first.get(number.to_bytes(2)) is not None for number in range(MOST)) == 0
