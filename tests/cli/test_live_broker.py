import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.kafka_broker import broker, request_log
from tests.cli.running import Live, comparable, end_tcpdump, read_items, start_tcpdump
from tests.conformance.accounts import Accountant
from tests.conformance.log_exceptions import Kind
from tests.conformance.recordings import Recording
from tests.conformance.request_logs import first_of, read_log
from tests.conftest import AddFigure
from tests.networks import needs, own_network

JARS = Path(os.environ["KAFKASNIFF_KAFKA_JARS"])

ENDINGS = {Kind.ANSWER_NEVER_SENT, Kind.UNANSWERED, Kind.UNANSWERED_AT_END, Kind.ANSWER_CUT_OFF}
"""What becomes of calls that are under way when a client or the broker goes."""

CLIENT = """
import sys, time
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
brokers = {"bootstrap.servers": sys.argv[1]}
admin = AdminClient(brokers | {"client.id": "live-admin"})
admin.create_topics([NewTopic("orders", 3, 1)])["orders"].result(20)
for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
    producer = Producer(brokers | {"client.id": f"live-{codec}", "compression.type": codec, "linger.ms": "0"})
    for number in range(2000):
        producer.produce("orders", number.to_bytes(4, "big") + bytes(100), key=str(number % 50))
        if number % 20 == 19:
            producer.flush(20)
    assert producer.flush(20) == 0
producer = Producer(brokers | {"client.id": "live-transactions", "transactional.id": "payments"})
producer.init_transactions(20)
for number in range(5):
    producer.begin_transaction()
    producer.produce("orders", b"paid")
    producer.commit_transaction(20) if number % 2 else producer.abort_transaction(20)
consumer = Consumer(brokers | {"group.id": "billing", "client.id": "live-consumer", "auto.offset.reset": "earliest",
                               "isolation.level": "read_committed"})
consumer.subscribe(["orders"])
got, deadline = 0, time.monotonic() + 40
while got < 10_002 and time.monotonic() < deadline:
    message = consumer.poll(1)
    got += message is not None and not message.error()
consumer.commit(asynchronous=False)
consumer.close()
assert got == 10_002, got
admin.delete_topics(["orders"])["orders"].result(20)
"""


@needs("tcpdump", "ip")
def test_what_a_real_broker_answered_is_printed(
    run: Run, environment: dict[str, str], tmp_path: Path, add_figure: AddFigure
) -> None:
    """Against tcpdump's file of the same minutes, and against what the broker says that it was asked and answered."""
    pytest.importorskip("confluent_kafka")
    path = tmp_path / "tcpdump.pcap"
    with own_network():
        live = Live(environment, "lo", "--json")
        tcpdump = start_tcpdump(path)
        with broker(JARS, tmp_path) as address:
            subprocess.run([sys.executable, "-c", CLIENT, address], check=True, timeout=120)
        end_tcpdump(tcpdump)
        assert live.end() == 0
    recorded = comparable(read_items(run, path))
    assert comparable(live.items) == recorded
    (tmp_path / "broker.json").write_text('{"brokers": [{"version": "4.3.1"}], "security": "PLAINTEXT"}')
    logged = read_log(request_log(tmp_path))
    account = Accountant(Recording("broker", tmp_path, path), logged).settle(live.items)
    assert not account.different, first_of(account.different)
    exceptions = {kind: found for kind, found in account.exceptions.items() if found}
    assert exceptions.keys() <= ENDINGS | {Kind.BYTES_LEFT_BEHIND}, exceptions
    assert account.equal + len(account.exceptions[Kind.ANSWER_NEVER_SENT]) == len(logged)
    assert account.envelopes == account.forwarded > 0
    apis = {call.api_name for call in logged}
    assert {"PRODUCE", "FETCH", "JOIN_GROUP", "END_TXN", "CREATE_TOPICS", "BROKER_HEARTBEAT"} <= apis
    add_figure("live beside a real broker", "calls", logged=len(logged), printed=len(live.items))
