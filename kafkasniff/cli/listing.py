"""`kafkasniff read FILE...` without options, which needs no parser.

To import one and make the options of a command takes 82 of the 291 million instructions of a start. What has an option
goes by `commands/read`.
"""

from collections.abc import Sequence

from kafkasniff.capture.errors import CaptureError
from kafkasniff.cli.exit_status import ExitStatus
from kafkasniff.cli.showing.reading import Showing, terminal_format
from kafkasniff.cli.terminal.output import print_message
from kafkasniff.cli.terminal.pager import page
from kafkasniff.filters.filter import Filter
from kafkasniff.reading import Reading
from kafkasniff.render.text.lines import CallLines  # noqa: F401  (imported lightly with this module)


def list_calls(files: Sequence[str]) -> int:
    """Show the calls in captures, a line each; give the exit status."""
    try:
        reading = Reading(files, fetch_sessions=False, metrics=False)
        page()
        lines = terminal_format("absolute", 0, "response", wide=False, no_header=False)
        Showing(reading, Filter(), lines).run(flush_batches=False)
    except CaptureError as error:
        print_message(f"kafkasniff: {error}")
        return ExitStatus.FAILED
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    return ExitStatus.FAILED if reading.summary.damages else ExitStatus.OK
