"""Reports as a browser shows them: Debian's Chromium without a screen, driven by Playwright."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkasniff.cli.app import run as command_line
from tests.cli.conftest import environment, run  # noqa: F401
from tests.conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

Open = Callable[..., "Page"]


@contextmanager
def chromium() -> Iterator["Browser"]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    with playwright.sync_playwright() as driver:
        # As root, Chromium runs only without its sandbox.
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Give the browser to the tests of a module: as long as it lives, an event loop runs in the thread."""
    with chromium() as found:
        yield found


@pytest.fixture
def opened(browser: "Browser") -> Iterator[Open]:
    """Opens a report; the test fails where the page says anything on its console, or asks the network for anything."""
    said: list[str] = []
    contexts: list[Any] = []

    def open_page(path: Path, **settings: Any) -> "Page":
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or said.append(f"asked for {request.url}"))
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]", timeout=30_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture(scope="session")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a real rebalance storm, with its data beside it."""
    path = tmp_path_factory.mktemp("reports") / "storm.html"
    command_line(["report", str(ROOT / "captures" / "rebalance-storm.pcap"), "-o", str(path), "--json"])
    return path
