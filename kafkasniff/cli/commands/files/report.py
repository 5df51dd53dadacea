"""`kafkasniff report`: all that a capture tells, as one HTML file."""

from typing import Annotated

import typer

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection
from kafkasniff.cli.options.values import none_of

EXAMPLES = """\b
Examples:
  kafkasniff report capture.pcap
  kafkasniff report *.pcapng -o monday.html
  kafkasniff report capture.pcap -o report.html --json
  kafkasniff report capture.pcap --client-id billing --target 4.1
"""


@with_selection
def report(
    files: options.Files,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE.html", help="Where the report is written.")
    ] = "report.html",
    json_output: Annotated[
        bool, typer.Option("--json", help="Also write the data of the report, into FILE.json beside it.")
    ] = False,
    target: Annotated[
        str, typer.Option("--target", metavar="RELEASE", help="The release of Kafka that the audit is for.")
    ] = "4.0",
    *,
    selection: Selection,
) -> None:
    """Write one HTML file with findings, plots, tables and calls. It opens without a network."""
    import os
    from copy import copy

    import orjson

    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import database_for
    from kafkasniff.cli.terminal.output import print_message
    from kafkasniff.questions.releases import fill_target, release_of
    from kafkasniff.render.json.lines import JsonLines
    from kafkasniff.render.report.data import TABLES, asked, report_data
    from kafkasniff.render.report.evidence import cited, decoded_calls
    from kafkasniff.render.report.page import page

    release = release_of(target)
    if release is None:
        from kafkasniff.protocol.api_releases import RELEASES

        raise none_of(target, RELEASES, "--target")
    # Compressed on disk: some seventy questions are asked, and all columns take more memory than DuckDB gets.
    with database_for(on_disk=True) as database:
        capture = load(database, files, asked(), selection, TABLES)
        fill_target(database, release)
        data = report_data(database, capture.reading.summary, files)
        data["target"] = release
        packets = cited(data["findings"])
        # What comes through a pipe cannot be read again.
        again = packets and "-" not in files and not capture.interrupted
        data["cited"] = decoded_calls(copy(capture.reading).batches(), packets, JsonLines()) if again else []
        with open(output, "wb") as stream:
            stream.write(page(data))
        if json_output:
            with open(f"{os.path.splitext(output)[0]}.json", "wb") as stream:
                stream.write(orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE))
        print_message(f"report written to {output}")
        capture.say_closing()
