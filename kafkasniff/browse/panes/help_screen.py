"""The keys, on a screen of their own."""

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

KEYS = (
    ("In the list", (
        ("j ↓, k ↑", "next call, call before"),
        ("Space f, b", "a screen down, up, as PgDn and PgUp; Ctrl-D, Ctrl-U: half of one"),
        ("g <, G >", "first call, last call"),
        (":", "go to the call with a number"),
        ("Enter", "show or hide the call's messages and bytes"),
        ("m", "mark the call, or no longer; ' goes to the next marked one"),
        ("w", "write the packets of the marked calls to a new capture"),
    )),
    ("Which calls", (
        ("&", "filter: an expression such as `api == fetch and latency > 100ms`; Tab completes; empty: all calls"),
        ("o", "follow what the call is about: its connection, client id, group, topic, ..."),
        ("Backspace", "the filter before"),
        ("/", "search the lines for a regular expression; n next, N before"),
    )),
    ("Panes", (
        ("Tab, Shift-Tab", "next pane, pane before"),
        ("Enter Space", "in a pane: show or hide the parts of what has some; ← → scroll long lines"),
        ("d", "findings: Enter on evidence goes to its call"),
        ("s", "statistics of the calls that the filter lets through; s again: by the next key; Enter filters by a row"),
        ("z", "the lower pane on the whole screen, or not"),
        ("Esc q", "close the lower pane; q in the list ends"),
    )),
    ("Others", (
        ("t", "times: absolute in UTC, local, or since the first packet"),
        ("F", "stay at the last call as more come; p: hold the list still, and go on"),
        ("?", "these keys"),
        ("Ctrl-C", "end"),
    )),
)  # fmt: skip
"""What keys do, by what they are about."""


class HelpScreen(ModalScreen[None]):
    """Shows the keys."""

    BINDINGS = [Binding("escape,q,question_mark,enter,space", "dismiss", "close")]  # noqa: RUF012 (Textual's way)

    def compose(self) -> ComposeResult:
        """Make the text."""
        table = Table.grid(padding=(0, 1))
        table.add_column(style="cyan", no_wrap=True)
        table.add_column()
        for title, keys in KEYS:
            table.add_row(Text(title, "bold default"), "")
            for key, meaning in keys:
                table.add_row(Text(f"  {key}"), Text(meaning))
        table.add_row("", Text("The mouse chooses calls, fields, bytes and findings, and scrolls."))
        yield VerticalScroll(Static(table), id="help")
