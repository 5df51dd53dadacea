"""`kafkasniff apis`: Kafka's APIs, their versions and layouts."""

from typing import Annotated

import typer

from kafkasniff.cli.options.common import Definitions, JsonOutput
from kafkasniff.cli.options.completion import complete_api
from kafkasniff.cli.terminal.output import print_json, print_text
from kafkasniff.cli.terminal.pager import page

EXAMPLES = """\b
Examples:
  kafkasniff apis
  kafkasniff apis fetch
  kafkasniff apis fetch 12
  kafkasniff apis 1 12 --json
  kafkasniff apis --definitions kafka-clients-5.0.0.jar
"""


def apis(
    api: Annotated[
        str | None,
        typer.Argument(metavar="API", help="A name in any form, or a key.", autocompletion=complete_api),
    ] = None,
    version: Annotated[str | None, typer.Argument(metavar="VERSION", help="Show this version's layout.")] = None,
    json_output: JsonOutput = False,
    definitions: Definitions = None,
) -> None:
    """List Kafka's APIs, their versions, and the layouts of their messages. With API: its versions. With VERSION: the
    layout of its request and response.
    """
    page()
    from kafkasniff.protocol.api_table import APIS
    from kafkasniff.protocol.names import find_api, no_api
    from kafkasniff.render.reference.apis import (
        api_list_text,
        api_object,
        api_versions_text,
        layout_object,
        layout_text,
    )

    if api is None:
        if json_output:
            print_json(*(api_object(known) for known in APIS.values()))
        else:
            print_text(api_list_text())
        return
    found = find_api(api)
    if found is None:
        raise typer.BadParameter(no_api(api))
    if version is None:
        if json_output:
            print_json(api_object(found))
        else:
            print_text(api_versions_text(found))
        return
    versions = range(found.first_version, found.last_version + 1)
    number = next((known for known in versions if str(known) == version), None)
    if number is None:
        raise typer.BadParameter(
            f"{found.name} has no version {version!r}, only {found.first_version} to {found.last_version}."
        )
    if json_output:
        print_json(layout_object(found, number))
    else:
        print_text(layout_text(found, number))
