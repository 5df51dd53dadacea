import pyarrow.parquet as pq

from kafkasniff.pipeline.rows.output import table_of
from kafkasniff.pipeline.rows.schemas import schema_of
from kafkasniff.pipeline.rows.told import told_once
from kafkasniff.tables.declared import APIS_OFFERED, BROKERS


def files(folder, table, *parts):
    paths = []
    for number, rows in enumerate(parts):
        paths.append(str(folder / f"{number}.parquet"))
        pq.write_table(table_of(rows, schema_of(table)), paths[-1])
    return paths


def test_a_broker_is_told_once_for_each_place(tmp_path):
    first, later = ("a", 5, "one:9092", 1, None), ("a", 7, "one:9092", 1, None)
    moved, elsewhere = ("a", 6, "one:9092", 1, "rack"), ("b", 9, "one:9092", 1, None)
    paths = files(tmp_path, BROKERS, [later, elsewhere], [moved, first])
    assert told_once(BROKERS, paths) == [
        ("brokers", 5_000, first),
        ("brokers", 6_000, moved),
        ("brokers", 9_000, elsewhere),
    ]


def test_of_what_a_broker_offers_the_first_answer_counts(tmp_path):
    def row(time, api, latest):
        return ("a", time, "one:9092", api, "PRODUCE" if api == 0 else "FETCH", 0, latest)

    before_upgrade = [row(3, 0, 9), row(3, 1, 12)]
    paths = files(tmp_path, APIS_OFFERED, [row(4, 0, 11), row(4, 1, 13)], before_upgrade, before_upgrade)
    assert told_once(APIS_OFFERED, paths) == [("apis_offered", 3_000, row) for row in before_upgrade]
