"""The list of calls: a line each, made when it is shown."""

import time

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kafkasniff.browse.lines import ListLines
from kafkasniff.browse.session import Session
from kafkasniff.render.colours import Colours

_MARK = "● "
_MARK_STYLE = Style(color="yellow", bold=True)
_CURSOR = Style(bgcolor="#264f78", bold=True)
_CURSOR_WITHOUT_COLOURS = Style(reverse=True)
_COUNT_S = 0.25
"""How often rows are added where the screen is full."""
_MOST_LINES = 1000
"""Lines that are remembered."""


class CallList(ScrollView, can_focus=True):
    """Shows rows of a session; one of them has the cursor."""

    BINDINGS = [  # noqa: RUF012 (Textual's way)
        Binding("down,j", "move(1)", "next", show=False),
        Binding("up,k", "move(-1)", "previous", show=False),
        Binding("pagedown,space,f,ctrl+f", "page(1)", "page down", show=False),
        Binding("pageup,b,ctrl+b", "page(-1)", "page up", show=False),
        Binding("ctrl+d", "page(0.5)", "half a page down", show=False),
        Binding("ctrl+u", "page(-0.5)", "half a page up", show=False),
        Binding("home,g,less_than_sign", "go(0)", "first", show=False),
        Binding("end,G,greater_than_sign", "go(-1)", "last", show=False),
    ]

    class Moved(Message):
        """The cursor is at another call."""

    class Chosen(Message):
        """A call was clicked that had the cursor."""

    def __init__(self, session: Session, colours: Colours, time_mode: str) -> None:
        """Show `session`."""
        super().__init__(id="calls")
        self._session = session
        self._colours = colours
        self.time_mode = time_mode
        self.row = 0
        """Where the cursor is, from 0."""
        self.count = 0
        """Rows that are shown."""
        self.marks: set[int] = set()
        """Numbers of the calls that are marked."""
        self.follows = False
        """Whether the cursor stays at the last call."""
        self._lines: ListLines | None = None
        self._next_count = 0.0
        self._told = 0
        """How many of the calls that tell of brokers were learnt from."""
        self._strips: dict[int, Strip] = {}

    @property
    def number(self) -> int:
        """Give the number of the call at the cursor; 0: there is none."""
        found = self._session.numbers(self.row, 1) if self.row < self.count else ()
        return found[0] if found else 0

    def renew(self) -> None:
        """Make all lines anew."""
        self._lines = None
        self._strips.clear()
        self.refresh()

    def update_count(self) -> None:
        """Show what came since the last time."""
        count = self._session.count()
        if self._lines is not None and self._told < len(self._session.telling):
            self._lines.learn(self._session.telling[self._told :])
            self._told = len(self._session.telling)
            self._strips.clear()
            self.refresh()
        now = time.monotonic()
        # To lay the screen out anew takes as long as to draw a page.
        if count == self.count or (self.count > self.size.height and now < self._next_count):
            return
        self._next_count = now + _COUNT_S
        last_shown = self.scroll_offset.y + self.size.height
        was_in_sight = min(count, self.count) < last_shown
        begins = not self.count
        self.count = count
        self.virtual_size = Size(self.scrollable_content_region.width, count)
        if self.follows or self.row >= count:
            self.move_to(count - 1)
        if was_in_sight:
            self.refresh()
        if begins:
            self.post_message(self.Moved())

    def titles(self) -> str:
        """Give the titles of the columns."""
        return " " * len(_MARK) + self._made_lines().titles(self._session.first_time or 0)

    def move_to(self, row: int) -> None:
        """Put the cursor into a row, or into the one that is nearest."""
        row = max(min(row, self.count - 1), 0)
        before, self.row = self.row, row
        height = max(self.size.height, 1)
        top = round(self.scroll_target_y)
        if row < top:
            self.scroll_to(y=row, animate=False, immediate=True)
        elif row >= top + height:
            self.scroll_to(y=row - height + 1, animate=False, immediate=True)
        self.refresh()
        if row != before:
            self.post_message(self.Moved())

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        self.follows = False
        self.move_to(self.row + step)

    def action_page(self, pages: float) -> None:
        """Move by so many screens."""
        self.follows = False
        step = round(pages * max(self.size.height - 1, 1))
        top = max(min(round(self.scroll_target_y) + step, self.count - self.size.height), 0)
        self.scroll_to(y=top, animate=False, immediate=True)
        self.move_to(self.row + step)

    def action_go(self, row: int) -> None:
        """Go to the first row, or to the last (-1)."""
        self.follows = False
        self.move_to(row if row >= 0 else self.count - 1)

    def toggle_mark(self) -> None:
        """Mark the call at the cursor, or no longer."""
        if number := self.number:
            self.marks ^= {number}
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Give a line of the screen."""
        row = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        found = self._session.numbers(row, 1) if row < self.count else ()
        if not found:
            return Strip.blank(width, self.rich_style)
        number = found[0]
        strip = self._strip(number)
        style = self.rich_style
        text = Text(_MARK if number in self.marks else " " * len(_MARK), style=_MARK_STYLE)
        strip = Strip.join([Strip(text.render(self.app.console, "")), strip]).adjust_cell_length(width)
        if row != self.row:
            return strip.apply_style(style)
        if self.app.no_color:
            return strip.apply_style(style).apply_style(_CURSOR_WITHOUT_COLOURS)
        return strip.apply_style(style + _CURSOR)

    def on_resize(self, event: events.Resize) -> None:
        """Make the lines anew, for another width."""
        self.renew()
        self.virtual_size = Size(self.scrollable_content_region.width, self.count)
        self.move_to(self.row)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is."""
        row = self.scroll_offset.y + event.get_content_offset_capture(self).y
        self.follows = False
        if row == self.row or event.chain > 1:
            self.post_message(self.Chosen())
        self.move_to(row)

    def _made_lines(self) -> ListLines:
        if self._lines is None:
            width = max(self.scrollable_content_region.width - len(_MARK), 20)
            self._lines = ListLines(self._session.kept, width, self.time_mode, self._colours)
            self._lines.count_from(self._session.first_time or 0)
            self._lines.learn(self._session.telling)
            self._told = len(self._session.telling)
        return self._lines

    def _strip(self, number: int) -> Strip:
        strip = self._strips.get(number)
        if strip is None:
            if len(self._strips) >= _MOST_LINES:
                self._strips.clear()
            width = max(self.scrollable_content_region.width - len(_MARK), 20)
            first, *rest = (Text.from_ansi(line) for line in self._made_lines().line(self._session.kept.call(number)))
            if rest:
                # Errors matter more than what else a call was about.
                errors = rest[0]
                errors = errors[len(errors.plain) - len(errors.plain.lstrip()) :]
                first.truncate(max(width - errors.cell_len - 1, 0))
                first = Text.assemble(first, " ", errors)
            first.no_wrap = True
            strip = self._strips[number] = Strip(first.render(self.app.console, ""))
        return strip
