"""What a browser makes of a report."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkasniff.cli.app import run
from tests.cli.hostile_calls import named_heartbeats
from tests.render.report.conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

HOSTILE = [
    "<script>document.title = 'owned'</script>",
    "</script><img src=x onerror=\"document.title='owned'\">",
    "<!--<script>",
    "quotes \" ' ` & &lt; $(id)",
    "k" * 10_000,
    "bell \x07 escape \x1b[31m del \x7f",
    "right \u202etfel \u2066isolated",
    "\u05e9\u05dc\u05d5\u05dd",
    "party \U0001f389",
]


def table(page: "Page", caption: str) -> "Locator":
    return page.get_by_role("table", name=caption, exact=True)


def column(page: "Page", caption: str, number: int) -> list[str]:
    return table(page, caption).locator(f"tbody tr td:nth-child({number})").all_inner_texts()


def drawn_colours(page: "Page", selector: str) -> list[int]:
    """How many colours each canvas has."""
    found: list[int] = page.eval_on_selector_all(
        selector,
        """all => all.map(canvas => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size;
        })""",
    )
    return found


def test_plots_are_drawn(opened: Open, storm: Path) -> None:
    assert [count > 5 for count in drawn_colours(opened(storm), "canvas")] == [True] * 3


def test_columns_sort_both_ways(opened: Open, storm: Path) -> None:
    page = opened(storm)
    heading = table(page, "By API and broker").get_by_role("columnheader", name="calls")
    assert heading.get_attribute("aria-sort") == "descending"
    # As `tshark -z` counts them in the capture.
    assert column(page, "By API and broker", 3)[:4] == ["98", "47", "47", "33"]
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, "By API and broker", 3)[:4] == ["1", "9", "9", "9"]
    table(page, "By API and broker").get_by_role("button", name="API", exact=True).click()
    assert column(page, "By API and broker", 1)[:2] == ["API_VERSIONS", "FETCH"]


def test_a_filter_leaves_rows_that_have_the_text(opened: Open, storm: Path) -> None:
    page = opened(storm)
    page.get_by_label("Filter By API and broker").fill("OFFSET")
    assert sorted(column(page, "By API and broker", 1)) == [
        *("LIST_OFFSETS", "OFFSET_COMMIT", "OFFSET_FETCH", "OFFSET_FOR_LEADER_EPOCH"),
    ]


def test_names_from_the_wire_show_as_text(opened: Open, tmp_path: Path, browser: Any) -> None:
    path = tmp_path / "hostile.html"
    run(["report", str(named_heartbeats(tmp_path / "hostile.pcap", HOSTILE)), "-o", str(path)])
    page = opened(path)
    shown = column(page, "Clients", 1)
    for name in (*HOSTILE[:5], *HOSTILE[7:]):
        assert name in shown
    assert "bell \\x07 escape \\x1b[31m del \\x7f" in shown
    assert "right \\u202etfel \\u2066isolated" in shown
    assert page.title() == f"kafkasniff: {tmp_path}/hostile.pcap"
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1400


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_bars_anybody(opened: Open, storm: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")
    page = opened(storm, color_scheme=scheme, bypass_csp=True)
    page.evaluate(axe.AXE_FILE_PATH.read_text())
    found = page.evaluate("axe.run()")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
