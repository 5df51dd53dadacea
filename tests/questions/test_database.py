"""Rows that are put into tables together."""

from kafkasniff.questions.database import Database
from kafkasniff.questions.named import text_of
from kafkasniff.reading import Reading
from kafkasniff.tables.blocks.row_block import RowBlock
from kafkasniff.tables.declared import BROKERS, PARTITIONS_NAMED
from tests.conftest import CAPTURES

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


def test_rows_are_compressed_once_there_are_many() -> None:
    with Database() as database:
        database.prepare([BROKERS.name])
        for number in range(8):
            block = RowBlock(BROKERS)
            for node in range(1_000):
                block.add(("a.pcap", 0, f"host:{number}", node, "rack"))
            database.insert(BROKERS.name, block)
        text = "SELECT DISTINCT compression FROM pragma_storage_info('brokers') WHERE column_name = 'rack'"
        assert ("Uncompressed",) not in [*database.ask(text).rows]


def test_of_partitions_only_what_has_a_lag_is_read_for_questions() -> None:
    path = str(CAPTURES / "java-4.3.1-basic.pcap")
    found = []
    for text in ("*", text_of("who")):
        with Database() as database:
            filler = database.filler([PARTITIONS_NAMED.name], text)
            for items in Reading(path).batches():
                filler.take(items)
            filler.flush()
            [(apis,)] = database.ask("SELECT list_sort(list(DISTINCT api_name)) FROM partitions").rows
            lags = "SELECT client_id, topic, partition, time_ns, lag FROM partitions WHERE lag IS NOT NULL ORDER BY ALL"
            found.append((apis, [*database.ask(lags).rows]))
    (every, lags), (few, same) = found
    assert "PRODUCE" in every
    assert few == ["FETCH"]
    assert same == lags != []
