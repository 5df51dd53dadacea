"""The damaged captures of tests/robustness with other seeds: what falls below the aim, and what is invented.

    python -m benchmarks.damage_seeds FIRST LAST
    python -m benchmarks.damage_seeds --pairs COUNT --seed SEED

Each seed plays every row with as many connections and calls as the tests have, which play one seed; with `--pairs`, two
rows drawn at random are played together, with the traffic of both. What is lacking is listed message by message, and at
the end as a table of what was not all found: found of there, over all runs of a row.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from random import Random

from tests.robustness.compare import Outcome, Share, compare
from tests.robustness.conversations import compose
from tests.robustness.damage import CALLS, CONNECTIONS, ROWS, Row, fragmented, several
from tests.robustness.oracle import expect
from tests.robustness.packets import batches, transmit
from tests.robustness.running import printed

AIM = 0.999
SHARES = [each.name for each in fields(Outcome) if each.type is Share]


def play(row: Row, seed: str) -> Outcome:
    """Give what came of one row with one seed."""
    rng = Random(seed)
    conversations = compose(rng, connections=CONNECTIONS, calls=CALLS, **row.traffic)
    packets = row.damage(transmit(conversations, rng, **row.segments), rng)
    return compare(printed(batches(packets)), conversations, expect(conversations, packets))


def pair(rng: Random) -> Row:
    """Draw two rows whose damages are done one after the other; fragments are made last, as no damage knows them."""
    first, second = sorted(rng.sample(ROWS, 2), key=lambda row: "fragments" in row.name)
    if "fragments" in first.name:
        second = Row(second.name, fragmented, second.traffic)
        first = Row(first.name, several(), first.traffic)
    name = f"{first.name} + {second.name}"
    damage = several(first.damage, second.damage)
    return Row(name, damage, first.traffic | second.traffic, first.segments | second.segments)


def runs(options: argparse.Namespace) -> Iterator[tuple[str, str, Outcome]]:
    """Give the name of each row, what is to be said of the run, and what came of it."""
    if options.pairs is None:
        for seed in range(options.first, options.last + 1):
            for row in ROWS:
                yield row.name, f"seed {seed}", play(row, f"{row.name} {seed}")
        return
    rng = Random(options.seed)
    for number in range(options.pairs):
        row = pair(rng)
        try:
            yield row.name, f"pair {number}", play(row, f"{options.seed} {number}")
        except (ValueError, IndexError) as error:
            # One damage left nothing for the other.
            print(f"{row.name}: not played: {error!r}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int, nargs="?")
    parser.add_argument("last", type=int, nargs="?")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    totals: defaultdict[str, dict[str, Share]] = defaultdict(lambda: {name: Share() for name in SHARES})
    count, inventing, contradicted = 0, 0, 0
    for name, what, outcome in runs(options):
        count, inventing, contradicted = (
            count + 1,
            inventing + bool(outcome.invented),
            contradicted + bool(outcome.wrong),
        )
        for each, share in totals[name].items():
            of_run: Share = getattr(outcome, each)
            share.found += of_run.found
            share.expected += of_run.expected
        told = [f"invented: {each}" for each in outcome.invented] + [f"wrong: {each}" for each in outcome.wrong]
        for text in [*told, *outcome.missing]:
            print(f"{name}, {what}: {text}", flush=True)
    print(f"\n| row | {' | '.join(SHARES)} |\n| --- |{' ---: |' * len(SHARES)}")
    below = 0
    for name, shares in totals.items():
        below += any(share.part < AIM for share in shares.values())
        if any(share.part < 1 for share in shares.values()):
            print(f"| {name} | {' | '.join(map(str, shares.values()))} |")
    all_of = {name: sum(shares[name].found for shares in totals.values()) for name in SHARES}
    there = {name: sum(shares[name].expected for shares in totals.values()) for name in SHARES}
    print(f"| all {len(totals)} rows | {' | '.join(str(Share(all_of[name], there[name])) for name in SHARES)} |")
    drawn = "" if options.pairs is None else f", drawn with seed {options.seed}"
    print(f"\n{count} runs{drawn}: {inventing} with inventions, {contradicted} with contradictions;", end=" ")
    print(f"{below} of {len(totals)} rows below {AIM:.1%} of something")


if __name__ == "__main__":
    main()
