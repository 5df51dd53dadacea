"""Names are read as they are, whichever others were read before."""

from kafkasniff.tables.calls.call_reader import CallReader
from tests.render.made_calls import metadata_call

ALIKE = [f"t{number:03}-orders" for number in range(3_000)]
"""More than are remembered, and all of the same length and ends."""


def test_names_that_look_alike_are_told_apart() -> None:
    reader = CallReader()
    for name in (*ALIKE, *reversed(ALIKE), "", "é" * 300, "é" * 299 + "è"):
        reader.read_call(metadata_call(topic=name))
        assert list(reader.topics) == [name] * bool(name)
