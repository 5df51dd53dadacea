"""A row for each client, a column for each topic."""

from kafkasniff.cli.showing.matrix import matrix_of
from kafkasniff.questions.database import Answer

COLUMNS = ["topic", "role", "client_host", "client_id", "principal", "calls"]


def matrix(*rows: tuple[object, ...]) -> tuple[list[str], list[tuple[object, ...]]]:
    made = matrix_of(Answer(COLUMNS, iter(rows)))
    return made.columns, [*made.rows]


def test_roles_stand_where_client_and_topic_meet() -> None:
    columns, rows = matrix(
        ("orders", "produces", "10.0.0.2", "shop", None, 1_200),
        ("orders", "consumes", "10.0.0.1", "billing", "User:bob", 30),
        ("carts", "consumes", "10.0.0.2", "shop", None, 5),
        ("orders", "consumes", "10.0.0.2", "shop", None, 4),
        # The same role in two groups.
        ("orders", "consumes", "10.0.0.2", "shop", None, 6),
    )
    assert columns == ["client_host", "client_id", "principal", "orders", "carts"]
    assert rows == [
        ("10.0.0.1", "billing", "User:bob", "consumes 30", None),
        ("10.0.0.2", "shop", None, "produces 1,200, consumes 10", "consumes 5"),
    ]


def test_clients_of_one_host_are_apart_and_nobody_comes_first() -> None:
    _, rows = matrix(
        *(("orders", "consumes", host, client_id, None, 1) for host, client_id in (("b", "x"), ("b", None), ("a", "x")))
    )
    assert [row[:2] for row in rows] == [("a", "x"), ("b", None), ("b", "x")]


def test_nothing_is_an_empty_matrix() -> None:
    assert matrix() == (["client_host", "client_id", "principal"], [])
