import pytest

from kafkasniff.render.text.column_widths import WHOLE, header_line, widths_for


def test_without_a_terminal_all_columns_are_there() -> None:
    assert widths_for(None) is WHOLE
    assert widths_for(1000) is WHOLE


@pytest.mark.parametrize("width", range(60, 260, 4))
def test_titles_leave_room_for_what_a_call_is_about(width: int) -> None:
    widths = widths_for(width)
    titles = header_line(widths, "UTC", 9 + widths.digits)
    assert len(titles) <= width
    assert titles.split()[0] == "#"
    assert titles.endswith(" took what")
