"""How many calls are printed behind a call whose last packet came later.

python -m benchmarks.order FILE...
"""

import argparse
from collections import Counter

import kafkasniff
from kafkasniff.calls.call import Call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    answered = 0
    late: Counter[str] = Counter()
    for path in parser.parse_args().files:
        latest = 0
        for item in kafkasniff.read(path):
            if isinstance(item, Call) and item.outcome == "answered":
                answered += 1
                if item.ended.packet < latest:
                    late["began before the capture" if item.connection.initiator is None else "out of order"] += 1
                latest = max(latest, item.ended.packet)
    print(f"{answered:,} answered calls, {late.total()} behind a later one: {dict(late)}")


if __name__ == "__main__":
    main()
