"""The damaged captures of tests/robustness with other seeds: what falls below its aim, and what is invented.

    python -m benchmarks.damage_seeds FIRST LAST

Each seed plays every row with as many connections and calls as the tests have, which play one seed.
"""

import argparse
from random import Random

from tests.robustness.compare import Outcome, compare
from tests.robustness.conversations import compose
from tests.robustness.damage import ROWS, Row
from tests.robustness.oracle import expect
from tests.robustness.packets import batches, transmit
from tests.robustness.running import printed
from tests.robustness.test_damage import CALLS, CONNECTIONS


def play(row: Row, seed: int) -> Outcome:
    """Give what came of one row with one seed."""
    rng = Random(f"{row.name} {seed}")
    conversations = compose(rng, connections=CONNECTIONS, calls=CALLS, **row.traffic)
    packets = row.damage(transmit(conversations, rng, **row.segments), rng)
    return compare(printed(batches(packets)), conversations, expect(conversations, packets))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    options = parser.parse_args()
    runs, below, inventing = 0, 0, 0
    for seed in range(options.first, options.last + 1):
        for row in ROWS:
            outcome = play(row, seed)
            lacking = outcome.below_aim
            runs, below, inventing = runs + 1, below + bool(lacking), inventing + bool(outcome.invented)
            if lacking or outcome.invented or outcome.wrong:
                print(f"{row.name}, seed {seed}:", "; ".join([*lacking, *outcome.invented, *outcome.wrong]), flush=True)
    print(f"{runs} runs: {below} below an aim, {inventing} with inventions")


if __name__ == "__main__":
    main()
