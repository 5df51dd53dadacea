from kafkasniff.tables.arrow import column_of
from kafkasniff.tables.parquet.leaves import leaves_of, schema_of


def test_a_list_of_structs_has_a_leaf_for_each_field() -> None:
    kind = "list<struct<key: string, value: binary>>"
    rows = [[{"key": "a", "value": None}, {"key": "b", "value": b"x"}], []]
    leaves = leaves_of("headers", kind, column_of(kind, rows), 2)
    assert [leaf.path for leaf in leaves] == [("headers", "list", "element", name) for name in ("key", "value")]
    assert [list(leaf.definitions or ()) for leaf in leaves] == [[4, 4, 1], [3, 4, 1]]
    assert [list(leaf.repetitions or ()) for leaf in leaves] == [[0, 1, 0]] * 2


def test_a_list_takes_three_elements_of_the_schema() -> None:
    assert [len(schema_of("x", kind)) for kind in ("int8", "list<string>", "list<struct<a: string, b: binary>>")] == [
        1,
        3,
        5,
    ]
