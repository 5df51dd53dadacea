"""Look at the reports of captures in Chromium: `python -m tools.check_reports CAPTURE... [--pictures FOLDER]`.

Opens each report at 400 pixels, dark, and at 1,400, light, and prints it as a PDF. Says where the console has a
message, the network is asked for anything, the page is wider than the screen, a plot is empty, or axe-core finds a
serious fault; then exits with 1. `--pictures` keeps what was seen. Needs what the tests of reports need.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCREENS = ((400, "dark"), (1400, "light"))
"""Widths and schemes; neither depends on the other."""
SERIOUS = ("serious", "critical")
SERIOUS_FAULTS = 'axe.run({resultTypes: ["violations"]}).then(found => found.violations)'
"""Without what passes, which nobody reads here."""
EMPTY_PLOTS = """[...document.querySelectorAll(".plot canvas")].filter(canvas => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size < 2;
}).length"""


def faults(browser: "Browser", report: Path, pictures: Path | None) -> Iterator[str]:
    """Say what is wrong with a report on the screens, and on paper."""
    # axe is no part of the page: the page's policy would refuse it.
    context = browser.new_context(bypass_csp=True)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"exception: {error}"))
    page.on("request", lambda request: request.url == report.as_uri() or said.append(f"asked for {request.url}"))
    for width, scheme in SCREENS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.goto(report.as_uri())
        page.wait_for_selector("body[data-ready]", timeout=300_000)
        if pictures is not None:
            page.screenshot(path=pictures / f"{report.stem}-{width}-{scheme}.png", full_page=True)
        found = [*said]
        said.clear()
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            found.append(f"the page is {wide} pixels wide")
        if empty := page.evaluate(EMPTY_PLOTS):
            found.append(f"{empty} plots are empty")
        page.evaluate(AXE_FILE_PATH.read_text())
        found += [
            f"axe: {each['id']}: {each['nodes'][0]['html'][:200]}"
            for each in page.evaluate(SERIOUS_FAULTS)
            if each["impact"] in SERIOUS
        ]
        yield from (f"{width} pixels, {scheme}: {fault}" for fault in found)
    if not page.pdf():
        yield "nothing is printed"
    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.check_reports", description=__doc__)
    parser.add_argument("captures", nargs="+", type=Path, metavar="CAPTURE")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="keep pictures of the pages there")
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for capture in arguments.captures:
            report = Path(folder) / f"{capture.name}.html"
            command = [sys.executable, "-m", "kafkasniff", "report", str(capture), "-o", str(report)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if not report.exists():
                print(f"{capture}: {done.stderr.strip()}")
                wrong += 1
                continue
            for fault in faults(browser, report, arguments.pictures):
                print(f"{capture}, {fault}", flush=True)
                wrong += 1
            report.unlink()
    print(f"{len(arguments.captures)} reports, {wrong} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
