"""What is put into the SQL of questions; tests/questions/test_answers.py looks at what comes out."""

import duckdb

from kafkasniff.questions.named import beside, keyed, text_of


def test_the_comment_on_top_is_for_people() -> None:
    assert not text_of("stats").startswith("--")
    assert "{keys}" in text_of("stats")


def test_places_are_filled() -> None:
    text = keyed("stats", ["api_name", "topic"], where="failed")
    assert "{" not in text.replace("{}", "")
    assert '"api_name", "topic"' in text
    assert "WHERE failed" in text


def test_two_questions_stand_side_by_side() -> None:
    first = "SELECT * FROM (VALUES (1, NULL, 5), (2, 'b', 6)) AS t(a, b, calls)"
    second = "SELECT * FROM (VALUES (1, NULL, 7, 8)) AS t(a, b, held, other)"
    found = duckdb.sql(beside(["a", "b"], first, second, ["held"]) + " ORDER BY a").fetchall()
    assert found == [(1, None, 5, 7), (2, "b", 6, None)]
