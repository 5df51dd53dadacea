"""The browser on a screen in memory: what is shown, and keys."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from textual.pilot import Pilot

from kafkasniff.browse.app import Browser
from kafkasniff.browse.panes.call_list import CallList
from kafkasniff.browse.panes.prompt import Prompt
from kafkasniff.browse.session import Session
from kafkasniff.browse.store.kept import Wanted
from kafkasniff.reading import Reading
from tests.conftest import CAPTURES

STORM = CAPTURES / "rebalance-storm.pcap"
SECONDS = 30.0
Steps = Callable[["Screen"], Awaitable[None]]


class Screen:
    """The browser, and who presses its keys."""

    def __init__(self, app: Browser, session: Session, pilot: Pilot[None]) -> None:
        self.app = app
        self.session = session
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)
        await self._pilot.pause()

    async def type(self, text: str) -> None:
        """Put text behind what was typed; much sooner than by pressing each key."""
        self.app.query_one(Prompt).value += text
        self.app.query_one(Prompt).cursor_position = len(self.app.query_one(Prompt).value)
        await self._pilot.pause()

    async def until(self, holds: Callable[[], object]) -> None:
        for _ in range(int(SECONDS / 0.02)):
            if holds():
                await self._pilot.pause()
                return
            await self._pilot.pause(0.02)
        raise AssertionError("\n".join(self.lines))

    async def shows(self, text: str) -> None:
        await self.until(lambda: any(text in line for line in self.lines))

    async def resize(self, columns: int, lines: int) -> None:
        await self._pilot.resize_terminal(columns, lines)
        await self._pilot.pause(0.1)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


@contextmanager
def session_of(*paths: Path, where: str = "", **options: bool) -> Iterator[Session]:
    names = [str(path) for path in paths]
    reading = Reading(names, connections=True, keep_packets=True)
    session = Session(reading, {name: name for name in names}, Wanted(**options), where)
    session.begin_answering()
    try:
        yield session
    finally:
        session.close()


def browse(steps: Steps, *paths: Path, columns: int = 100, lines: int = 30, where: str = "") -> None:
    """Take steps in the browser when all of a capture was read, and the list has it, which it takes in now and then."""

    async def run() -> None:
        with session_of(*paths, where=where) as session:
            app = Browser(session)
            async with app.run_test(size=(columns, lines)) as pilot:
                screen = Screen(app, session, pilot)
                calls = app.query_one(CallList)
                await screen.until(lambda: session.done and calls.count == session.count())
                await steps(screen)

    asyncio.run(run())
