"""`kafkasniff help`: what several commands have in common, explained once."""

from typing import Annotated, Any

import typer

from kafkasniff.cli.terminal.pager import page

EXAMPLES = """\b
Examples:
  kafkasniff help
  kafkasniff help filters
  kafkasniff help bounds
  kafkasniff help read
"""

TOPICS = {
    "filters": "Filters choose which calls `read` and `live` show and which `diagnose` judges. `--where EXPRESSION`"
    " takes fields, compared with == != < <= > >= ~ (a regular expression) or in (a, b), and joined by and, or, not and"
    " parentheses. A field alone holds where it has a value. In values, `*` stands for any characters and `?` for one."
    " The other options are short forms: of several values any may fit, `a,b` is a list, `!a` is all but a. Of"
    " different options, a call has to fit all. More: docs/filters.md.",
    "output": "`read`, `live` and `show` print a line a call: its number, when it ended, client and server (`/1`:"
    " broker 1), client id, API and version, correlation id, how long it took, what became of it where that is no"
    " answer, errors, and what it says. On a terminal, columns that have no room are left out, or stand below their"
    " line; elsewhere each line has all. More: docs/tasks.md.",
    "totals": "`live` can show totals in place of calls: rates, errors, latencies and throttling by API, broker, client"
    " id, topic, group and error. `other` stands for names beyond those that `--names` tells apart. Filters choose"
    " which calls are counted. More: docs/metrics.md.",
    "capture": "`live` takes packets from network interfaces, which needs the right to capture, until Ctrl-C or for"
    " --duration. The right is given up once all is open. More: docs/capture.md.",
    "bounds": "Bounds say how much is held in memory; the defaults suit a laptop. `--bounds NAME=VALUE,...` of `read`,"
    " `live` and `diagnose` changes them. A bound that is reached is reported: before the closing line, or as a problem"
    " of the call that reached it.",
}
_EXAMPLES = {
    "filters": (
        "read a.pcap --where 'api == fetch and latency > 500ms'",
        "read a.pcap --where 'error and not client_id ~ \"^test\"'",
        "read a.pcap --where 'request.acks == 1 or topic in (orders, pay*)'",
        "read a.pcap --api fetch,produce --topic '!__*' --slower-than 500ms",
        "read a.pcap --errors --from +10s --to +20s",
    ),
    "output": (
        "read a.pcap --wide --no-header",
        "read a.pcap --columns time,client_id,api,latency,error",
        "read a.pcap --format csv --columns number,topic,request.acks",
        "read a.pcap --sort request --time local",
    ),
    "totals": (
        "live eth0 --top --diagnose",
        "live eth0 --every 10s --json",
        "live eth0 --metrics :9308 --names 500",
    ),
    "capture": (
        "live eth0 --bpf 'host 10.0.0.7' --json | jq .requestHeader",
        "live any --duration 5m --buffer 512 --user nobody",
        "live eth0 --json --jobs 4 > calls.ndjson",
    ),
    "bounds": ("read a.pcap --bounds message=16MiB,pending=1000", "diagnose a.pcap.gz --bounds ratio=100"),
}


def _complete(incomplete: str) -> list[str]:
    from kafkasniff.cli.app import COMMANDS

    return [name for name in (*TOPICS, *COMMANDS) if name.startswith(incomplete)]


def help(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="TOPIC",
            help="`filters`, `output`, `totals`, `capture`, `bounds`, or a command.",
            autocompletion=_complete,
        ),
    ] = None,
) -> None:
    """Explain filters, output, totals, capture, bounds, or a command."""
    page()
    from kafkasniff.cli.app import COMMANDS, run
    from kafkasniff.cli.terminal.output import print_text
    from kafkasniff.near_names import did_you_mean
    from kafkasniff.render.terminal import text_width
    from kafkasniff.render.words import show
    from kafkasniff.render.wrapping import definitions, paragraph

    if topic is None or topic in COMMANDS:
        raise typer.Exit(run([*([topic] if topic else []), "--help"]))
    if topic not in TOPICS:
        known = _complete("")
        near = did_you_mean(topic, known) or f", only {', '.join(known)}."
        raise typer.BadParameter(f"no topic or command is called '{show(topic)}'{near}")
    width = text_width()
    entries = (
        _bounds()
        if topic == "bounds"
        else _options(topic.capitalize(), "live" if topic in ("totals", "capture") else "read")
    )
    fields = f"Fields:\n{definitions(_fields(), width)}\n" if topic == "filters" else ""
    fields += "" if topic == "bounds" else "Options:\n"
    examples = "".join(f"  kafkasniff {each}\n" for each in _EXAMPLES[topic])
    print_text(f"{paragraph(TOPICS[topic], width)}\n\nExamples:\n{examples}\n{fields}{definitions(entries, width)}")


def _bounds() -> list[tuple[str, str]]:
    from kafkasniff.cli.options.bounds import BOUNDS

    return [(f"{name}={bound.value_text()}", bound.text) for name, bound in BOUNDS.items()]


def _fields() -> list[tuple[str, str]]:
    from kafkasniff.filters.fields import BODY_FIELDS, FIELDS

    return [*((field.name, field.text()) for field in FIELDS.values()), *BODY_FIELDS]


def _options(heading: str, of: str) -> list[tuple[str, str]]:
    """Give the options of a command under a heading, with what they do."""
    from kafkasniff.cli.app import command_line
    from kafkasniff.cli.options.formatting import topic_of

    group: Any = typer.main.get_command(command_line())
    command = group.commands[of]
    context = command.make_context(of, [], resilient_parsing=True)
    records = (each.get_help_record(context) for each in command.get_params(context) if topic_of(each) == heading)
    return [record for record in records if record is not None]
