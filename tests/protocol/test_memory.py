from kafkasniff.protocol import memory
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
    remembered = Memory[int]()
    for number in range(MOST + 10):
        remembered.put(number.to_bytes(2), number)
    assert len(memory._results) <= MOST
