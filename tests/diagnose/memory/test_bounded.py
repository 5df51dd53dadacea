from kafkasniff.diagnose.memory.bounded import Bounded


def test_bounded_gives_up_the_longest_untouched() -> None:
    gone: list[tuple[str, int]] = []
    memory: Bounded[int] = Bounded(2, lambda key, state: gone.append((key, state)))
    memory.put("a", 1)
    memory.put("b", 2)
    memory.touch("a", lambda: 9)
    memory.put("c", 3)
    assert gone == [("b", 2)]
    assert (memory.get("a"), memory.get("b"), len(memory)) == (1, None, 2)
