import json

from kafkasniff.diagnose.timeline import Row, Timeline
from kafkasniff.render.colours import PLAIN
from kafkasniff.render.timelines import timeline_lines
from tests.render.made_calls import arrival


def timeline() -> Timeline:
    made = Timeline("group", "billing")
    made.rows.append(Row(arrival(1, 0), arrival(2, 0), "shop", "JOIN_GROUP v9", "member m-1", "new generation"))
    made.rows.append(Row(arrival(3, 0), arrival(9, 0), "a\x1b", "HEARTBEAT v4", "", "", 7))
    made.left_out = 5
    return made


def test_columns_are_aligned_and_safe() -> None:
    text = b"".join(timeline_lines(timeline(), False, PLAIN)).decode()
    assert text.splitlines() == [
        "2026-11-20T12:00:00.000000Z  shop   JoinGroup v9      new generation  member m-1",
        r"2026-11-20T12:00:00.000000Z  a\x1b  Heartbeat v4  ×7",
        "5 more rows were left out",
    ]


def test_json() -> None:
    first, second = map(json.loads, timeline_lines(timeline(), True, PLAIN))
    assert (first["what"], first["mark"], first["packet"]) == ("JOIN_GROUP v9", "new generation", 1)
    assert (second["count"], second["client"]) == (7, "a\x1b")


def test_no_rows() -> None:
    assert list(timeline_lines(Timeline("client", "x"), False, PLAIN)) == []
