"""Rows that are put into tables together."""

from kafkasniff.questions.database import Database
from kafkasniff.tables.declared import BROKERS
from kafkasniff.tables.filling import RowBlock

COLUMNS = [column.name for column in BROKERS.columns]


def test_all_rows_are_there_when_something_is_asked() -> None:
    with Database() as database:
        database.prepare([BROKERS.name])
        for number in range(20):
            block = RowBlock(BROKERS)
            block.add(("a.pcap", 0, f"host:{number}", number, None))
            database.insert(BROKERS.name, block)
            if number == 3:
                # What is asked on the way takes nothing away.
                assert [*database.ask("SELECT count(*) FROM brokers").rows] == [(4,)]
        found = database.ask("SELECT node_id, server FROM brokers ORDER BY node_id")
        assert [*found.rows] == [(number, f"host:{number}") for number in range(20)]
