"""The first signal ends what goes on; the second one meets what was there before."""

import os
import signal

import pytest

from kafkasniff.cli.processes.stopping import Stopping


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_stops_and_the_second_is_as_before(number: signal.Signals) -> None:
    seen: list[str] = []
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    handlers = {each: signal.signal(each, lambda *_: seen.append("as before")) for each in before}
    try:
        stopping = Stopping(lambda: seen.append("stop"))
        assert (stopping.signal, seen) == (None, [])
        os.kill(os.getpid(), number)
        assert (stopping.signal, seen) == (number, ["stop"])
        for each in before:
            os.kill(os.getpid(), each)
        assert (stopping.signal, seen) == (number, ["stop", "as before", "as before"])
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
