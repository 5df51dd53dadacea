"""Measure what a report costs: `python -m benchmarks.report`.

Prints Markdown: CPU time of `stats`, `diagnose` and `report` on the same capture, in turn; the size of the file; and
how long Chromium takes from opening it until tables and plots are there. Nothing is asserted.
"""

import argparse
import datetime
import os
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.measure import compare, machine, table
from benchmarks.read import prepare

KAFKASNIFF = [sys.executable, "-m", "kafkasniff"]


def seconds_to_open(path: Path, rounds: int) -> float:
    """Give the median of the seconds until a report is ready in Chromium."""
    from playwright.sync_api import sync_playwright

    taken = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(rounds):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_selector("body[data-ready]", timeout=120_000)
            taken.append(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
            page.close()
        browser.close()
    return median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--workload", default="small-calls", help="default: %(default)s")
    parser.add_argument("--size", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kafkasniff-benchmarks")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    busy = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}, load averages {busy}\n")
    capture = str(prepare(arguments.workload, arguments.size, arguments.folder))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        commands = {
            "stats": [*KAFKASNIFF, "stats", capture],
            "diagnose": [*KAFKASNIFF, "diagnose", capture],
            "report": [*KAFKASNIFF, "report", capture, "-o", str(path)],
        }
        print(table(compare(commands, arguments.rounds)))
        print(f"\n{path.stat().st_size / 1e6:.1f} MB, open in {seconds_to_open(path, arguments.rounds):.1f} s")


if __name__ == "__main__":
    main()
