import os
import signal
import socket
import tempfile
from pathlib import Path

import pytest

from kafkasniff.browse.channel import Channel, Helper


def test_messages_come_whole_however_they_are_cut() -> None:
    mine, its = socket.socketpair()
    channel = Channel(its)
    mine.sendall(b'{"rows": [1, 2]}\n{"not')
    assert channel.receive() == [{"rows": [1, 2]}]
    assert channel.receive() == []
    mine.sendall(b'e": "end"}\n')
    assert channel.receive(60) == [{"note": "end"}]
    assert not channel.closed
    mine.close()
    assert channel.receive(60) == []
    assert channel.closed


def test_what_is_sent_is_received() -> None:
    first, second = map(Channel, socket.socketpair())
    first.send(text="schön\n", number=2**60)
    assert second.receive(60) == [{"text": "schön\n", "number": 2**60}]
    second.close()
    with pytest.raises(OSError, match="Broken pipe"):
        first.send(text="")


def test_a_helper_works_in_a_process_of_its_own() -> None:
    helper = Helper(lambda channel: channel.send(pid=os.getpid()))
    [message] = helper.channel.receive(60)
    assert message["pid"] != os.getpid()
    helper.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(message["pid"], 0)


def test_what_goes_wrong_in_a_helper_is_told() -> None:
    def work(channel: Channel) -> None:
        raise ValueError

    helper = Helper(work)
    [message] = helper.channel.receive(60)
    assert "(ValueError)" in message["failed"]
    helper.stop()


def test_a_helper_may_remove_what_it_keeps_before_it_ends(tmp_path: Path) -> None:
    def work(channel: Channel) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path):
            channel.send(begun=True)
            while not channel.closed:
                channel.receive(0.01)

    helper = Helper(work)
    assert helper.channel.receive(60) == [{"begun": True}]
    assert [*tmp_path.iterdir()] != []
    helper.stop()
    assert [*tmp_path.iterdir()] == []


def test_a_helper_that_does_not_end_is_ended() -> None:
    helper = Helper(lambda channel: (channel.send(pid=os.getpid()), signal.pause()))  # type: ignore[arg-type, return-value]
    [message] = helper.channel.receive(60)
    helper.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(message["pid"], 0)
