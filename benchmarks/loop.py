"""Measure a loop over all calls from Python: `python -m benchmarks.loop CAPTURE [--other PYTHON]`.

Each round starts Python, reads CAPTURE with `kafkasniff.read` and looks at five attributes of each call. `--other` is
the Python of another installed kafkasniff, which takes turns. Prints Markdown: CPU time, start-up included, medians.
"""

import argparse
import datetime
import sys

from benchmarks.measure import compare, machine

LOOP = """
import sys
import kafkasniff

for item in kafkasniff.read(sys.argv[1]):
    if isinstance(item, kafkasniff.Call):
        item.api_name, item.client, item.client_id, item.outcome, item.correlation_id
"""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loop", description=__doc__)
    parser.add_argument("capture")
    parser.add_argument("--other", help="another kafkasniff's Python")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    arguments = parser.parse_args()
    pythons = {"this": sys.executable} | ({"other": arguments.other} if arguments.other else {})
    # `-P`: not the kafkasniff of the folder that this runs in.
    found = compare(
        {name: [each, "-P", "-c", LOOP, arguments.capture] for name, each in pythons.items()}, arguments.rounds
    )
    today = datetime.datetime.now(datetime.UTC)
    print(f"{today:%Y-%m-%d}, {machine()}, medians of {arguments.rounds} rounds in turn\n")
    print("| | CPU s | MB | × this |\n| --- | ---: | ---: | ---: |")
    for name, cost in found.items():
        print(f"| {name} | {cost.cpu:.2f} | {cost.rss / 1e6:.0f} | {cost.cpu / found['this'].cpu:.1f} |")


if __name__ == "__main__":
    main()
