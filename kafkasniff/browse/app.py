"""The screen of `kafkasniff browse`."""

import os
import sys
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import ContentSwitcher, Static

from kafkasniff.browse.panes.call_list import CallList
from kafkasniff.browse.panes.detail import Detail
from kafkasniff.browse.panes.findings_pane import FindingsPane
from kafkasniff.browse.panes.following import FollowScreen, followed
from kafkasniff.browse.panes.help_screen import HelpScreen
from kafkasniff.browse.panes.prompt import Prompt
from kafkasniff.browse.panes.statistics_pane import StatisticsPane
from kafkasniff.browse.session import Session
from kafkasniff.render.colours import PLAIN, Colours
from kafkasniff.render.words import count_text, shorten

_POLL_S = 0.05
_TIMES = ("absolute", "local", "relative")


class Browser(App[None]):
    """A list of calls above, one call or the findings below."""

    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = "browser.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (90, "-medium"), (150, "-wide")]  # noqa: RUF012 (Textual's way)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "quit"),
        Binding("escape", "close_pane", "close", show=False),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True),
        Binding("question_mark,h,f1", "help", "help"),
        Binding("enter", "pane('detail')", "detail", show=False),
        Binding("d", "pane('findings')", "findings"),
        Binding("s", "statistics", "statistics"),
        Binding("o", "follow", "follow"),
        Binding("ampersand", "ask_filter", "filter", priority=True),
        Binding("backspace", "filter_before", "filter before", show=False),
        Binding("slash", "ask_search", "search", priority=True),
        Binding("n", "search(True)", "next", show=False),
        Binding("N", "search(False)", "before", show=False),
        Binding("colon", "ask_number", "go to", show=False, priority=True),
        Binding("m", "mark", "mark", show=False),
        Binding("apostrophe", "next_mark", "next mark", show=False),
        Binding("w", "ask_file", "write", show=False),
        Binding("t", "times", "times", show=False),
        Binding("F", "follow_end", "follow", show=False),
        Binding("p", "pause", "pause", show=False),
        Binding("z", "zoom", "zoom", show=False),
    ]

    def __init__(self, session: Session, time: str = "absolute", colours: Colours = PLAIN, write: str = "") -> None:
        """Show `session`; `write` is the capture that marked calls are written to unless another is named."""
        super().__init__()
        self._session = session
        self._write = write
        self._list = CallList(session, colours, time)
        self._input = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
        self._has_terminal = self._input >= 0 and os.isatty(self._input)
        # Kept here, as what is looked up on the screen is not there when another one is, or when all ends.
        self._titles, self._status = Static(id="titles"), Static(id="status")
        self._lower = ContentSwitcher(id="lower", initial="detail")
        self._detail, self._findings, self._statistics = Detail(id="detail"), FindingsPane(), StatisticsPane()
        self._prompt = Prompt()
        self._searched = ""
        self._forward = True
        self._filters_before: list[str] = []
        self._said = ""
        self._said_at = 0
        """The row of the cursor then: what is said stands until it moves."""
        self._paused = False
        self._searching = False
        self._drawn = ("", "", 0)

    def compose(self) -> ComposeResult:
        """Put the parts together."""
        yield self._titles
        yield self._list
        with self._lower:
            yield self._detail
            yield self._findings
            yield self._statistics
        yield self._prompt
        yield self._status

    def on_mount(self) -> None:
        """Begin to show what there is."""
        self._lower.display = False
        self._list.focus()
        self.set_interval(_POLL_S, self._poll)
        self._poll()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell whether a key does what it does: not where it is typed as text, or the screen is another's.

        Keys that ask for text do so before the next key goes anywhere, as it belongs to that text.
        """
        if action.startswith("ask_") and action != "ask_file":
            return len(self.screen_stack) == 1 and not self._prompt.display
        return True

    def _poll(self) -> None:
        """Take in what the other processes say."""
        if self._has_terminal and not os.isatty(self._input):
            # It was closed, and not every system says so by a signal.
            self.exit()
        session = self._session
        if session.poll():
            self._list.renew()
            self._list.count = 0
            self._list.row = 0
            if self._pane == "statistics":
                self._count_by(self._statistics.key)
        if not self._paused:
            self._list.update_count()
        if session.messages:
            self._say(session.messages.pop())
        if self._searching and session.found is not None:
            self._searching = False
            if session.found >= 0:
                self._say("")
                self._list.move_to(session.found)
        if self._pane == "findings":
            self._show_findings()
        if session.counted is not None:
            answer, session.counted = session.counted, None
            self._statistics.show_answer(answer["columns"], answer["values"], answer["rows"])
        self._show_status()

    @property
    def _pane(self) -> str:
        """Give which lower pane is open; empty: none."""
        lower = self._lower
        return (lower.current or "") if lower.display else ""

    def _show_status(self) -> None:
        session, shown = self._session, self._list
        words = []
        if session.where:
            words.append(
                f"& {session.where}: {session.count():,} of {count_text(session.looked, 'call')}{session.seen}"
            )
        else:
            words.append(f"{count_text(shown.count, 'call')}")
        if not session.done:
            share = "" if session.share is None else f" {session.share:.0%}"
            words.append(f"{'reading' if session.reads_files else 'listening'}{share}")
        if self._paused:
            words.append("PAUSED")
        if shown.follows:
            words.append("following")
        if shown.marks:
            words.append(f"{len(shown.marks):,} marked")
        if session.dropped:
            words.append(f"{session.dropped:,} packets dropped by the kernel")
        if session.findings:
            words.append(f"d {count_text(len(session.findings), 'finding')}")
        text = self._said or "  ".join(words)
        keys = "? keys"
        width = max(self.size.width - len(keys) - 1, 1)
        line = Text(f"{shorten(text, width)}", "bold yellow" if self._said else "")
        line.pad_right(max(width - line.cell_len, 0))
        line.append(f" {keys}", "dim")
        line.no_wrap = True
        titles = shown.titles() if session.first_time is not None and shown.size.width else ""
        # What is drawn again although it is the same costs as much.
        if (line.plain, titles, width) != self._drawn:
            self._drawn = line.plain, titles, width
            self._status.update(line, layout=False)
            self._titles.update(Text(titles, no_wrap=True), layout=False)

    def on_call_list_moved(self) -> None:
        """Show the call at the cursor, where calls are shown."""
        if self._list.row != self._said_at:
            self._said = ""
        if self._pane == "detail":
            self._show_call()

    def on_call_list_chosen(self) -> None:
        """Show the call that was clicked."""
        if self._pane != "detail":
            self.action_pane("detail")

    def on_findings_pane_cited(self, event: FindingsPane.Cited) -> None:
        """Go to the call that evidence is about."""
        self._go_to(event.number)

    def _go_to(self, number: int) -> None:
        row = self._session.row_of(number)
        self._list.follows = False
        self._list.move_to(row)
        if self._list.number != number:
            self._say(f"the filter does not let call {number:,} through")

    def _say(self, text: str) -> None:
        """Say something in the last line, in place of what is there else."""
        self._said, self._said_at = text, self._list.row

    def _show_call(self) -> None:
        if number := self._list.number:
            self._detail.show(self._session.kept.call(number))

    def action_pane(self, name: str) -> None:
        """Open a lower pane, go to it where it is open, and close it where it has the focus."""
        lower = self._lower
        if self._pane == name:
            if self._list.has_focus and name != "detail":
                self._findings.focus()
            else:
                self.action_close_pane()
            return
        lower.current = name
        lower.display = True
        if name == "detail":
            self._show_call()
        else:
            self._show_findings()
            self._findings.focus()

    def _show_findings(self) -> None:
        session = self._session
        if not session.done:
            none = "nothing found so far"
        else:
            # As `diagnose` says: without a call there is nothing that it could judge.
            none = "nothing found" if session.kept else "nothing could be judged: there are no calls"
        self._findings.show(session.findings, none)

    def action_statistics(self) -> None:
        """Count the calls, by the next key where they are counted."""
        pane = self._statistics
        key = pane.next_key() if self._pane == "statistics" or not pane.key else pane.key
        self._lower.current = "statistics"
        self._lower.display = True
        pane.focus()
        self._count_by(key)

    def _count_by(self, key: str) -> None:
        self._statistics.wait_for(key)
        self._session.count_by(key)

    def on_statistics_pane_narrowed(self, event: StatisticsPane.Narrowed) -> None:
        """Filter by a row as well."""
        before = self._session.where
        self._set_filter(f"({before}) and {event.where}" if before else event.where)
        self._list.focus()

    def action_follow(self) -> None:
        """Offer to filter by what the call at the cursor is about."""
        if number := self._list.number:
            self.push_screen(FollowScreen(followed(self._session.kept.call(number))), self._set_filter)

    def _set_filter(self, where: str | None) -> None:
        """Filter by an expression; None: leave all as it is."""
        if where is not None:
            self._filters_before.append(self._session.where)
            self._session.filter(where)

    def action_close_pane(self) -> None:
        """Close the lower pane."""
        self._lower.display = False
        self.remove_class("-zoomed")
        self._list.focus()

    def action_leave(self) -> None:
        """Close the lower pane, or end where none is open."""
        if self._pane:
            self.action_close_pane()
        else:
            self.exit()

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen())

    def action_zoom(self) -> None:
        """Let the lower pane have the screen, or share it again."""
        if self._pane:
            self.toggle_class("-zoomed")

    def action_ask_filter(self) -> None:
        """Ask for a filter."""
        self._prompt.ask("filter", "calls for which this holds, such as api == fetch", self._session.where)

    def action_filter_before(self) -> None:
        """Go back to the filter before."""
        if self._filters_before:
            self._session.filter(self._filters_before.pop())

    def action_ask_search(self) -> None:
        """Ask what to look for."""
        self._prompt.ask("search", "lines that hold this regular expression")

    def action_search(self, forward: bool) -> None:
        """Look for the next line, or the one before."""
        if self._searched:
            self._searching = True
            self._say(f"looking for {self._searched}")
            self._session.search(self._searched, self._list.row, forward)

    def action_ask_number(self) -> None:
        """Ask for the number of a call."""
        self._prompt.ask("number", "the number of a call")

    def action_ask_file(self) -> None:
        """Ask where to write the marked calls."""
        if self._list.marks:
            title = f"write the packets of {count_text(len(self._list.marks), 'marked call')} to this new FILE.pcapng"
            self._prompt.ask("write", title, self._write)
        else:
            self._say("no call is marked: m marks the one at the cursor")

    def on_prompt_given(self, event: Prompt.Given) -> None:
        """Do what was asked for."""
        text = event.text.strip()
        if event.kind == "filter":
            self._set_filter(text)
        elif event.kind == "search":
            self._searched = text or self._searched
            self.action_search(True)
        elif event.kind == "number":
            with suppress(ValueError):
                self._go_to(int(text.replace(",", "")))
        elif text:
            self._session.write(text, sorted(self._list.marks))

    def action_mark(self) -> None:
        """Mark the call at the cursor, and go on."""
        self._list.toggle_mark()
        self._list.action_move(1)

    def action_next_mark(self) -> None:
        """Go to the next marked call, behind the last one to the first."""
        marks = sorted(self._list.marks)
        if marks:
            number = self._list.number
            self._go_to(next((mark for mark in marks if mark > number), marks[0]))

    def action_times(self) -> None:
        """Show times in the next form."""
        mode = self._list.time_mode
        self._list.time_mode = _TIMES[(_TIMES.index(mode) + 1) % len(_TIMES)] if mode in _TIMES else _TIMES[0]
        self._list.renew()

    def action_follow_end(self) -> None:
        """Stay at the last call."""
        self._list.follows = True
        self._list.move_to(self._list.count - 1)

    def action_pause(self) -> None:
        """Hold the list still, or let it go on."""
        self._paused = not self._paused
