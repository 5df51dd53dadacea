from kafkasniff.render.tables.sparkline import sparkline


def test_bars_are_eighths_of_the_largest() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8]) == " ▁▂▃▄▅▆▇█"
    assert sparkline([]) == ""
    assert sparkline([0, 0]) == "  "


def test_what_is_above_zero_is_seen() -> None:
    assert sparkline([1_000_000, 1]) == "█▁"
    assert sparkline([0.0004, 0.0001]) == "█▂"


def test_many_values_are_added_up_two_by_two() -> None:
    assert sparkline([1, 0] * 20 + [2, 2] * 20) == "▂" * 20 + "█" * 20
