import json

from kafkasniff.diagnose.timeline import Row, Timeline
from kafkasniff.render.colours import PLAIN
from kafkasniff.render.diagnosis.timelines import nothing_text, timeline_lines
from tests.diagnose.made import call
from tests.render.made_calls import arrival


def timeline() -> Timeline:
    made = Timeline("group", "billing")
    made.rows.append(Row(arrival(1, 0), arrival(2, 0), "shop", "JOIN_GROUP v9", "member m-1", "new generation"))
    made.rows.append(Row(arrival(3, 0), arrival(9, 0), "a\x1b", "HEARTBEAT v4", "", "", 7))
    made.left_out = 5
    return made


def test_columns_are_aligned_and_safe() -> None:
    text = b"".join(timeline_lines(timeline(), False, PLAIN, None)).decode()
    assert text.splitlines() == [
        "2026-11-20 (UTC)",
        "12:00:00.000000  shop   JoinGroup v9      new generation  member m-1",
        r"12:00:00.000000  a\x1b  Heartbeat v4  ×7",
        "5 more rows were left out",
    ]


def test_details_stand_below_where_there_is_no_room() -> None:
    text = b"".join(timeline_lines(timeline(), False, PLAIN, 60)).decode()
    assert text.splitlines() == [
        "2026-11-20 (UTC)",
        "12:00:00.000000  shop   JoinGroup v9",
        "    new generation  member m-1",
        r"12:00:00.000000  a\x1b  Heartbeat v4  ×7",
        "5 more rows were left out",
    ]


def test_json() -> None:
    first, second = map(json.loads, timeline_lines(timeline(), True, PLAIN, None))
    assert (first["what"], first["mark"], first["packet"]) == ("JOIN_GROUP v9", "new generation", 1)
    assert (second["count"], second["client"]) == (7, "a\x1b")


def test_no_rows() -> None:
    assert list(timeline_lines(Timeline("client", "x"), False, PLAIN, None)) == []


def test_rows_stand_in_the_order_in_which_they_began() -> None:
    made = Timeline("group", "billing")
    for packet, begun in ((1, 5), (2, 0), (3, 7)):
        made.rows.append(Row(arrival(packet, begun), arrival(9, 9), "shop", "JOIN_GROUP v9", "", ""))
    assert [json.loads(line)["packet"] for line in timeline_lines(made, True, PLAIN, None)] == [2, 1, 3]


def test_a_name_that_no_call_has() -> None:
    made = Timeline("group", "biling")
    for number, group in enumerate(["billing", "audit\x1b"], 1):
        made.feed(call(11, 2, {"groupId": group}, {"errorCode": 0}, at=number))
    assert nothing_text(made) == r"no call names group biling; did you mean billing? groups seen: billing, audit\x1b"
    made.feed(call(11, 2, {"groupId": "biling"}, {"errorCode": 0}, at=3))
    assert nothing_text(made) == ""


def test_nothing_of_a_kind() -> None:
    text = "no call names transactional-id payments; transactional-ids seen: none"
    assert nothing_text(Timeline("transactional-id", "payments")) == text
