from pathlib import Path

import pytest
from textual.widgets import Tree

from kafkasniff.browse.panes.bytes_view import BytesView
from kafkasniff.browse.panes.statistics_pane import StatisticsPane
from kafkasniff.protocol.names import camel_case
from kafkasniff.questions.database import Database
from kafkasniff.questions.named import keyed
from kafkasniff.reading import Reading
from tests.browse.screens import Screen, browse
from tests.cli.hostile_calls import named_heartbeats
from tests.conftest import CAPTURES

STORM = CAPTURES / "rebalance-storm.pcap"


def test_list_detail_and_the_bytes_of_a_field() -> None:
    async def steps(screen: Screen) -> None:
        assert screen.lines[1].split()[:1] == ["1"]
        assert screen.lines[-1].startswith("352 calls")
        await screen.press("j", "j", "enter")
        await screen.shows("coordinatorKeys: [shipments-app-11]")
        # Bytes 0 and 1 are the API key: FindCoordinator is 10.
        assert any("000000  00 0a 00 06" in line for line in screen.lines)
        request = screen.session.kept.call(3).request
        assert request is not None
        place = request.data.index(b"\x11shipments-app-11")
        view = screen.app.query_one(BytesView)
        await screen.press("tab", "down", "down")
        await screen.until(lambda: view.marked == (place - 2, place - 1))
        await screen.press("down")
        # With the count of keys before, and the length of this one.
        await screen.until(lambda: view.marked == (place - 1, place + 17))
        await screen.press("escape")
        await screen.until(lambda: not any("coordinatorKeys" in line for line in screen.lines))

    browse(steps, STORM)


def test_filter_narrows_the_list_and_says_what_is_wrong() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("ampersand")
        await screen.press("a", "p", "i", *["space", "equals_sign", "equals_sign", "space"], "j", "o", "i", "n", "g")
        await screen.press("tab", "enter")
        await screen.shows("& api == joingroup")
        await screen.until(lambda: screen.session.looked == 352)
        assert all("JoinGroup" in line for line in screen.lines[1:-1] if line)
        count = screen.session.count()
        assert f"{count} of 352 calls" in screen.lines[-1]
        await screen.press("ampersand", "ctrl+a", "ctrl+k")
        await screen.type("apo")
        await screen.press("enter")
        await screen.shows("no field is called 'apo'")
        assert screen.session.count() == count
        await screen.press("backspace", "backspace")
        await screen.until(lambda: screen.session.count() == 352)

    browse(steps, STORM)


def test_findings_lead_to_the_calls_that_show_them() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("d")
        await screen.shows("rebalance-storm")
        await screen.press("down", "up", "enter")
        await screen.shows("fix: ")
        finding = screen.session.findings[0]
        number = finding.evidence[0].call
        assert number
        for _ in range(60):
            if screen.app.query_one("#calls").number == number:  # type: ignore[attr-defined]
                break
            await screen.press("down", "enter")
        else:
            raise AssertionError("\n".join(screen.lines))

    browse(steps, STORM, lines=60)


def test_search_marks_and_keys_of_less() -> None:
    async def steps(screen: Screen) -> None:
        rows = screen.app.query_one("#calls")
        # The last call is known when all was read.
        await screen.until(lambda: "352 calls" in screen.lines[-1])
        await screen.press("G")
        assert rows.number == 352  # type: ignore[attr-defined]
        await screen.press("g", "space")
        assert rows.number == 28  # type: ignore[attr-defined]
        await screen.press("b")
        await screen.press("slash")
        await screen.type("rebalance_in")
        await screen.press("enter")
        await screen.until(lambda: rows.number == 18)  # type: ignore[attr-defined]
        # A mark goes on to call 19; the next call with this error comes when it was found.
        await screen.press("m")
        assert "1 marked" in screen.lines[-1]
        await screen.press("n")
        await screen.until(lambda: rows.number == 51)  # type: ignore[attr-defined]
        await screen.press("N")
        await screen.until(lambda: rows.number == 18)  # type: ignore[attr-defined]
        await screen.press("colon")
        await screen.type("300")
        await screen.press("enter")
        assert rows.number == 300  # type: ignore[attr-defined]
        await screen.press("apostrophe")
        assert rows.number == 18  # type: ignore[attr-defined]
        await screen.press("question_mark")
        await screen.shows("go to the call with a number")
        await screen.press("escape", "q")

    browse(steps, STORM)


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


@pytest.mark.parametrize("columns", [60, 80, 100, 160, 240])
def test_widths_and_resizing(columns: int) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("enter", "d", "enter")
        await screen.resize(columns, 24)
        await screen.press("escape", "j", "enter")
        from rich.cells import cell_len

        assert len(screen.lines) == 24
        assert all(cell_len(line) <= columns for line in screen.lines)
        assert any("ApiVersions" in line for line in screen.lines)
        assert any("request v" in line for line in screen.lines)
        assert any("000000  00 " in line for line in screen.lines)

    browse(steps, STORM, columns=120)


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


def test_statistics_are_those_of_stats() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("s")
        table = screen.app.query_one(StatisticsPane)
        await screen.until(lambda: table.row_count == len(asked))
        rows = [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]
        assert [[row[0], *map(int, (row[1], row[2]))] for row in rows] == asked
        await screen.press("down", "enter")
        await screen.shows(f'& api == "{asked[1][0]}": {asked[1][1]} of')
        # What the filter lets through is counted from then on.
        await screen.until(lambda: table.row_count == 1 and str(table.get_row_at(0)[0]) == asked[1][0])
        await screen.press("s")
        await screen.shows("client_id ")

    with Database() as database:
        filler = database.filler(["calls"])
        for items in Reading(str(STORM)).batches():
            filler.take(items)
        filler.flush()
        text = keyed("stats", ["api_name"])
        asked = [[*row] for row in database.ask(f"SELECT * FROM ({text}) ORDER BY calls DESC, api_name").rows]
        asked = [[camel_case(row[0]), *row[1:3]] for row in asked]
    browse(steps, STORM, columns=140)
