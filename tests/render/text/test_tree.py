from kafkasniff.render.text.tree import tree_lines


def test_plain_fields_stand_side_by_side_up_to_the_width() -> None:
    value = {"aaaa": 1, "bbbb": "two", "cccc": None, "dddd": True, "eeee": [1, 2]}
    assert list(tree_lines(value, 2, 80)) == ["  aaaa: 1  bbbb: two  cccc: null  dddd: true  eeee: [1, 2]"]
    assert list(tree_lines(value, 2, 24)) == ["  aaaa: 1  bbbb: two", "  cccc: null  dddd: true", "  eeee: [1, 2]"]


def test_structs_keep_their_place_between_plain_fields() -> None:
    value = {"first": 1, "struct": {"inner": {"x": 1.5}}, "list": [{"a": 1}, {"b": []}], "last": ""}
    assert list(tree_lines(value, 0, 80)) == [
        "first: 1",
        "struct:",
        "  inner:",
        "    x: 1.5",
        "list:",
        "  - a: 1",
        "  - b: []",
        'last: ""',
    ]


def test_error_codes_are_named() -> None:
    assert list(tree_lines({"errorCode": 6, "partitionErrorCode": 0}, 0, 80)) == [
        "errorCode: 6 NOT_LEADER_OR_FOLLOWER  partitionErrorCode: 0"
    ]
    assert list(tree_lines({"errorCode": 9999}, 0, 80)) == ["errorCode: 9999"]


def test_an_empty_body() -> None:
    assert list(tree_lines({}, 4, 80)) == ["    {}"]


def test_long_values_and_arrays_are_cut_with_their_length() -> None:
    (line,) = tree_lines({"metadata": "x" * 5000}, 0, 80)
    assert line == f"metadata: {'x' * 1024}… (5,000 characters)"
    (line,) = tree_lines({"ids": list(range(2000))}, 0, 80)
    assert line.endswith(", 998, 999, … 2,000 in all]")
    lines = list(tree_lines({"topics": [{"name": "t"}] * 1500}, 0, 80))
    assert len(lines) == 1002
    assert lines[-1] == "  … 500 more"


def test_values_are_escaped() -> None:
    assert list(tree_lines({"name": "a\x1b[0m\n"}, 0, 80)) == ["name: a\\x1b[0m\\x0a"]


def test_tuples_are_arrays() -> None:
    lines = list(tree_lines({"headers": ({"key": "trace", "value": "1"},), "empty": ()}, 0, 80))
    assert lines == ["headers:", "  - key: trace  value: 1", "empty: []"]
