"""What the commands have in common that ask the tables."""

import atexit
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import typer

from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.options.values import none_of
from kafkasniff.cli.terminal.output import Output, print_message
from kafkasniff.cli.terminal.pager import end_pager
from kafkasniff.questions.database import Answer, Database
from kafkasniff.questions.errors import QuestionError

FORMATS = ("table", "csv", "json")
MARKDOWN = "markdown"


def check_format(value: str, *others: str) -> str:
    """Give the value of --format: one of `FORMATS` or of `others`; raises BadParameter for one that is none."""
    if value not in (*FORMATS, *others):
        raise typer.BadParameter(f"{value!r} is none of {', '.join((*FORMATS, *others))}.", param_hint="--format")
    return value


@contextmanager
def in_sentences() -> Iterator[None]:
    """Say in a sentence what goes wrong with captures, questions and files, and end the command."""
    from kafkasniff.capture.errors import CaptureError

    try:
        yield
    except (CaptureError, QuestionError, OSError) as error:
        print_message(f"kafkasniff: {error}")
        raise typer.Exit(ExitStatus.FAILED) from None


@contextmanager
def database_for(path: str | None = None, *, on_disk: bool = False) -> Iterator[Database]:
    """Give a database, as `Database` opens it; what goes wrong is said in a sentence and ends the command.

    SIGTERM ends it, too, but what was put aside on disk is removed before.
    """
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        with in_sentences(), Database(path, on_disk=on_disk) as database:
            yield database
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    # An exception from here may be lost: DuckDB looks for signals itself, and makes one of its own of what they raise.
    end_pager()
    # Temporary folders are removed.
    atexit._run_exitfuncs()
    os._exit(ExitStatus.TERMINATED)


def print_answer(answer: Answer, form: str) -> None:
    """Write the answer to a question of ours to standard output: for people, APIs have the names of their messages."""
    from kafkasniff.render.tables.answers import for_people

    print_rows(answer if form in ("csv", "json") else for_people(answer), form)


def print_rows(answer: Answer, form: str) -> None:
    """Write an answer to standard output as it is: what a query gave can be written into the next."""
    from kafkasniff.render.tables.answers import answer_lines

    output = Output(sys.stdout.buffer)
    for line in answer_lines(answer, form):
        output.write(line)
    output.flush()


def form_of(json_output: bool, csv_output: bool) -> str:
    """Give the format that --json and --csv ask for."""
    return "json" if json_output else "csv" if csv_output else "table"


def columns_or_usage(keys: str, known: Sequence[str], option: str = "--by") -> list[str]:
    """Give the names that an option lists; raises BadParameter for one that is not known."""
    found = [key.strip() for key in keys.split(",") if key.strip()]
    for key in found:
        if key not in known:
            raise none_of(key, known, option)
    if not found:
        raise typer.BadParameter("expected names, found none.", param_hint=option)
    return list(dict.fromkeys(found))
