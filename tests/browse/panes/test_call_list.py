from pathlib import Path

from textual.widgets import Tree

from kafkasniff.reading import Reading
from tests.browse.screens import STORM, Screen, browse
from tests.cli.hostile_calls import named_heartbeats

HOSTILE = [
    "[bold]red[/]",
    "<script>alert(1)</script>",
    "\x1b]0;owned\x07\x9b31m",
    "\u202eevil\u2066",
    "\U0001f469\u200d\U0001f52c",
    "שלום",
    "x" * 10_000,
]


SHOWN = [
    "[bold]red[/]",
    "<script>alert(1)</script>",
    r"\x1b]0;owned\x07\x9b31m",
    r"\u202eevil\u2066",
    "\U0001f469\\u200d\U0001f52c",
    "שלום",
    "x" * 59 + "…",
]
"""Control characters, bidirectional overrides and joiners are escaped; all else stands as it is."""


def test_marked_calls_are_written_as_read_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "marked.pcapng"

    async def steps(screen: Screen) -> None:
        await screen.press("w")
        await screen.shows("no call is marked")
        await screen.press("j", "j", "m", "j", "m", "w")
        await screen.type(str(path))
        await screen.press("enter")
        await screen.shows("packets written to")

    browse(steps, STORM)
    written = [call.correlation_id for call in Reading(str(path)).calls()]
    everything = [call.correlation_id for call in Reading(str(STORM)).calls()]
    assert sorted(written) == sorted([everything[2], everything[4]])


def test_hostile_client_ids_are_text(tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        assert any("[bold]red[/]" in line for line in screen.lines)
        tree = screen.app.query_one("#tree", Tree)
        await screen.press("enter")
        for shown in SHOWN:
            await screen.press("j")
            tree.root.children[0].children[0].expand()
            await screen.shows(f"clientId: {shown}")
            assert not any(character in "".join(screen.lines) for character in "\x1b\x07\x9b\u202e\u2066\u200d")
        await screen.press("ampersand")
        await screen.type("client_id == '[bold]red[/]'")
        await screen.press("enter")
        await screen.shows("client_id == '[bold]red[/]': 1 of")

    browse(steps, named_heartbeats(tmp_path / "hostile.pcap", HOSTILE), columns=240, lines=60)


def test_follow_filters_by_what_the_call_is_about() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("j", "j", "j", "j", "o")
        await screen.shows('group == "shipments-app-11"')
        await screen.press("down", "down", "down", "down", "enter")
        await screen.shows('& group == "shipments-app-11": ')
        await screen.until(lambda: screen.session.looked == 352)
        named = [*Reading(str(STORM), where="group == shipments-app-11").calls()]
        assert screen.session.count() == len(named) > 100

    browse(steps, STORM)
