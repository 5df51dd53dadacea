"""The line in which filters, searches, numbers and names of files are typed."""

from textual import events
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from kafkasniff.browse.panes.completion import completed


class ExpressionSuggester(Suggester):
    """Suggests how an expression goes on."""

    async def get_suggestion(self, value: str) -> str | None:
        """Give the expression with the word that was begun whole; None where there is none such."""
        return completed(value)


class Prompt(Input):
    """Asks for one thing at a time; hidden while it asks for nothing."""

    class Given(Message):
        """Something was typed."""

        def __init__(self, kind: str, text: str) -> None:
            """Take what was asked for, and the text."""
            super().__init__()
            self.kind = kind
            self.text = text

    def __init__(self) -> None:
        """Begin hidden."""
        super().__init__(id="prompt", compact=True)
        self.display = False
        self._kind = ""
        self._suggester = ExpressionSuggester(use_cache=False)

    def ask(self, kind: str, title: str, value: str = "") -> None:
        """Ask for something; `kind` comes back with the text."""
        self._kind = kind
        self.suggester = self._suggester if kind == "filter" else None
        self.value = value
        self.border_title = title
        self.display = True
        self.cursor_position = len(value)
        # Not `focus`, which takes effect later: keys that follow at once are meant for this line.
        self.screen.set_focus(self)

    def on_key(self, event: events.Key) -> None:
        """Take the suggestion with Tab, and ask for nothing more at Escape."""
        if event.key == "tab":
            event.stop()
            event.prevent_default()
            self.action_cursor_right()
        elif event.key == "escape":
            event.stop()
            event.prevent_default()
            self._end()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the text."""
        event.stop()
        kind = self._kind
        self._end()
        self.post_message(self.Given(kind, event.value))

    def _end(self) -> None:
        self.display = False
        self.screen.set_focus(self.screen.query_one("#calls"))
