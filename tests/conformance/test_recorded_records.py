"""What `--records` prints of our recordings: every record that was produced, every login, and no secret."""

import gzip
import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from kafkasniff.cli.app import command_line
from tests.conformance.log_exceptions import CUT_PACKETS, WITHOUT_KEYS
from tests.conformance.recordings import HEALTHY, Recording, printed_lines
from tests.conftest import needs_shared

pytestmark = needs_shared

Line = dict[str, Any]

PRODUCE, FETCH, SHARE_FETCH = 0, 1, 78
SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE = 17, 18, 36

RECORDINGS = [
    Recording(path.stem, HEALTHY, path.with_suffix(".requestlog.jsonl.gz"))
    for path in sorted(HEALTHY.glob("*.json"))
    if path.stem not in CUT_PACKETS | WITHOUT_KEYS
]
COUNTED = [recording for recording in RECORDINGS if "records" in recording.facts]

BEGINS_LATE = {"mid-stream-start"}
"""Captures that begin when part was produced already."""

OWN_TOPICS = ("connect-configs", "connect-offsets", "connect-status", "wordsc-out", "wordss-out")
"""Topics that Connect and Streams write to themselves, which the facts do not count."""

FEWER_FETCHED = {
    "rskafka": "its one Fetch is for one of two partitions",
    "mid-stream-start": "it begins when part was consumed already",
}
MORE_FETCHED = {
    "connect-eager": "Connect's own topics",
    "connect-sessioned": "Connect's own topics",
    "franz-go": "the record of an aborted round",
    "high-latency-client-side": "batches that a consumer fetched twice",
    "java-0.10.2.2-clients": "the Scala consumers and the replicas",
    "java-0.8.2.2-clients": "the Scala consumers and the replicas",
    "java-0.9.0.1-clients": "the Scala consumers and the replicas",
    "java-1.1.1-clients": "the Scala consumers and the replicas",
    "java-2.8.2-clients": "records of aborted transactions",
    "java-3.9.1-clients": "records of aborted transactions",
    "jumbo-fetch-pipelined": "batches that a consumer fetched twice",
    "kraft3-transactions": "records of aborted transactions",
    "loss-reorder-client-side": "batches that a consumer fetched twice",
    "loss-reorder-server-side": "batches that a consumer fetched twice",
    "old-client-0.10.2.2-on-3.9.1": "batches that a consumer fetched twice",
    "old-client-0.8.2.2-on-3.9.1": "a consumer that is not counted",
    "old-client-0.9.0.1-on-3.9.1": "batches that a consumer fetched twice",
    "reorder-only-client-side": "batches that a consumer fetched twice",
    "share-group": "records that were released and acquired again come in whole batches",
    "streams-classic-eos": "Streams, which is not counted",
    "streams-group": "Streams, which is not counted",
    "transactions": "records of aborted transactions",
}
"""Fetched records are those that consumers were given, except here."""


OWNED_PARTITIONS = "ConsumerProtocolSubscription.ownedPartitions"
WITHOUT_OWNED_PARTITIONS = {"kafka-go", "platformatic-kafka", "sasl-plain-many-clients"}
"""Captures of clients that say version 1 in their subscription and leave out what version 1 has."""


def is_accepted(line: Line, path: str) -> bool:
    """Tell whether the broker took the records of a Produce request; with acks=0 it does not say."""
    if line["response"] is None:
        return line["outcome"] == "no-response-expected"
    topic, partition = (int(part.split("]")[0]) for part in path.split("[")[1:3])
    asked = line["request"]["topicData"][topic]
    index = asked["partitionData"][partition]["index"]
    name = asked.get("name") or asked["topicId"]
    for answer in line["response"]["responses"]:
        if name in (answer.get("name"), answer.get("topicId")):
            [code] = [item["errorCode"] for item in answer["partitionResponses"] if item["index"] == index]
            return bool(code == 0)
    return False


def topic_of(line: Line, where: str, path: str) -> str | None:
    """Give the topic's name that a batch is of, by the line alone."""
    field, index = path.split("]", 1)[0].split("[")
    topic = line[where][field][int(index)]
    named = topic.get("topic") or topic.get("name")
    return named or line.get("topics", {}).get(topic["topicId"])


def is_replica(request: Line) -> bool:
    return bool(request.get("replicaId", -1) >= 0 or request.get("replicaState", {}).get("replicaId", -1) >= 0)


def records_of(lines: list[Line]) -> Iterator[tuple[str, str | None, int]]:
    """Give, for each batch of data, `produced` or `fetched`, topic and number of records."""
    for line in lines:
        key = line.get("requestHeader", {}).get("requestApiKey")
        for batch in line.get("batches", ()):
            assert batch["crcValid"]
            assert len(batch["records"]) == batch["recordCount"]
            if batch["isControl"] or line[batch["where"]] is None:
                continue
            topic = topic_of(line, batch["where"], batch["path"])
            if key == PRODUCE and is_accepted(line, batch["path"]):
                yield "produced", topic, len(batch["records"])
            elif key == SHARE_FETCH or (key == FETCH and not is_replica(line["request"])):
                yield "fetched", topic, len(batch["records"])


@pytest.mark.parametrize("recording", COUNTED, ids=str)
def test_records_are_those_that_were_produced(recording: Recording, add_figure: Callable[..., None]) -> None:
    facts = recording.facts
    lines = printed_lines(recording.files, *recording.options, "--records", "--two-pass")
    counts: Counter[str] = Counter()
    topics = set(facts["topics"]) - set(OWN_TOPICS)
    for kind, topic, count in records_of(lines):
        if topic in topics or (topic is None and recording.name in BEGINS_LATE):
            counts[kind] += count
    add_figure("Records", recording.name, **facts["records"], **{f"{kind} shown": counts[kind] for kind in counts})
    if recording.name in BEGINS_LATE:
        assert 0 < counts["produced"] < facts["records"]["produced"]
    else:
        assert counts["produced"] == facts["records"]["produced"]
    if recording.name in FEWER_FETCHED:
        assert 0 < counts["fetched"] < facts["records"]["consumed"]
    elif recording.name in MORE_FETCHED:
        assert counts["fetched"] >= facts["records"]["consumed"]
    else:
        assert counts["fetched"] == facts["records"]["consumed"]
    # An answer in which a connection ends is there in part only.
    answered = [line for line in lines if line.get("outcome") == "answered"]
    problems = [problem for line in answered for problem in line.get("problems", ()) if problem["path"]]
    if recording.name in WITHOUT_OWNED_PARTITIONS:
        assert {problem["message"].split(" at ")[0] for problem in problems} == {OWNED_PARTITIONS}
    else:
        assert problems == []


SASL = [recording for recording in RECORDINGS if "SASL" in recording.facts["security"]]

NOT_NAMED = {
    "sasl-gssapi-librdkafka": {"User:alice", "User:bob"},
    "sasl-gssapi-no-handshake-on-3.9.1": {"User:alice", "User:bob"},
    "sasl-gssapi-reauth": {"User:bob"},
}
"""Clients whose library (Cyrus SASL) sends no name in clear."""


# Brokers before 2.7 log the principal in another form.
@pytest.mark.parametrize("recording", [recording for recording in SASL if recording.log.exists()], ids=str)
def test_principals_are_those_that_the_brokers_logged(recording: Recording, add_figure: Callable[..., None]) -> None:
    logged = logged_principals(recording)
    equal = silent = 0
    for line in printed_lines(recording.files, *recording.options):
        key = line.get("requestHeader", {}).get("requestApiKey")
        client = line.get("client"), line.get("requestHeader", {}).get("clientId")
        if line["type"] != "call" or client not in logged:
            continue
        expected = logged[client]
        if line["principal"] == expected:
            equal += 1
        elif key not in (SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE):
            assert line["principal"] is None
            assert expected in NOT_NAMED[recording.name]
            silent += 1
        else:
            assert line["principal"] is None
    add_figure("Principals", recording.name, logged=len(logged), equal=equal, silent=silent)
    assert equal + silent > 0


def logged_principals(recording: Recording) -> dict[tuple[str, str], str]:
    """Give the principal by the client's address and client id, of clients that logged in."""
    principals = {}
    with gzip.open(recording.log, "rt", encoding="utf-8") as log:
        for text in log:
            entry = json.loads(text)
            if entry["securityProtocol"].startswith("SASL"):
                client = entry["connection"].split("-")[1], entry["requestHeader"]["clientId"]
                principals[client] = entry["principal"]
    return principals


@pytest.mark.parametrize("recording", SASL, ids=str)
def test_mechanisms_are_those_of_the_facts(recording: Recording) -> None:
    said = recording.facts["security"]
    mechanisms = set()
    for line in printed_lines(recording.files, *recording.options):
        tokens = [line["value"]] if line["type"] == "sasl" else [entry["value"] for entry in line.get("decoded", ())]
        mechanisms |= {token["saslMechanism"] for token in tokens if token and "saslMechanism" in token}
    assert mechanisms
    assert all(mechanism in said for mechanism in mechanisms), (said, mechanisms)


@pytest.mark.parametrize("recording", SASL, ids=str)
def test_no_secret_is_printed(recording: Recording) -> None:
    """Of what `--show-secrets` shows, nothing secret may stand anywhere in the other output."""
    secrets: set[str] = set()
    for line in printed_lines(recording.files, *recording.options, "--records"):
        secrets |= set(secrets_of(line))
    for options in (["--json", "--records"], ["-vv", "--records"]):
        run = CliRunner().invoke(
            command_line(), ["read", *map(str, recording.files), *recording.options, *options], catch_exceptions=False
        )
        assert run.exit_code == 0
        assert [secret for secret in secrets if secret in run.stdout] == []
    if "GSSAPI" not in recording.facts["security"]:
        assert secrets


def secrets_of(line: Line) -> Iterator[str]:
    """Give the secrets in a line printed with `--show-secrets`, as text and as base64."""
    if line["type"] == "sasl":
        values = [line["value"]]
    elif line.get("requestHeader", {}).get("requestApiKey") == SASL_AUTHENTICATE:
        values = [entry["value"] for entry in line["decoded"]]
        if "GSSAPI" not in str(values):
            tokens = [line[side]["authBytes"] for side in ("request", "response") if line[side] is not None]
            yield from (token for token in tokens if len(b64decode(token)) > 8)
    else:
        return
    for value in values:
        for name in ("passwd", "proof", "verifier", "salt", "token"):
            if len(secret := value.get(name, "")) > 4:
                yield secret
                yield b64encode(secret.encode()).decode().rstrip("=")[:-1]
