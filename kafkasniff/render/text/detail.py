# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""What `-v` adds below the line of a call: its decoded messages; `-vv`: where their fields lie."""

from collections.abc import Iterator

from kafkasniff.calls.call import Call, Side
from kafkasniff.calls.frame import Frame
from kafkasniff.protocol.bodies import DecodedBody
from kafkasniff.render.colours import Colours
from kafkasniff.render.text.hexdump import field_lines
from kafkasniff.render.text.parts import problem_text
from kafkasniff.render.text.tree import tree_lines
from kafkasniff.render.words import escape, size_text
from kafkasniff.render.wrapping import fold

_TREE_WIDTH = 160
"""Characters of a line of fields where no terminal sets it."""


def detail_lines(call: Call, detail: int, width: int | None, colours: Colours) -> Iterator[str]:
    """Give these lines, without newlines, broken where they are longer than `width`; `detail` is 1 or 2."""
    for line in _lines(call, detail, width or _TREE_WIDTH, colours):
        yield fold(line, width)


def _lines(call: Call, detail: int, width: int, colours: Colours) -> Iterator[str]:
    sides: tuple[tuple[Side, Frame | None, DecodedBody | None], ...] = (
        ("request", call.request, call.request_body),
        ("response", call.response, call.response_body),
    )
    for side, frame, body in sides:
        if frame is None:
            continue
        arrival = frame.last
        version = f" v{body.version}" if body is not None else ""
        place = f"{escape(arrival.interface.file)} packet {arrival.packet}"
        yield f"  {side}{version}, {size_text(frame.size)}, {place}"
        if body is not None:
            tree = body.value if body.value is not None else body.partial
            if tree is not None:
                yield from tree_lines(tree, 4, width)
        for item in call.batches:
            if item["where"] == side:
                yield f"    batch {escape(item['path'])}"
                yield from tree_lines(_without_place(item), 6, width)
        for item in call.decoded:
            if item["where"] == side:
                version = "" if item["version"] is None else f" v{item['version']}"
                yield f"    {escape(item['path'])} holds {escape(str(item['type']))}{version}"
                tree = item["value"] if item["value"] is not None else item.get("partial")
                if tree is not None:
                    yield from tree_lines(tree, 6, width)
        for problem in call.problems:
            if problem.where == side:
                yield f"    {colours.warning}problem: {problem_text([problem])}{colours.off}"
        if detail > 1:
            yield from field_lines(call, side, 4)
    for topic_id, name in call.topics.items():
        yield f"  topic {escape(topic_id)} is {escape(name)}"


def _without_place(item: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in item.items() if name not in ("where", "path")}
