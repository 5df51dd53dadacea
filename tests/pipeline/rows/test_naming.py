from kafkasniff.calls.enrichment.topics import TopicNames
from kafkasniff.pipeline.follow.carry import load, save
from kafkasniff.pipeline.rows.naming import Mark, MarkedNames, NameTask, NamingWork, named
from tests.pipeline.follow.batches import file_row


def test_names_that_are_not_known_are_marked():
    known = TopicNames()
    known.add("a" * 22, "orders")
    names = MarkedNames(known)

    assert names.get("a" * 22) == "orders"
    assert not names.lacking
    mark = names.get("b" * 22)
    assert isinstance(mark, Mark)
    assert names.lacking
    assert names.of(["a" * 22, "b" * 22]) == {"a" * 22: "orders", "b" * 22: mark}


def test_the_id_that_stands_for_no_topic_has_no_mark():
    names = MarkedNames(TopicNames())

    # Uuid.ZERO_UUID in Kafka's base 64.
    assert names.get("AAAAAAAAAAAAAAAAAAAAAA") is None
    assert not names.lacking


def test_marks_become_names_each_once():
    row = ("key", Mark("x"), ["orders", Mark("x"), Mark("y")], [1, 2], None)

    assert named(("calls", 5, row), {}) == (("calls", 5, ("key", None, ["orders"], [1, 2], None)), False)
    assert named(("calls", 5, row), {"x": "orders"}).placed[2][1:3] == ("orders", ["orders"])
    whole = named(("calls", 5, row), {"x": "bills", "y": "orders"})
    assert whole == (("calls", 5, ("key", "bills", ["orders", "bills"], [1, 2], None)), True)


def test_partitions_get_the_names_of_their_topics(tmp_path):
    known, unknown = Mark("a" * 22), Mark("b" * 22)
    row = ([known + "-0", unknown + "-12", "bills-3"],)
    [saved] = load(str(tmp_path), save(str(tmp_path), [("group_events", 5, row)]))

    assert named(saved, {known: "orders"}) == (("group_events", 5, (["orders-0", "b" * 22 + "-12", "bills-3"],)), False)
    assert named(saved, {known: "orders", unknown: "x"}).complete


def test_text_of_the_wire_is_no_mark():
    row = ("calls", 5, ("x", ["x"]))

    assert named(row, {"x": "orders"}) == (row, True)


def work_of(tmp_path, ids):
    rows = [("files", 0, (Mark(each), *file_row(f"{number}")[1:])) for number, each in enumerate(ids)]
    return NamingWork("unnamed 3", [save(str(tmp_path), rows)])


def test_rows_wait_until_all_their_names_are_known(tmp_path):
    done = NameTask({"x": "orders"}, str(tmp_path))._name(work_of(tmp_path, "xyx"))

    assert [each.rows for each in done.complete] == [2]
    assert [each.rows for each in done.incomplete] == [1]
    assert [row[2][0] for row in load(str(tmp_path), done.saved)] == ["y"]
    assert done.given_up == 0


def test_of_too_many_the_oldest_wait_no_longer(tmp_path, monkeypatch):
    monkeypatch.setattr("kafkasniff.pipeline.rows.naming.MOST_UNNAMED", 2)

    done = NameTask({"x": "orders"}, str(tmp_path))._name(work_of(tmp_path, "yxzyz"))

    assert [each.rows for each in done.complete] == [3]
    assert done.given_up == 2
    assert [row[2][0] for row in load(str(tmp_path), done.saved)] == ["y", "z"]
