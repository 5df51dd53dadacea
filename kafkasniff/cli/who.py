"""`kafkasniff who`: who produces to, consumes from and commits offsets of which topic."""

from kafkasniff.cli import options
from kafkasniff.cli.selection import Selection, with_selection

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
    from kafkasniff.cli.asking import database_for, form_of, print_answer
    from kafkasniff.cli.selection import load
    from kafkasniff.questions.named import text_of

    text = text_of("who")
    with database_for() as database:
        capture = load(database, files, text, selection, ["calls", "batches"])
        # A call names other topics beside those that are asked for.
        named = selection.topic or []
        where = f" WHERE topic IN ({', '.join('?' for _ in named)})" if named else ""
        print_answer(database.ask(f"SELECT * FROM ({text}){where}", named), form_of(json_output, csv_output))
        capture.say_closing()
