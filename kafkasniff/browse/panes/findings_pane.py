"""What is wrong: findings, each with its cause, what to do, and the calls that show it."""

import textwrap
from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from kafkasniff.diagnose.finding import Finding
from kafkasniff.render.diagnosis.findings import for_people
from kafkasniff.render.times import utc_text
from kafkasniff.render.words import escape, show

_STYLES = {"error": "bold red", "warning": "yellow", "info": "dim"}
_NARROWEST = 30
_INDENT = 8
"""Columns of the guides before a line of text."""


class FindingsPane(Tree[int]):
    """A tree of findings; nodes of evidence have the number of their call."""

    class Cited(Message):
        """Evidence was chosen."""

        def __init__(self, number: int) -> None:
            """Take the number of its call."""
            super().__init__()
            self.number = number

    def __init__(self) -> None:
        """Begin without findings."""
        super().__init__("", id="findings")
        self.show_root = False
        self.guide_depth = 2
        self._shown: list[tuple[str, int, str]] = []
        self._open: set[str] = set()

    def show(self, findings: Sequence[Finding], none: str) -> None:
        """Show findings in place of those before, unless they are the same; `none` where there are none."""
        told = [(finding.rule, finding.count, finding.summary) for finding in findings]
        if told == self._shown and self.root.children and (told or str(self.root.children[0].label) == none):
            return
        self._shown = told
        opened = {str(node.label) for node in self.root.children if node.is_expanded}
        line = self.cursor_line
        self.clear()
        for finding in findings:
            self._add(self.root, for_people(finding), opened)
        if not findings:
            self.root.add_leaf(Text(none, "dim"))
        self.cursor_line = min(line, max(len(self.root.children) - 1, 0)) if line >= 0 else 0

    def on_resize(self, _: events.Resize) -> None:
        """Break lines anew when findings are shown next."""
        self._shown = []

    def render_label(self, node: TreeNode[int], base_style: Style, style: Style) -> Text:
        """Give the text of a node; that of a finding cut visibly, as what it says stands whole below it."""
        text = super().render_label(node, base_style, style)
        if not node.allow_expand:
            return text
        above, depth = node.parent, 0
        while above is not None and above is not self.root:
            above, depth = above.parent, depth + 1
        text.truncate(max(self.size.width - self.guide_depth * depth - 1, 1), overflow="ellipsis")
        return text

    def _add(self, root: TreeNode[int], finding: Finding, opened: set[str]) -> None:
        label = Text(f"{finding.severity.upper():<7} {finding.rule}", _STYLES[finding.severity])
        label.append(f"  {escape(finding.summary)}", "not bold default")
        label.no_wrap = True
        node = root.add(label, expand=label.plain in opened)
        for name, text in (("", finding.summary), ("why: ", finding.cause), ("fix: ", finding.fix)):
            self._add_text(node, name, text)
        for item in finding.evidence:
            arrival = item.arrival
            time = utc_text(arrival.time, arrival.interface.time_digits)
            call = f", call {item.call}" if item.call else ""
            line = Text(f"→ {time} packet {arrival.packet}{call}: ", "cyan" if item.call else "dim")
            line.append(show(item.what, 200), "default")
            node.add_leaf(line, item.call)
        for each in finding.consequences:
            self._add(node, each, opened)

    def _add_text(self, node: TreeNode[int], name: str, text: str) -> None:
        width = max(self.app.size.width - _INDENT, _NARROWEST)
        for line in textwrap.wrap(f"{name}{escape(text)}", width, subsequent_indent=" " * len(name)):
            node.add_leaf(Text(line))

    def on_tree_node_selected(self, event: Tree.NodeSelected[int]) -> None:
        """Tell which call evidence is about."""
        event.stop()
        if event.node.data:
            self.post_message(self.Cited(event.node.data))
