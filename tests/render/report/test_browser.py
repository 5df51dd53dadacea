"""What a browser makes of a report."""

import json
import re
import subprocess
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from kafkasniff.cli.app import run as command_line
from tests.cli.conftest import Run
from tests.cli.hostile_calls import named_heartbeats
from tests.render.report.conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

STORM = 1_795_219_854_000
"""2026-11-21T00:10:54Z in ms, where the plots of the storm begin."""

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


def where(page: "Page", caption: str) -> str:
    """Which rows of a table are shown."""
    return (
        page.locator(".tools", has=page.get_by_role("heading", name=caption, exact=True)).locator(".where").inner_text()
    )


def objects(report: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table in the data beside a report."""
    found = json.loads(report.with_suffix(".json").read_text())["tables"][name]
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def clipboard(page: "Page") -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


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
    colours = drawn_colours(opened(storm), "canvas")
    # Calls, bytes, latency; and the maps of latencies, errors and generations.
    assert [count > 5 for count in colours] == [True] * 5 + [colours[5] > 1]


def test_a_bin_without_neighbours_has_its_latency_drawn(opened: Open, storm: Path) -> None:
    timed = {row["bin"] for row in objects(storm, "time_cells") if row["p99_ms"] is not None}
    alone = [bin for bin in sorted(timed) if not timed & {bin - 1, bin + 1}]
    assert alone
    page = opened(storm, color_scheme="light")
    # In the middle of each bin the column of pixels has the line's orange, which nothing else in the plot has.
    drawn = page.get_by_role("group", name="Latency of all calls over time").evaluate(
        """(figure, alone) => {
            const canvas = figure.querySelector("canvas");
            const [box, over] = [canvas, figure.querySelector(".u-over")].map(each => each.getBoundingClientRect());
            const {count} = JSON.parse(document.getElementById("data").textContent).bins;
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return alone.map(bin => {
                const x = Math.round(over.left - box.left + (bin + 0.5) / count * over.width);
                for (let at = 4 * x; at < data.length; at += 4 * canvas.width)
                    if (data[at + 3] > 100 && data[at] - data[at + 2] > 80) return true;
                return false;
            });
        }""",
        alone,
    )
    assert drawn == [True] * len(alone)


def test_calls_that_name_no_topic_are_said_to(opened: Open, storm: Path) -> None:
    # `read --json` shows a topic in 93 of 352 calls.
    assert column(opened(storm), "Top topics", 1) == ["no topic", "shipments.v5925"]


def test_a_brush_leaves_what_lies_within_it(opened: Open, storm: Path) -> None:
    page = opened(storm)
    over = page.locator(".plot .u-over").first
    box = over.bounding_box()
    assert box is not None
    assert page.locator("#span").inner_text().startswith("whole capture")
    # The capture begins at 10:54.0 and its plots end at 11:19.4: the right half has what came from 11:06.7 on.
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 60, steps=4)
    page.mouse.up()
    assert page.locator("#span").inner_text().startswith("00:11:06.600")
    rows = objects(storm, "failed_calls")
    late = [row for row in rows if row["time"] >= STORM + 12_600]
    assert 0 < len(late) < len(rows)
    assert where(page, "Failed calls").endswith(f"of {len(late)}")
    assert sum(map(int, column(page, "Errors", 3))) == len(late)
    seen = [row for row in objects(storm, "generations") if row["time"] >= STORM + 12_600]
    assert where(page, "Generations, and who caused each").endswith(f"of {len(seen)}")
    page.keyboard.press("Escape")
    assert where(page, "Failed calls").endswith(f"of {len(rows)}")


def test_the_keyboard_chooses_a_span_and_a_moment(opened: Open, storm: Path) -> None:
    page = opened(storm)
    page.get_by_label("First moment of the span").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator("#span").inner_text().startswith("00:10:55.000")
    page.keyboard.press("Escape")
    page.get_by_role("img", name="p99 by API and broker").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator("#span").inner_text().startswith("00:10:54.200 to 00:10:54.400")


def test_percentiles_of_a_span_are_about_right(opened: Open, storm: Path) -> None:
    page = opened(storm)
    page.get_by_label("First moment of the span").press("ArrowRight")
    rows = {
        row[0]: row for row in (line.split("\t") for line in table(page, "By API and broker").inner_text().split("\n"))
    }
    took = [call["total_time_ms"] for call in objects(storm, "slow_calls") if call["api_name"] == "FETCH"]
    number, unit = rows["Fetch"][7].removeprefix("≈ ").split(" ")
    assert unit == "ms"
    assert float(number) == pytest.approx(median(took), rel=0.06)


def test_a_finding_unfolds_to_the_call_that_shows_it(opened: Open, storm: Path) -> None:
    page = opened(storm, permissions=["clipboard-read", "clipboard-write"])
    finding = page.locator("article.finding.error")
    # What happened stands above why, and above what to do.
    text = finding.inner_text()
    told = [text.index(part) for part in ("rebalance-storm", "16 generations", "A member joins", "KIP-345")]
    assert told == sorted(told)
    finding.get_by_text("evidence in").click()
    finding.get_by_text("the call, decoded").first.click()
    assert '"requestApiKeyName": "JOIN_GROUP"' in finding.locator("pre").first.inner_text()
    finding.get_by_role("button", name="copy").first.click()
    assert re.fullmatch(r"kafkasniff show \S+/rebalance-storm.pcap --packet \d+", clipboard(page))


def test_a_copied_command_finds_its_calls(opened: Open, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "hostile.html"
    command_line(["report", str(named_heartbeats(tmp_path / "hostile.pcap", HOSTILE)), "-o", str(path)])
    page = opened(path, permissions=["clipboard-read", "clipboard-write"])
    for start in ("quotes", "bell", "party"):
        table(page, "Top clients").locator("tr", has_text=start).get_by_role("button", name="copy").click()
        command = clipboard(page)
        assert command.isprintable()
        words = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True).stdout
        found = run(*words.decode().split("\0")[1:-1], "--json")
        assert [json.loads(line)["requestHeader"]["clientId"][: len(start)] for line in found.stdout.splitlines()] == [
            start
        ]


def test_the_theme_turns(opened: Open, storm: Path) -> None:
    page = opened(storm, color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert drawn_colours(page, "canvas")[0] > 5


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_what_a_link_leads_to_is_not_behind_the_bar(opened: Open, storm: Path, width: int) -> None:
    page = opened(storm, viewport={"width": width, "height": 900})
    page.get_by_role("link", name="Groups").click()
    bar = page.locator(".bar").bounding_box()
    heading = page.get_by_role("heading", name="Groups", exact=True).bounding_box()
    assert bar is not None
    assert heading is not None
    assert bar["y"] == 0
    assert bar["height"] <= heading["y"] < 300


def test_many_clients_are_paged_and_found(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    names = [f"client-{number}" for number in range(500)]
    command_line(["report", str(named_heartbeats(tmp_path / "many.pcap", names)), "-o", str(path)])
    page = opened(path, viewport={"width": 400, "height": 800})
    # And `shop`, which stands before them.
    assert where(page, "Clients and brokers") == "1–30 of 501"
    page.get_by_label("Next rows of Clients and brokers").click()
    assert where(page, "Clients and brokers") == "31–60 of 501"
    page.get_by_label("Filter Clients and brokers").fill("client-499")
    assert column(page, "Clients and brokers", 1) == ["client-499"]
    assert page.evaluate("document.documentElement.scrollWidth") == 400


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
    assert column(page, "By API and broker", 1)[:2] == ["ApiVersions", "Fetch"]


def test_a_filter_leaves_rows_that_have_the_text(opened: Open, storm: Path) -> None:
    page = opened(storm)
    page.get_by_label("Filter By API and broker").fill("OFFSET")
    assert sorted(column(page, "By API and broker", 1)) == [
        *("ListOffsets", "OffsetCommit", "OffsetFetch", "OffsetForLeaderEpoch"),
    ]


def test_names_from_the_wire_show_as_text(opened: Open, tmp_path: Path, browser: Any) -> None:
    path = tmp_path / "hostile.html"
    command_line(["report", str(named_heartbeats(tmp_path / "hostile.pcap", HOSTILE)), "-o", str(path)])
    page = opened(path)
    shown = table(page, "Top clients").locator("tbody td:nth-child(1)").all_text_contents()
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
    # Of rules that are kept axe would gather every element too.
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then(({violations}) => violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
