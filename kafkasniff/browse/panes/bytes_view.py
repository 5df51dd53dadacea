"""The bytes of a message, with those of a field marked."""

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

_MARKED = Style(reverse=True, bold=True)
_PLAIN = Style()
_DIM = Style(dim=True)
_PLACE = 8
"""Columns of the offset and the spaces behind it."""


class BytesView(ScrollView, can_focus=True):
    """Shows bytes as hexadecimal and as ASCII, 16 or 8 a line."""

    class Clicked(Message):
        """A byte was clicked."""

        def __init__(self, offset: int) -> None:
            """Take its offset."""
            super().__init__()
            self.offset = offset

    def __init__(self) -> None:
        """Begin with no bytes."""
        super().__init__(id="bytes")
        self._data = b""
        self._hidden: list[tuple[int, int]] = []
        self._begin = self._end = 0

    @property
    def marked(self) -> tuple[int, int]:
        """Give where the marked bytes begin and end."""
        return self._begin, self._end

    @property
    def across(self) -> int:
        """Give how many bytes a line has."""
        return 16 if self.scrollable_content_region.width >= _PLACE + 16 * 4 + 2 else 8

    def show(self, data: bytes, hidden: list[tuple[int, int]]) -> None:
        """Show `data` but for what is hidden: places from and up to."""
        self._data, self._hidden = data, hidden
        self._begin = self._end = 0
        self._measure()
        self.scroll_to(y=0, animate=False)
        self.refresh()

    def mark(self, begin: int, end: int) -> None:
        """Mark bytes, and bring them into sight."""
        self._begin, self._end = begin, end
        if end > begin:
            line = begin // self.across
            top = round(self.scroll_target_y)
            if not top <= line < top + max(self.size.height, 1):
                self.scroll_to(y=max(line - 1, 0), animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Give a line."""
        across = self.across
        start = (self.scroll_offset.y + y) * across
        held = self._data[start : start + across]
        if not held:
            return Strip.blank(self.size.width, self.rich_style)
        segments = [Segment(f"{start:06x}  ", _DIM)]
        text = []
        for index in range(across):
            offset = start + index
            space = " " if index % 8 != 7 else "  "
            if index >= len(held):
                segments.append(Segment("  " + space, _PLAIN))
                continue
            is_hidden = any(begin <= offset < end for begin, end in self._hidden)
            byte = held[index]
            style = _MARKED if self._begin <= offset < self._end else _PLAIN
            goes_on = style is _MARKED and offset + 1 < self._end and index + 1 < across
            segments.append(Segment("**" if is_hidden else f"{byte:02x}", style))
            segments.append(Segment(space, _MARKED if goes_on else _PLAIN))
            character = "*" if is_hidden else chr(byte) if 0x20 <= byte < 0x7F else "."
            text.append(Segment(character, style))
        strip = Strip([*segments, *text]).adjust_cell_length(self.size.width)
        return strip.apply_style(self.rich_style)

    def on_resize(self, event: events.Resize) -> None:
        """Set lines of another length."""
        self._measure()

    def on_click(self, event: events.Click) -> None:
        """Tell which byte was clicked."""
        place = event.get_content_offset_capture(self)
        column, across = place.x - _PLACE, self.across
        hexadecimal = across * 3 + across // 8
        index = (column - (column > 24)) // 3 if column < hexadecimal else column - hexadecimal
        offset = (self.scroll_offset.y + place.y) * across + index
        if 0 <= index < across and offset < len(self._data):
            self.post_message(self.Clicked(offset))

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, -(-len(self._data) // self.across))
