"""Compare `stats`, `tables` and `tshark -T fields` with `read` on one capture: `python -m benchmarks.answers`.

Prints Markdown: CPU time, wall time and memory, all run in turn. Nothing is asserted.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.measure import compare, machine, table
from benchmarks.read import OURS, prepare

FIELDS = ("kafka.api_key", "kafka.correlation_id", "kafka.error", "kafka.topic_name")
"""What tshark prints for each packet, without any grouping."""


def main() -> None:
    """Measure, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path, help="where captures are kept")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(prepare("small-calls", arguments.calls, arguments.work or Path(folder)))
        ours, made = OURS[0], f"{folder}/tables"
        fields = [each for field in FIELDS for each in ("-e", field)]
        commands = {
            "kafkasniff read": [*OURS, path],
            "kafkasniff stats --by api_name": [ours, "stats", path, "--by", "api_name"],
            "kafkasniff stats --by topic,error": [ours, "stats", path, "--by", "topic,error"],
            "kafkasniff stats": [ours, "stats", path],
            # It writes into a folder that must be new each time.
            "kafkasniff tables (Parquet)": ["sh", "-c", f"rm -rf {made} && exec {ours} tables {path} -o {made}"],
            "tshark -T fields": ["tshark", "-n", "-r", path, "-T", "fields", *fields],
        }
        measured = compare(commands, arguments.rounds)
    print(f"{machine()}; small-calls, {arguments.calls:,} calls; medians of {arguments.rounds}\n\n{table(measured)}")


if __name__ == "__main__":
    main()
