"""One call whole: the tree of its request and response, and the bytes of the field at the cursor."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from kafkasniff.browse.panes.bytes_view import BytesView
from kafkasniff.calls.call import Call, Side
from kafkasniff.render.text.hexdump import ShownMessage, shown_message
from kafkasniff.render.text.parts import problem_text
from kafkasniff.render.text.tree import value_text
from kafkasniff.render.times import utc_text
from kafkasniff.render.words import escape, show, size_text
from kafkasniff.wording import failure_text

_AT_ONCE = 200
"""Elements of an array that are shown before more are asked for."""
_OPEN = 12
"""Arrays up to this length are shown open."""
_SIDES: tuple[Side, Side] = ("request", "response")


class NodeData(NamedTuple):
    """What a node of the tree stands for."""

    side: Side
    path: str
    """Of a field of the body or, with `is_header`, of the header; empty: the whole message."""
    is_header: bool = False
    value: Any = None
    """What is within, where the node's children are not made yet."""
    begin: int = 0
    """Of an array: which of its elements comes first."""


class Detail(Container):
    """Shows a call."""

    def compose(self) -> ComposeResult:
        """Make the tree and the bytes."""
        tree: Tree[NodeData] = Tree("", id="tree")
        tree.show_root = False
        tree.guide_depth = 2
        yield tree
        yield BytesView()

    def on_mount(self) -> None:
        """Begin without a call."""
        self._call: Call | None = None
        self._side: Side | None = None
        self._messages: dict[Side, ShownMessage | None] = {}

    @property
    def fields(self) -> Tree[NodeData]:
        """Give the tree."""
        return self.query_one("#tree", Tree)

    @property
    def bytes(self) -> BytesView:
        """Give the bytes."""
        return self.query_one(BytesView)

    def show(self, call: Call) -> None:
        """Show a call."""
        self._call, self._side, self._messages = call, None, {}
        tree = self.fields
        tree.clear()
        for side in _SIDES:
            try:
                self._add_side(tree.root, call, side)
            except Exception as error:
                tree.root.add_leaf(Text(f"the {side} {failure_text(error)}", "red"))
        for topic_id, name in call.topics.items():
            tree.root.add_leaf(Text(f"topic {escape(topic_id)} is {escape(name)}", "dim"))
        self._show_bytes("request" if call.request is not None else "response")
        tree.cursor_line = 0

    def _add_side(self, root: TreeNode[NodeData], call: Call, side: Side) -> None:
        frame = call.request if side == "request" else call.response
        if frame is None:
            return
        body = call.request_body if side == "request" else call.response_body
        version = "" if body is None else f" v{body.version}"
        last = frame.last
        time = utc_text(last.time, last.interface.time_digits)
        label = Text(f"{side}{version}", "bold")
        label.append(
            f", {size_text(frame.size)}, {time}, {show(last.interface.file, 60)} packet {last.packet}", "not bold dim"
        )
        node = root.add(label, NodeData(side, ""), expand=True)
        header = self._header(side)
        if header:
            head = node.add(Text("header"), NodeData(side, "", True))
            for path, value in header:
                head.add_leaf(_labelled(path, value), NodeData(side, path, True))
        tree = None if body is None else body.value if body.value is not None else body.partial
        if tree is not None:
            self._add_members(node, NodeData(side, "", value=tree))
        for item in call.batches:
            if item["where"] == side:
                self._add_found(node, side, f"batch {escape(item['path'])}", item["path"], _without_place(item))
        for item in call.decoded:
            if item["where"] == side:
                version = "" if item["version"] is None else f" v{item['version']}"
                found: Any = item["value"] if item["value"] is not None else item.get("partial")
                label_text = f"{escape(item['path'])} holds {escape(str(item['type']))}{version}"
                self._add_found(node, side, label_text, item["path"], found or {})
        for problem in call.problems:
            if problem.where == side:
                node.add_leaf(Text(f"problem: {problem_text([problem])}", "yellow"), NodeData(side, problem.path or ""))

    def _header(self, side: Side) -> list[tuple[str, str]]:
        message = self._message(side)
        if message is None or self._call is None:
            return []
        return [(field.path, field.value) for field in message.fields[: message.header_fields]]

    def _add_found(self, node: TreeNode[NodeData], side: Side, label: str, path: str, value: dict[str, Any]) -> None:
        """Add what lies within a field: its own fields have no bytes of their own in the frame."""
        found = node.add(Text(label), NodeData(side, path))
        self._add_members(found, NodeData(side, path, value=value), within=True)

    def _add_members(self, node: TreeNode[NodeData], place: NodeData, within: bool = False) -> None:
        for name, value, path in _members(place):
            own = place.path if within else path
            if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], (dict, list))):
                count = f" ({len(value):,})" if isinstance(value, list) else ""
                child = node.add(Text(f"{escape(name)}{count}"), NodeData(place.side, own, value=value))
                if within:
                    self._add_members(child, NodeData(place.side, own, value=value), within=True)
                elif isinstance(value, dict) or len(value) <= _OPEN:
                    child.expand()
            else:
                node.add_leaf(_labelled(name, value_text(name, value)), NodeData(place.side, own))
        if isinstance(place.value, list) and len(place.value) > place.begin + _AT_ONCE:
            begin = place.begin + _AT_ONCE
            node.add(Text(f"… {len(place.value) - begin:,} more", "dim"), place._replace(begin=begin))

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[NodeData]) -> None:
        """Make the children of a node when they are asked for."""
        place = event.node.data
        if place is not None and place.value is not None and not event.node.children:
            self._add_members(event.node, place)

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[NodeData]) -> None:
        """Mark the bytes of the field at the cursor."""
        place = event.node.data
        if place is None or self._call is None:
            return
        self._show_bytes(place.side)
        begin, end = self._span(place)
        self.bytes.mark(begin, end)

    def on_bytes_view_clicked(self, event: BytesView.Clicked) -> None:
        """Put the cursor to the field of a byte, as far as its node is there."""
        message = self._message(self._side) if self._side is not None else None
        for field in () if message is None else message.fields:
            if field.offset <= event.offset < field.offset + field.length:
                node = _node_of(self.fields.root, self._side, field.path)
                if node is not None:
                    self.fields.move_cursor(node)
                self.bytes.mark(field.offset, field.offset + field.length)

    def _message(self, side: Side) -> ShownMessage | None:
        if side not in self._messages and self._call is not None:
            try:
                self._messages[side] = shown_message(self._call, side)
            except Exception:
                self._messages[side] = None
        return self._messages.get(side)

    def _show_bytes(self, side: Side) -> None:
        if side == self._side or self._call is None:
            return
        self._side = side
        frame = self._call.request if side == "request" else self._call.response
        message = self._message(side)
        data = b"" if frame is None else frame.data
        # Of what is not known to be harmless nothing is shown.
        hidden = message.hidden(len(data)) if message is not None else [(0, len(data))]
        if self._call.show_secrets:
            hidden = []
        self.bytes.show(data, hidden)

    def _span(self, place: NodeData) -> tuple[int, int]:
        """Give where the bytes of a field begin and end; of one with fields inside, of all of them."""
        message = self._message(place.side)
        if message is None or (not place.path and not place.is_header):
            return 0, 0
        path = place.path.removesuffix("SizeInBytes")
        count = message.header_fields
        fields = message.fields[:count] if place.is_header else message.fields[count:]
        inner = (f"{path}.", f"{path}[")
        spans = [
            (field.offset, field.offset + field.length)
            for field in fields
            if not path or field.path == path or field.path.startswith(inner)
        ]
        return (min(begin for begin, _ in spans), max(end for _, end in spans)) if spans else (0, 0)


def _members(place: NodeData) -> Iterator[tuple[str, Any, str]]:
    """Give the names, values and paths of what is in a value."""
    if isinstance(place.value, dict):
        for name, value in place.value.items():
            yield name, value, f"{place.path}.{name}" if place.path else name
    else:
        for index, value in enumerate(place.value[place.begin : place.begin + _AT_ONCE], place.begin):
            yield f"[{index}]", value, f"{place.path}[{index}]"


def _labelled(name: str, value: str) -> Text:
    text = Text(f"{escape(name)}: ", "cyan")
    text.append(value, "default")
    return text


def _without_place(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in ("where", "path")}


def _node_of(root: TreeNode[NodeData], side: Side | None, path: str) -> TreeNode[NodeData] | None:
    """Give the node of a field; those around it are opened."""
    for node in root.children:
        place = node.data
        if place is None or place.side != side:
            continue
        if place.path == path and path:
            return node
        if not place.path or path.startswith((f"{place.path}.", f"{place.path}[")):
            if place.value is not None and not node.children:
                node.expand()
            found = _node_of(node, side, path)
            if found is not None:
                return found
    return None
