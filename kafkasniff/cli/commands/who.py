"""`kafkasniff who`: who produces to, consumes from and commits offsets of which topic."""

from kafkasniff.cli.options import common as options
from kafkasniff.cli.options.selection import Selection, with_selection

EXAMPLES = """\b
Examples:
  kafkasniff who capture.pcap
  kafkasniff who *.pcapng --topic orders
  kafkasniff who capture.pcap --json | jq 'select(.role == "produces")'
"""


@with_selection
def who(
    files: options.Files,
    json_output: options.JsonOutput = False,
    csv_output: options.CsvOutput = False,
    *,
    selection: Selection,
) -> None:
    """Say who produces to, consumes from and commits offsets of which topic."""
    from kafkasniff.cli.options.selection import load
    from kafkasniff.cli.showing.answers import database_for, form_of, print_answer
    from kafkasniff.filters.short_forms import fits
    from kafkasniff.questions.named import text_of

    text = text_of("who")
    with database_for() as database:
        capture = load(database, files, text, selection, ["calls", "batches"])
        # A call names other topics beside those that are asked for.
        asked = selection.filters.topic or []
        rows = database.ask(f"SELECT DISTINCT topic FROM ({text})").rows if asked else []
        named = [topic for (topic,) in rows if topic is not None and fits(asked, topic)]
        where = f" WHERE topic IN ({', '.join('?' for _ in named) or 'NULL'})" if asked else ""
        print_answer(database.ask(f"SELECT * FROM ({text}){where}", named), form_of(json_output, csv_output))
        capture.say_closing()
