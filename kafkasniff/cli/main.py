"""The `kafkasniff` command."""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COLLECTION_THRESHOLDS = (1_000_000, 20, 100)
"""Calls and bodies hold no reference cycles, so that counting references frees them. With Python's own thresholds
the search for cycles takes nearly half of the time of a listing, and a tenth of that of starting."""


def main() -> None:
    """Run the command line and exit with its status."""
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    # NumPy's library for matrices, which nothing here uses, would start a thread for each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_what_is_closed()
    arguments = sys.argv[1:]
    list_calls = _import_listing(arguments)
    from kafkasniff.cli.terminal.output import guard_streams

    messages = guard_streams()
    from kafkasniff.cli.exit_status import ExitStatus

    try:
        status = list_calls(arguments[1:]) if list_calls else _run(arguments)
        sys.exit(ExitStatus.FAILED if messages.failed and status == ExitStatus.OK else status)
    finally:
        if "kafkasniff.cli.terminal.pager" in sys.modules:
            from kafkasniff.cli.terminal.pager import end_pager

            end_pager()
        # Python would search all that is left for cycles once more as it exits. What DuckDB made says on standard error
        # that it is still there, if that is left out.
        if "duckdb" not in sys.modules:
            gc.freeze()


def _run(arguments: list[str]) -> int:
    from kafkasniff.cli.light_typer import import_typer

    import_typer()
    from kafkasniff.cli.app import run

    return run(arguments)


def _import_listing(arguments: list[str]) -> "Callable[[list[str]], int] | None":
    """Give what lists calls, where a command line and the environment say no more than which captures are read."""
    if len(arguments) < 2 or arguments[0] != "read" or any(argument.startswith("-") for argument in arguments[1:]):
        return None
    from kafkasniff.cli.light_typing import import_lightly

    if os.environ.get(import_lightly("kafkasniff.protocol").DEFINITIONS_VARIABLE):
        return None
    return import_lightly("kafkasniff.cli.listing").list_calls  # type: ignore[no-any-return]


def _open_what_is_closed() -> None:
    """Replace standard streams that the caller closed (`>&-`), which are None, by the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = os.fdopen(os.open(os.devnull, os.O_RDWR), mode)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
