"""What a call is about, as expressions: to follow one is to filter by it."""

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kafkasniff.calls.call import Call
from kafkasniff.filters.fields import FIELDS
from kafkasniff.protocol.names import camel_case
from kafkasniff.render.words import escape

_NAMES = ("group", "transactional_id", "topic")
_LONGEST = 400
"""Characters of a value; patterns may have 1,000, and half of these may have to stand behind backslashes."""
_MOST = 8
"""Values of each field, and partitions of each topic, that are offered."""


def quoted(value: str) -> str:
    """Give a text as an expression takes it, whatever is in it; of a very long one only how it begins counts."""
    # Behind a backslash each character stands for itself, also where it has a meaning in patterns.
    text = "".join(f"\\{each}" if each in '*?\\"' else each for each in value[:_LONGEST])
    return f'"{text}*"' if len(value) > _LONGEST else f'"{text}"'


def followed(call: Call) -> list[tuple[str, str]]:
    """Give what may be followed from a call on: what it is, and the expression."""
    found = [("connection", f'connection == "{call.client}-{call.server}"')]
    host = call.client.rpartition(":")[0].strip("[]")
    found.append(("client host", f"client == {host}"))
    if call.client_id:
        found.append(("client id", f"client_id == {quoted(call.client_id)}"))
    if call.api_name:
        found.append(("API", f"api == {camel_case(call.api_name)}"))
    for name in _NAMES:
        for value in [*dict.fromkeys(FIELDS[name].read(call))][:_MOST]:
            found.append((name.replace("_", " "), f"{name} == {quoted(value)}"))
    topics = [*dict.fromkeys(FIELDS["topic"].read(call))]
    if len(topics) == 1:
        for partition in sorted(set(FIELDS["partition"].read(call)))[:_MOST]:
            found.append(("topic partition", f"topic == {quoted(topics[0])} and partition == {partition}"))
    return found


class FollowScreen(ModalScreen[str | None]):
    """Offers what may be followed; gives the expression that was chosen."""

    BINDINGS = [  # noqa: RUF012 (Textual's way)
        Binding("escape,q", "dismiss(None)", "close"),
        Binding("j", "move(True)", "next", show=False),
        Binding("k", "move(False)", "previous", show=False),
    ]

    def __init__(self, choices: list[tuple[str, str]]) -> None:
        """Offer these."""
        super().__init__()
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Make the list."""
        yield Static("follow", id="follow-title")
        yield OptionList(
            *(Option(Text.assemble((f"{name:<16} ", "cyan"), escape(where))) for name, where in self._choices),
            id="follow",
        )

    def action_move(self, down: bool) -> None:
        """Move the cursor."""
        options = self.query_one(OptionList)
        if down:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give what was chosen."""
        self.dismiss(self._choices[event.option_index][1])
