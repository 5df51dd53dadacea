"""The prompt of `kafkasniff sql`: one query after the other, with completion of names."""

import sys

from kafkasniff.cli.showing.answers import print_rows
from kafkasniff.cli.terminal.output import print_message
from kafkasniff.questions.database import Database
from kafkasniff.questions.errors import QuestionError

_WORDS = ("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "count(*)", "DESC")


def prompt(database: Database, form: str) -> None:
    """Answer queries from standard input until it ends; a query may end with `;`."""
    if sys.stdin.isatty():
        _complete_names(database)
    while True:
        try:
            query = input("kafkasniff> " if sys.stdin.isatty() else "").strip().rstrip(";")
        except EOFError:
            return
        if query in ("exit", "quit", r"\q"):
            return
        if not query:
            continue
        try:
            print_rows(database.ask(query), form)
        except QuestionError as error:
            print_message(f"kafkasniff: {error}")


def _complete_names(database: Database) -> None:
    try:
        import readline
    except ImportError:
        return
    names = [name for (name,) in database.ask("SELECT column_name FROM duckdb_columns() WHERE NOT internal").rows]
    tables = [name for (name,) in database.ask("SELECT table_name FROM information_schema.tables").rows]
    words = sorted({*names, *tables, *_WORDS})

    def complete(text: str, state: int) -> str | None:
        fitting = [word for word in words if word.lower().startswith(text.lower())]
        return fitting[state] if state < len(fitting) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
