"""The `kafkasniff` command."""

import gc
import os
import sys

COLLECTION_THRESHOLDS = (1_000_000, 20, 100)
"""Calls and bodies hold no reference cycles, so that counting references frees them. With Python's own thresholds
the search for cycles takes nearly half of the time of a listing, and a tenth of that of starting."""


def main() -> None:
    """Run the command line and exit with its status."""
    gc.set_threshold(*COLLECTION_THRESHOLDS)
    # NumPy's library for matrices, which nothing here uses, would start a thread for each core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_what_is_closed()
    try:
        _run()
    except Exception as error:
        from kafkasniff.compiled import stale_modules

        if not (stale := stale_modules()):
            raise
        sys.exit(
            f"Error: the compiled engine is older than its sources, {stale[0]} among them; compile it anew with "
            f"`python tools/compile_engine.py`. What failed: {type(error).__name__}: {error}"
        )


def _run() -> None:
    """Run the command line, once there are streams."""
    from kafkasniff.cli.terminal.output import guard_streams

    messages = guard_streams()
    from kafkasniff.cli.light_typer import import_typer

    import_typer()
    from kafkasniff.cli.app import run
    from kafkasniff.cli.exit_status import ExitStatus

    try:
        status = run(sys.argv[1:])
        sys.exit(ExitStatus.FAILED if messages.failed and status == ExitStatus.OK else status)
    finally:
        if "kafkasniff.cli.terminal.pager" in sys.modules:
            from kafkasniff.cli.terminal.pager import end_pager

            end_pager()
        # Python would search all that is left for cycles once more as it exits. What DuckDB made says on standard error
        # that it is still there, if that is left out.
        if "duckdb" not in sys.modules:
            gc.freeze()


def _open_what_is_closed() -> None:
    """Replace standard streams that the caller closed (`>&-`), which are None, by the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = os.fdopen(os.open(os.devnull, os.O_RDWR), mode)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
