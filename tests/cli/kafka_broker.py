"""A real broker: one node of Kafka in KRaft mode, which logs each request and its answer as JSON (KIP-673)."""

import gzip
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PORT, CONTROLLER_PORT = 19092, 19093
STARTS_IN_SECONDS = 60

SERVER = f"""
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{CONTROLLER_PORT}
listeners=PLAINTEXT://127.0.0.1:{PORT},CONTROLLER://127.0.0.1:{CONTROLLER_PORT}
advertised.listeners=PLAINTEXT://127.0.0.1:{PORT}
controller.listener.names=CONTROLLER
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
log.dirs={{folder}}/data
"""
LOGGING = """
shutdownHook=disable
appender.requests.type=File
appender.requests.name=requests
appender.requests.fileName={folder}/requests.jsonl
appender.requests.layout.type=PatternLayout
appender.requests.layout.pattern=%m%n
appender.server.type=File
appender.server.name=server
appender.server.fileName={folder}/server.log
appender.server.layout.type=PatternLayout
appender.server.layout.pattern=%p %m%n
rootLogger.level=INFO
rootLogger.appenderRef.server.ref=server
logger.requests.name=kafka.request.logger
logger.requests.level=DEBUG
logger.requests.additivity=false
logger.requests.appenderRef.requests.ref=requests
"""


@contextmanager
def broker(jars: Path, folder: Path) -> Iterator[str]:
    """Run a broker, and give its address once it takes requests. It is gone, and its log written, afterwards."""
    (folder / "server.properties").write_text(SERVER.format(folder=folder))
    (folder / "log4j2.properties").write_text(LOGGING.format(folder=folder))
    java = [
        "java", "-Xmx512m", "-XX:TieredStopAtLevel=1", f"-Dlog4j2.configurationFile={folder}/log4j2.properties",
        "-cp", f"{jars}/*",
    ]  # fmt: skip
    configuration = str(folder / "server.properties")
    formatting = ["kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", configuration]
    subprocess.run([*java, *formatting], check=True, stdout=subprocess.DEVNULL, timeout=STARTS_IN_SECONDS)
    process = subprocess.Popen([*java, "kafka.Kafka", configuration], stdout=subprocess.DEVNULL)
    log = folder / "server.log"
    try:
        deadline = time.monotonic() + STARTS_IN_SECONDS
        while not (log.exists() and re.search(r"\[KafkaRaftServer nodeId=1\] Kafka Server started", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield f"127.0.0.1:{PORT}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STARTS_IN_SECONDS)


def request_log(folder: Path) -> Path:
    """Give the broker's request log as recordings have it, compressed."""
    path = folder / "requests.jsonl.gz"
    lines = (folder / "requests.jsonl").read_bytes()
    path.write_bytes(gzip.compress(re.sub(rb"^Completed request:", b"", lines, flags=re.M)))
    return path
