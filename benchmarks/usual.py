"""The usual way from captures to tables: tshark writes CSV of each file by itself, and Spark reads and joins that."""

import csv
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FIELDS = (
    "frame.time_epoch",
    "tcp.stream",
    "ip.src",
    "tcp.srcport",
    "ip.dst",
    "tcp.dstport",
    "kafka.len",
    "kafka.api_key",
    "kafka.api_version",
    "kafka.correlation_id",
    "kafka.client_id",
    "kafka.request_frame",
    "kafka.topic_name",
    "kafka.error",
)
_AT_ONCE = 2


def usual_way(files: list[Path], folder: Path) -> None:
    """Write CSV of each file by tshark, then with Spark a table of requests with their responses as Parquet."""
    from kafkasniff.pipeline.session import open_session

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(lambda path: _dissect(path, folder), files))
    session = open_session(f"local[{_AT_ONCE}]")
    rows = session.read.option("header", True).option("inferSchema", True).csv(str(folder / "csv"))
    rows.selectExpr("*", "input_file_name() AS file").createOrReplaceTempView("messages")
    calls = session.sql(
        """
        SELECT asked.*, answered.`frame.time_epoch` AS response_time, answered.`kafka.len` AS response_length
        FROM (SELECT * FROM messages WHERE `kafka.api_key` IS NOT NULL AND `tcp.dstport` = 9092) asked
        LEFT JOIN (SELECT * FROM messages WHERE `tcp.srcport` = 9092) answered
          ON asked.file = answered.file AND asked.`tcp.stream` = answered.`tcp.stream`
         AND asked.`kafka.correlation_id` = answered.`kafka.correlation_id`
        """
    )
    calls.toDF(*(name.replace(".", "_") for name in calls.columns)).write.parquet(str(folder / "calls"))
    session.stop()


def lost_calls(files: list[Path], folder: Path) -> str:
    """Say how many calls with their answers the usual way has, and how many are in the captures."""
    from kafkasniff.calls.call import Call
    from kafkasniff.reading import Reading

    def answered(paths: list[Path]) -> int:
        reading = Reading([str(path) for path in paths])
        return sum(isinstance(item, Call) and item.outcome == "answered" for item in reading)

    requests: set[tuple[str, str, str]] = set()
    responses: set[tuple[str, str, str]] = set()
    for path in sorted((folder / "csv").iterdir()):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                # A packet with several messages has all their numbers in one field.
                for number in row["kafka.correlation_id"].split(","):
                    key = (path.name, row["tcp.stream"], number)
                    if number:
                        (responses if row["tcp.srcport"] == "9092" else requests).add(key)
    whole, apart = answered(files), sum(answered([path]) for path in files)
    return (
        f"Answered calls in the captures: {whole:,}. With each file read by itself, by kafkasniff: {apart:,}, so that "
        f"{whole - apart:,} are lost at the borders of files. Requests whose answer is in tshark's CSV too: "
        f"{len(requests & responses):,}."
    )


def _dissect(path: Path, folder: Path) -> None:
    (folder / "csv").mkdir(exist_ok=True)
    fields = [option for field in FIELDS for option in ("-e", field)]
    with (folder / "csv" / f"{path.stem}.csv").open("wb") as out:
        command = [
            "tshark",
            "-n",
            "-r",
            str(path),
            "-Y",
            "kafka",
            "-T",
            "fields",
            "-E",
            "header=y",
            "-E",
            "separator=,",
        ]
        subprocess.run([*command, "-E", "quote=d", *fields], stdout=out, stderr=subprocess.DEVNULL, check=True)
