from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.render.text.notes import connection_text, gap_text
from tests.render.made_calls import CLIENT, SERVER, arrival, made_connection

ENDS = (made_connection(), str(CLIENT), str(SERVER))


def test_gaps_are_said_with_their_direction_and_size() -> None:
    now = arrival(3, 0)
    assert gap_text(Gap(*ENDS, "request", 1, now)) == "gap: 1 byte of the requests not in the capture"
    assert gap_text(Gap(*ENDS, "response", 12_345, now)) == "gap: 12,345 bytes of the responses not in the capture"
    assert gap_text(Gap(*ENDS, None, None, now)) == "gap: an unknown number of bytes not in the capture"


def test_what_a_connection_was_is_shown_safely() -> None:
    connection = made_connection()
    first, second = connection.counters
    first.packets, second.packets, first.data_bytes, second.data_bytes = 3, 2, 40, 60
    report = ConnectionReport(connection, *ENDS[1:], "kafka", "an answer\x1b[2J", 2, arrival(5, 0))
    assert connection_text(report) == r"connection: kafka, 2 calls, 5 packets, 100 B, an answer\x1b[2J"
