"""`kafkasniff live` while it runs, and a small call for it to see."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, Run

REQUEST = (19).to_bytes(4, "big") + b"\0\x12\0\0" + (7).to_bytes(4, "big") + b"\0\x09quiet-one"
ANSWER = (16).to_bytes(4, "big") + (7).to_bytes(4, "big") + b"\0\0" + b"\0\0\0\1" + b"\0\x12\0\0\0\4"
"""ApiVersions v0."""


def request_of(client_id: bytes) -> bytes:
    """The same request of another client."""
    message = b"\0\x12\0\0" + (7).to_bytes(4, "big") + len(client_id).to_bytes(2, "big") + client_id
    return len(message).to_bytes(4, "big") + message


CLIENT = """
import sys, time
from confluent_kafka import Consumer, Producer
messages, size = int(sys.argv[1]), int(sys.argv[2])
producer = Producer({"test.mock.num.brokers": "2", "linger.ms": "0", "client.id": "mock-producer"})
brokers = ",".join(f"{each.host}:{each.port}" for each in producer.list_topics(timeout=10).brokers.values())
consumer = Consumer({"bootstrap.servers": brokers, "group.id": "billing", "client.id": "mock-consumer",
                     "auto.offset.reset": "earliest"})
consumer.subscribe(["orders"])
for number in range(messages):
    producer.produce("orders", number.to_bytes(4, "big") + bytes(size))
    if number % 50 == 49:
        producer.flush()
producer.flush()
got, deadline = 0, time.monotonic() + 30
while got < messages and time.monotonic() < deadline:
    message = consumer.poll(1)
    got += message is not None and not message.error()
consumer.close()
assert got == messages, got
"""
"""A real client against the mock cluster inside librdkafka."""
UNANSWERED: list[socket.socket] = []
"""Ends of connections that are to stay open."""


class Live:
    """The command while it runs."""

    def __init__(self, environment: dict[str, str], *arguments: str, command: Sequence[str] = COMMAND) -> None:
        self.process = subprocess.Popen(
            [*command, "live", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self.lines: list[tuple[float, bytes]] = []
        """Each line with the time at which it came."""
        assert self.process.stderr is not None
        self.messages = self.process.stderr.readline().decode()
        assert self.messages.startswith("listening on"), self.messages + self.process.stderr.read().decode()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append((time.time(), line))

    def end(self, number: int | None = signal.SIGTERM) -> int:
        if number is not None:
            self.process.send_signal(number)
        assert self.process.stderr is not None
        self.messages += self.process.stderr.read().decode()
        self._reader.join()
        assert "Traceback" not in self.messages, self.messages
        return self.process.wait(30)

    @property
    def items(self) -> list[dict[str, Any]]:
        return [json.loads(line) for _, line in self.lines]


def wait_for_lines(live: Live, count: int) -> None:
    """Wait until so many lines have come, for 20 seconds at most."""
    deadline = time.monotonic() + 20
    while len(live.lines) < count and time.monotonic() < deadline:
        time.sleep(0.02)


def exchange(answer: bool, listener: socket.socket | None = None) -> socket.socket:
    """A connection with one ApiVersions request, answered or not; gives the client's end, still open.

    It is to a server of its own where no `listener` is given.
    """
    if listener is None:
        with socket.create_server(("127.0.0.1", 0)) as own:
            return exchange(answer, own)
    client = socket.create_connection(listener.getsockname())
    server, _ = listener.accept()
    client.sendall(REQUEST)
    assert server.recv(100) == REQUEST
    if answer:
        server.sendall(ANSWER)
        assert client.recv(100) == ANSWER
        server.close()
    else:
        UNANSWERED.append(server)
    return client


def run_client(messages: int, size: int = 100) -> None:
    pytest.importorskip("confluent_kafka")
    command = [sys.executable, "-c", CLIENT, str(messages), str(size)]
    subprocess.run(command, check=True, timeout=60, stderr=subprocess.DEVNULL)


def start_tcpdump(path: Path) -> subprocess.Popen[bytes]:
    # The user that it would become may not write where tests do.
    tcpdump = subprocess.Popen(
        ["tcpdump", "-i", "lo", "-B", "65536", "--immediate-mode", "-U", "-Z", "root", "-w", str(path)],
        stderr=subprocess.PIPE,
    )
    assert tcpdump.stderr is not None
    assert b"listening" in tcpdump.stderr.readline()
    return tcpdump


def end_tcpdump(tcpdump: subprocess.Popen[bytes]) -> None:
    time.sleep(0.5)
    tcpdump.send_signal(signal.SIGINT)
    _, messages = tcpdump.communicate(timeout=30)
    assert b"\n0 packets dropped by kernel" in messages


def comparable(items: list[dict[str, Any]]) -> list[str]:
    """Calls without what names the file they were seen in; each listener has times of its own for a packet."""
    found = []
    for item in items:
        if item["type"] == "call":
            kept = {key: item[key] for key in ("connection", "requestHeader", "request", "response", "outcome")}
            found.append(json.dumps(kept))
    return sorted(found)


def read_items(run: Run, path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("read", str(path), "--json").stdout.splitlines()]
