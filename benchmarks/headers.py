"""Read a capture and gather its packets' headers as columns, and do nothing with them: `python -m benchmarks.headers
FILE`. What is left of `kafkasniff read` when all its work is taken away; no list can be quicker."""

import sys

from kafkasniff.capture.reader import CaptureReader
from kafkasniff.tcp.columns import read_columns


def main() -> None:
    segments = sum(int(read_columns(batch).common.sum()) for batch in CaptureReader(sys.argv[1]))
    print(f"{segments:,} segments of common shapes")


if __name__ == "__main__":
    main()
