"""Shares of the rules that processes run over what all of them read (`diagnose --jobs`)."""

import json
import signal
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from kafkasniff.calls.items import taken_out
from kafkasniff.cli.options.settings import RuleChoice
from kafkasniff.cli.processes.jobs import Pipe, Workers
from kafkasniff.cli.terminal.output import Output
from kafkasniff.cli.terminal.progress import Progress
from kafkasniff.diagnose.engine import Diagnosis, joined
from kafkasniff.diagnose.finding import Finding, findings_from_json, findings_to_json
from kafkasniff.diagnose.rule import ANY_API, Rule
from kafkasniff.filters.filter import Filter
from kafkasniff.protocol.api_keys import PRODUCE
from kafkasniff.reading import Reading


class Diagnosed(NamedTuple):
    """What all rules found together."""

    reading: Reading
    findings: list[Finding]
    limits: list[str]
    interrupted: bool


def diagnose_shares(jobs: int, read: Callable[[], Reading], choice: RuleChoice, wanted: Filter) -> Diagnosed:
    """Run the chosen rules in up to `jobs` processes, each of which reads the captures with `read`.

    Calls are judged that are `wanted`. Raises CaptureError.
    """
    rules, settings = choice
    divided = [[rule for rule in rules if _part(rule) % jobs == number] for number in range(jobs)]
    shares = [share for share in divided if share] or [[]]

    def take_share(number: int, pipe: Pipe) -> None:
        diagnosis = Diagnosis(shares[number], settings)
        _feed(diagnosis, read(), workers, wanted)
        pipe.write(findings_to_json(diagnosis.found()))
        pipe.write(json.dumps(diagnosis.limits_reached()).encode())

    reading, diagnosis = read(), Diagnosis(shares[0], settings)
    workers = Workers(len(shares) - 1, take_share)
    with workers:
        _feed(diagnosis, reading, workers, wanted)
        if workers.interrupted:
            for worker in workers.all:
                worker.send(signal.SIGINT)
        found, limits = diagnosis.found(), diagnosis.limits_reached()
        output = Output(sys.stdout.buffer)
        for worker in workers.all:
            found |= findings_from_json(worker.rest(output))
            limits += json.loads(worker.rest(output))
        interrupted = workers.interrupted
    order = {rule.id: place for place, rule in enumerate(rules)}
    # What no rule could take is said by each process.
    limits = sorted(dict.fromkeys(limits), key=lambda text: order.get(text.partition(":")[0], -1))
    return Diagnosed(reading, joined(found[rule.id] for rule in rules), limits, interrupted)


def _feed(diagnosis: Diagnosis, reading: Reading, workers: Workers, wanted: Filter) -> None:
    progress = Progress(reading, writes_lines=False)
    for items in reading.batches():
        diagnosis.feed_all(wanted.judged(taken_out(items), reading.summary))
        progress.report()
        if workers.interrupted:
            break
    progress.clear()


def _part(rule: type[Rule[Any]]) -> int:
    """Give which of three parts of about the same work a rule belongs to."""
    # They cost most to read, which several processes should not do.
    if PRODUCE in rule.apis:
        return 0
    return 1 if rule.apis and rule.apis != ANY_API else 2
