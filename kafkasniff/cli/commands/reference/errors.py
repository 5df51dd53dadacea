"""`kafkasniff errors`: Kafka's error codes."""

from typing import Annotated

import typer

from kafkasniff.cli.options.common import JsonOutput
from kafkasniff.cli.options.completion import complete_error
from kafkasniff.cli.terminal.output import print_json, print_text
from kafkasniff.cli.terminal.pager import page

EXAMPLES = """\b
Examples:
  kafkasniff errors
  kafkasniff errors 6
  kafkasniff errors not_leader_or_follower --json
"""


def errors(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="A code or a name.", autocompletion=complete_error)
    ] = None,
    json_output: JsonOutput = False,
) -> None:
    """Say what Kafka's error codes mean, and what usually causes them. Also whether clients may retry."""
    page()
    from kafkasniff.protocol.error_codes.codes import ERROR_CODES
    from kafkasniff.protocol.names import find_error, no_error
    from kafkasniff.render.reference.errors import error_list_text, error_object, error_text

    if code is None:
        if json_output:
            print_json(*(error_object(error) for error in ERROR_CODES.values()))
        else:
            print_text(error_list_text())
        return
    error = find_error(code)
    if error is None:
        raise typer.BadParameter(no_error(code))
    if json_output:
        print_json(error_object(error))
    else:
        print_text(error_text(error))
