"""How many calls, how many failed and how long they took, by API, client and others: the question `stats`."""

from typing import Any, Final

from rich.text import Text
from textual.message import Message
from textual.widgets import DataTable

from kafkasniff.browse.panes.following import quoted
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.words import show

KEYS: Final = {
    "api_name": "api", "client_id": "client_id", "client_host": "client", "server": "server", "topic": "topic",
    "group": "group", "error": "error",
}  # fmt: skip
"""What calls are counted by, with the fields of filters that choose a row."""
_LONGEST = 60


class StatisticsPane(DataTable[Text]):
    """A table of an answer; a row that is chosen becomes a filter."""

    class Narrowed(Message):
        """A row was chosen."""

        def __init__(self, where: str) -> None:
            """Take the expression for its calls."""
            super().__init__()
            self.where = where

    def __init__(self) -> None:
        """Begin without rows."""
        super().__init__(id="statistics", cursor_type="row", zebra_stripes=True)
        self.key = ""
        """What calls are counted by."""
        self._values: list[Any] = []

    def next_key(self) -> str:
        """Give what calls are to be counted by next."""
        names = [*KEYS]
        return names[(names.index(self.key) + 1) % len(names)] if self.key else names[0]

    def wait_for(self, key: str) -> None:
        """Say that calls are being counted."""
        self.key = key
        self._values = []
        self.clear(columns=True)
        self.add_column(Text(f"counting by {key} …"))

    def show_answer(self, columns: list[str], values: list[Any], rows: list[list[str]]) -> None:
        """Show rows of text, with the `values` of their key."""
        self.clear(columns=True)
        is_api = self.key == "api_name"
        self._values = [camel_case(value) if is_api and value is not None else value for value in values]
        for name in columns:
            self.add_column(Text(name))
        for row in rows:
            name, *numbers = row
            name = camel_case(name) if is_api else name
            self.add_row(Text(show(name, _LONGEST)), *(Text(number, justify="right") for number in numbers))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Tell which calls a row is about."""
        event.stop()
        if event.cursor_row < len(self._values):
            value = self._values[event.cursor_row]
            field = KEYS[self.key]
            self.post_message(self.Narrowed(f"not {field}" if value is None else f"{field} == {quoted(str(value))}"))
