import orjson

from kafkasniff.protocol.element_memory import FEWEST, MOST_BYTES, PREFIX_BYTES, ElementMemory


def element(number: int) -> bytes:
    return number.to_bytes(4) + bytes(60)


def test_elements_are_found_by_their_prefix() -> None:
    memory = ElementMemory()
    data = b"before" + element(1) + b"behind"
    fragment = memory.put(data, 6, 6 + 64, {"number": 1}, 3, ["id"])
    assert orjson.dumps(fragment) == b'{"number":1}'
    find = memory.finder(FEWEST)
    assert find is not None
    [(known, text, size, inside)] = find(element(1)[:PREFIX_BYTES], ())
    assert (known, size, inside) == (element(1), 64, (3, ("id",)))
    assert orjson.dumps(text) == b'{"number":1}'
    assert find(element(2)[:PREFIX_BYTES], ()) == ()


def test_few_elements_are_not_looked_for() -> None:
    assert ElementMemory().finder(FEWEST - 1) is None


def test_of_elements_with_the_same_prefix_a_few_are_kept() -> None:
    memory = ElementMemory()
    for number in range(20):
        data = bytes(PREFIX_BYTES) + number.to_bytes(4)
        memory.put(data, 0, len(data), {"number": number}, 0, [])
    find = memory.finder(FEWEST)
    assert find is not None
    assert [known.data[-1] for known in find(bytes(PREFIX_BYTES), ())] == [19, 18, 17, 16]


def test_what_is_held_is_bounded_and_what_does_not_come_again_is_given_up() -> None:
    changing, steady = ElementMemory(), ElementMemory()
    text = {"text": "x" * 10_000}
    for number in range(MOST_BYTES // 10_000 + 1):
        assert steady.finder(FEWEST) is not None
        if changing.finder(1) is None and changing.finder(FEWEST) is not None:
            changing.put(element(number), 0, 64, text, 0, [])
    # Each looked for eight, and put one: few of them were missing.
    assert changing.finder(FEWEST) is not None
    for number in range(2 * (MOST_BYTES // 10_000 + 1)):
        for _ in range(FEWEST):
            changing.put(element(number), 0, 64, text, 0, [])
        changing.finder(FEWEST)
    assert changing.finder(FEWEST) is None
    assert steady.finder(FEWEST) is not None
