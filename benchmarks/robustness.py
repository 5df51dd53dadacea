"""Damaged captures, row by row: what kafkasniff and tshark still find of what is there.

    python -m benchmarks.robustness [--calls N] [--connections N]

The captures are those of tests/robustness, composed only of messages that tshark decodes without complaint when each
comes alone, and sent to port 9092, where tshark looks for Kafka. A call counts as found for tshark when it shows API,
version and correlation id of the request, and of the response its correlation id under the right API; bodies are
not compared. For kafkasniff each body must equal Kafka's own JSON.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import kafkasniff
from tests.robustness.compare import Share, compare
from tests.robustness.conversations import Conversation, SentCall, combine, compose, vectors
from tests.robustness.damage import ROWS, Row
from tests.robustness.oracle import Expected, expect
from tests.robustness.packets import pcap, pcapng, transmit

KAFKA_PORT = 9092
REORDER = ("-o", "tcp.reassemble_out_of_order:TRUE")

Shown = tuple[int, str, int | None, int | None, int]
"""What tshark shows of a message: client port, side, API key, version (requests only), correlation id."""


@dataclass
class Score:
    """What one tool made of one row."""

    calls: Share = field(default_factory=Share)
    """Calls all of whose bytes are there, and whole messages whose other side is not whole."""
    headers: Share = field(default_factory=Share)
    """Requests and responses whose header is there and whose body is cut."""
    invented: int = 0


def tshark(path: Path, *options: str) -> list[tuple[Shown, bool]]:
    """Give the Kafka messages that tshark shows, each with whether its packet has a complaint."""
    command = ["tshark", "-n", "-r", str(path), *options, "-T", "json", "--no-duplicate-keys", "-J", "tcp kafka"]
    run = subprocess.run([*command, "-Y", "kafka"], capture_output=True, check=False)
    if run.returncode:
        raise SystemExit(run.stderr.decode(errors="replace"))
    shown = []
    for packet in json.loads(run.stdout.decode("utf-8", "replace")):
        layers = packet["_source"]["layers"]
        ports = (int(layers["tcp"]["tcp.srcport"]), int(layers["tcp"]["tcp.dstport"]))
        messages = layers["kafka"] if isinstance(layers["kafka"], list) else [layers["kafka"]]
        complaint = "_ws.malformed" in layers or "_ws.expert" in json.dumps(layers["kafka"])
        for message in messages:
            one = _message(message, ports)
            if one is not None:
                shown.append((one, complaint))
    return shown


def _message(message: Any, ports: tuple[int, int]) -> Shown | None:
    if not isinstance(message, dict) or "kafka.correlation_id" not in message:
        return None
    correlation_id = int(message["kafka.correlation_id"])
    if ports[1] == KAFKA_PORT:
        key, version = message.get("kafka.request_key"), message.get("kafka.request.version")
        return ports[0], "request", _number(key), _number(version), correlation_id
    return ports[1], "response", _number(message.get("kafka.response_key")), None, correlation_id


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def decodable(folder: Path) -> list[SentCall]:
    """Give the calls of the vectors that tshark shows without a complaint when each message has a packet of its own."""
    rng = Random(1)
    calls = [
        combine(request, response, number)
        for number, (request, response) in enumerate(
            pair for requests, responses in vectors() for pair in zip(requests, responses, strict=False)
        )
    ]
    calls = [call for call in calls if call.response is not None]
    conversation = Conversation(
        ("10.0.0.1", 50_001), ("10.9.9.9", KAFKA_PORT), calls, "idle", 1_790_000_000_000_000_000
    )
    path = folder / "each.pcap"
    path.write_bytes(pcap(transmit([conversation], rng, segment_size=16_000)))
    clean = Counter(shown[4] for shown, complaint in tshark(path) if not complaint)
    return [call for call in calls if clean[call.request.correlation_id] == 2]


def score_tshark(path: Path, options: tuple[str, ...], conversations: list[Conversation], expected: Expected) -> Score:
    """Hold what tshark shows against what is there."""
    sent = Counter()
    for conversation in conversations:
        for call in conversation.calls:
            for message in (call.request, call.response):
                if message is not None:
                    sent[_shown(conversation, message)] += 1
    score = Score()
    shown = Counter(message for message, _ in tshark(path, *options))
    # A response without its request has no API; it is found all the same.
    for message in list(shown):
        if message[1] == "response" and message[2] is None:
            matches = [one for one in sent if one[:2] == message[:2] and one[4] == message[4]]
            if matches:
                shown[matches[0]] += shown.pop(message)
    score.invented = sum(count for message, count in shown.items() if message not in sent)
    parts: dict[SentCall, list[tuple[str, bool]]] = {}
    for one in expected.messages:
        found = shown[_shown(conversations[one.conversation], one.message)] > 0
        parts.setdefault(one.call, []).append((one.presence, found))
    for both in parts.values():
        if all(presence == "whole" for presence, _ in both):
            score.calls.count(all(found for _, found in both))
            continue
        for presence, found in both:
            if presence == "whole":
                score.calls.count(found)
            elif presence == "header":
                score.headers.count(found)
    return score


def _shown(conversation: Conversation, message: Any) -> Shown:
    version = message.api_version if message.side == "request" else None
    return conversation.client[1], message.side, message.api_key, version, message.correlation_id


def score_ours(path: Path, conversations: list[Conversation], expected: Expected) -> Score:
    """Hold what kafkasniff prints against what is there."""
    outcome = compare(list(kafkasniff.read([str(path)], show_secrets=True)), conversations, expected)
    wholes = (outcome.calls_followed, outcome.calls_searched, outcome.lone_followed, outcome.lone_searched)
    headers = (outcome.headers_followed, outcome.headers_searched)
    return Score(_sum(wholes), _sum(headers), len(outcome.invented))


def _sum(shares: Sequence[Share]) -> Share:
    return Share(sum(share.found for share in shares), sum(share.expected for share in shares))


def run(row: Row, calls: list[SentCall], folder: Path, connections: int, count: int) -> list[Score]:
    """Make one row's capture and give the scores of kafkasniff, tshark, and tshark with its reordering option."""
    rng = Random(row.name)
    conversations = compose(
        rng,
        connections=connections,
        calls=count,
        server_port=KAFKA_PORT,
        draw=lambda rng, correlation_id: rng.choice(calls).numbered(correlation_id),
        **row.traffic,
    )
    packets = row.damage(transmit(conversations, rng, **row.segments), rng)
    expected = expect(conversations, packets)
    several = any(packet.interface for packet in packets)
    path = folder / (re.sub(r"\W+", "-", row.name) + (".pcapng" if several else ".pcap"))
    path.write_bytes(pcapng(packets) if several else pcap(packets))
    return [
        score_ours(path, conversations, expected),
        score_tshark(path, (), conversations, expected),
        score_tshark(path, REORDER, conversations, expected),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100, help="calls of a connection")
    parser.add_argument("--connections", type=int, default=20)
    options = parser.parse_args()
    version = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calls = decodable(folder)
        print(f"{version.splitlines()[0]}; {len(calls)} calls that it decodes without complaint\n")
        print("| row | calls there | kafkasniff | tshark | reordering tshark | headers of cut bodies | kafkasniff | "
              "tshark | reordering tshark | invented: kafkasniff | tshark | reordering tshark |")  # fmt: skip
        print("| --- |" + " ---: |" * 11)
        for row in ROWS:
            scores = run(row, calls, folder, options.connections, options.calls)
            cells = [str(scores[0].calls.expected), *(str(score.calls.found) for score in scores)]
            cells += [str(scores[0].headers.expected), *(str(score.headers.found) for score in scores)]
            print(f"| {row.name} | " + " | ".join(cells + [str(score.invented) for score in scores]) + " |", flush=True)


if __name__ == "__main__":
    main()
