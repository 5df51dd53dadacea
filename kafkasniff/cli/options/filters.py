"""The options that choose calls: the same in every command that shows or judges them, declared once."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from kafkasniff.cli.options.completion import complete_api, complete_error
from kafkasniff.cli.options.formatting import FILTERS
from kafkasniff.cli.options.together import together

if TYPE_CHECKING:
    from kafkasniff.filters.filter import Filter

Made = TypeVar("Made")


def _filter(name: str, metavar: str, text: str, **others: Any) -> Any:
    return typer.Option(name, metavar=metavar, help=text, rich_help_panel=FILTERS, **others)


From = Annotated[
    str | None,
    _filter(
        "--from",
        "TIME",
        "Only calls that ended then or later: ISO 8601 (UTC), a time of the first day such as 12:00:01, or `+5s` after"
        " the first packet.",
    ),
]
To = Annotated[str | None, _filter("--to", "TIME", "Only calls that began then or earlier; as for --from.")]


class Filters(NamedTuple):
    """What the options say; all that are given must hold."""

    where: Annotated[
        list[str] | None,
        _filter(
            "--where",
            "EXPRESSION",
            "Only calls for which this holds, such as `api == fetch and latency > 100ms` (docs/filters.md). The options"
            " below are short forms of it: with globs (`shop-*`), lists (`a,b`) and `!` for not; they may be repeated.",
        ),
    ] = None
    api: Annotated[
        list[str] | None, _filter("--api", "API", "Only this API (name or key).", autocompletion=complete_api)
    ] = None
    client_id: Annotated[list[str] | None, _filter("--client-id", "ID", "Only this client id.")] = None
    host: Annotated[
        list[str] | None,
        _filter("--host", "IP[:PORT]", "Only this client or server; also a network such as 10.0.0.0/8."),
    ] = None
    broker: Annotated[
        list[str] | None, _filter("--broker", "IP[:PORT]", "Only calls to this broker; a network, too, as for --host.")
    ] = None
    port: Annotated[list[str] | None, _filter("--port", "PORT", "Only this port, on either side.")] = None
    connection: Annotated[
        list[str] | None,
        _filter("--connection", "CLIENT-SERVER", "Only this connection, as the JSON names it."),
    ] = None
    topic: Annotated[list[str] | None, _filter("--topic", "NAME", "Only calls that name this topic.")] = None
    group: Annotated[list[str] | None, _filter("--group", "ID", "Only calls that name this group.")] = None
    errors: Annotated[
        list[str] | None,
        _filter(
            "--errors",
            "[NAME]",
            "Only calls with an error, or with this error (name or code).",
            autocompletion=complete_error,
        ),
    ] = None
    slower_than: Annotated[
        str | None,
        _filter("--slower-than", "TIME", "Only calls that took longer: `100ms`, `2s`; a bare number is ms."),
    ] = None
    begin: From = None
    end: To = None

    def filter(self) -> "Filter":
        """Give what they ask for; raises BadParameter."""
        from kafkasniff.filters.filter import Filter

        if not any(self):
            return Filter()
        from kafkasniff.filters.short_forms import short_form, slower_than
        from kafkasniff.filters.tests import make_test

        found = []
        lists = {
            "--api": ("api", self.api), "--client-id": ("client_id", self.client_id), "--host": ("host", self.host),
            "--broker": ("server", self.broker), "--port": ("port", self.port),
            "--connection": ("connection", self.connection), "--topic": ("topic", self.topic),
            "--group": ("group", self.group), "--errors": ("error", self.errors),
        }  # fmt: skip
        found = [
            _checked(option, partial(short_form, field, texts)) for option, (field, texts) in lists.items() if texts
        ]
        if self.slower_than:
            found.append(_checked("--slower-than", partial(slower_than, self.slower_than)))
        # A call is wanted if any of its time lies between: so is one whose time was copied from a list, of either end.
        for option, field, operator, text in (("--from", "ended", ">=", self.begin), ("--to", "time", "<=", self.end)):
            if text:
                found.append(_checked(option, partial(make_test, field, operator, [text])))
        for text in self.where or ():
            from kafkasniff.filters.grammar import parse  # Lark takes longer to import than a small capture to read

            found.append(_checked("--where", partial(parse, text)))
        return Filter(predicates=found)


with_filters = together("filters", Filters)
"""Gives a command these options, which it takes together as its argument `filters`."""


def time_ns(text: str, option: str, first: int) -> int:
    """Give a time in ns since 1970, where the first packet came at `first`; raises BadParameter."""
    from kafkasniff.filters.values import Moment

    moment = _checked(option, lambda: Moment(text))
    moment.start_at(first)
    return moment.time


def _checked(option: str, make: Callable[[], Made]) -> Made:
    """Give what `make` makes; raises BadParameter where it raises FilterError."""
    from kafkasniff.filters.errors import FilterError

    try:
        return make()
    except FilterError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def duration_ns(text: str, option: str, bare: str = "") -> int:
    """Give a duration such as `100ms` or `1.5m` in ns; a bare number is in units of `bare`; raises BadParameter."""
    from kafkasniff.filters.values import duration_ns as read

    return _checked(option, lambda: read(text, bare))
