"""What writers of lines have in common, by the writer of JSON."""

import json

from kafkasniff.calls.items import Item
from kafkasniff.calls.reports import Gap
from kafkasniff.render.json.lines import JsonLines
from tests.render.made_calls import CLIENT, SERVER, arrival, heartbeat_call, made_connection, metadata_call


def gap() -> Gap:
    return Gap(made_connection(), str(CLIENT), str(SERVER), "request", 10, arrival(3, 0))


def test_calls_are_taken_from_the_end_of_a_list_up_to_anything_else() -> None:
    items: list[Item] = [heartbeat_call(), gap(), metadata_call(), heartbeat_call()]
    text, shown = JsonLines().calls(items)
    apis = [json.loads(line)["requestHeader"]["requestApiKeyName"] for line in bytes(text).splitlines()]
    assert (apis, shown) == (["HEARTBEAT", "METADATA"], 2)
    assert len(items) == 2


def test_calls_that_are_not_wanted_are_taken_too() -> None:
    items: list[Item] = [metadata_call(), heartbeat_call(), metadata_call()]
    text, shown = JsonLines().calls(items, lambda call: call.api_key == 12)
    assert (bytes(text).count(b"\n"), shown, items) == (1, 1, [])


def test_lines_are_given_without_a_copy_until_more_is_written() -> None:
    writer = JsonLines()
    text, _ = writer.calls([metadata_call()])
    before = bytes(text)
    writer.calls([heartbeat_call()])
    assert json.loads(before)["requestHeader"]["requestApiKeyName"] == "METADATA"
    assert bytes(text) != before


def test_what_was_written_is_given_once() -> None:
    writer = JsonLines()
    writer.write(heartbeat_call())
    first = writer.take()
    assert json.loads(first)["outcome"] == "answered"
    assert writer.take() == b""
    assert writer.line(heartbeat_call()) == first
