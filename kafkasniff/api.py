"""What Python programs use beside `Reading`: diagnosing, listening, and items as dicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import orjson

from kafkasniff.calls.call import Call
from kafkasniff.calls.context import Context
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.items import Item, taken_out
from kafkasniff.calls.options import CallOptions
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.calls.spending import Spending
from kafkasniff.capture.interfaces.live import LiveCapture
from kafkasniff.diagnose.catalogue import RULES, RULES_BY_ID
from kafkasniff.diagnose.engine import Diagnosis
from kafkasniff.diagnose.finding import Finding
from kafkasniff.filters.filter import Filter, as_filter
from kafkasniff.listening import Listening
from kafkasniff.protocol.limits import RECORDS_LIMIT
from kafkasniff.reading import CapturePath, Reading, Summary
from kafkasniff.render.diagnosis.findings import finding_object
from kafkasniff.render.json.items import connection_line, gap_line, token_line
from kafkasniff.render.json.lines import JsonLines
from kafkasniff.render.unseen import unseen


class Findings(list[Finding]):
    """What is wrong in captures, and what of them could not be judged."""

    def __init__(self, findings: Sequence[Finding], summary: Summary, limits: Sequence[str]) -> None:
        """Take what was found."""
        super().__init__(findings)
        self.summary = summary
        """What the captures were worth."""
        self.limits = list(limits)
        """Limits of rules that were reached, and rules that failed, in sentences."""

    @property
    def not_judged(self) -> list[str]:
        """Give what could not be judged: only where that is nothing, no findings mean that all is well."""
        return [part.what for part in unseen(self.summary)]


def diagnose(
    paths: CapturePath | Sequence[CapturePath],
    *,
    rules: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    key_log: CapturePath | None = None,
    two_pass: bool = False,
    where: str | Filter | None = None,
) -> Findings:
    """Say what clients and brokers do wrong in a capture, or in several that are one.

    `rules` are the ids of those that run, all of them without it, but for those in `ignore`. `thresholds` has values
    by `RULE.THRESHOLD`. Only calls are judged for which `where` holds, an expression. Raises CaptureError and
    FilterError as `read` does, and ValueError for a rule or threshold that there is not.
    """
    settings: dict[str, dict[str, float]] = {}
    for name, value in (thresholds or {}).items():
        rule_id, _, threshold = name.partition(".")
        if threshold not in {each.name for each in _rule(rule_id).thresholds}:
            raise ValueError(f"{rule_id} has no threshold {threshold!r}")
        settings.setdefault(rule_id, {})[threshold] = value
    for rule_id in (*(rules or ()), *ignore):
        _rule(rule_id)
    chosen = [rule for rule in RULES if rule.id not in ignore and (rules is None or rule.id in rules)]
    diagnosis = Diagnosis(chosen, settings)
    with Reading(paths, connections=True, metrics=False, key_log=key_log, two_pass=two_pass) as reading:
        diagnosis.feed_all(as_filter(where).judged(reading, reading.summary))
    return Findings(diagnosis.findings(), reading.summary, diagnosis.limits_reached())


def _rule(rule_id: str) -> Any:
    if rule_id not in RULES_BY_ID:
        raise ValueError(f"no rule has the id {rule_id!r}")
    return RULES_BY_ID[rule_id]


class live:  # noqa: N801
    """The calls on network interfaces as they end, until `stop` is called or the time is over.

    It is a context manager, which closes the interfaces, and can be iterated once.
    """

    def __init__(
        self,
        interfaces: str | Sequence[str],
        *,
        bpf: str | None = None,
        seconds: float | None = None,
        connections: bool = False,
        records: bool = False,
        limit_value: int | None = None,
        show_secrets: bool = False,
        key_log: CapturePath | None = None,
        where: str | Filter | None = None,
    ) -> None:
        """Listen from now on; raises CaptureError, which says what to do.

        `bpf` is a filter in libpcap's language. `connections` adds a report of each connection when it ends, `records`
        reads the records in batches, of keys and values the first `limit_value` bytes. `key_log` is a file with the
        secrets of TLS connections, which may grow. `where` is an expression: only what it holds for is given.
        """
        self._where = as_filter(where)
        names = [interfaces] if isinstance(interfaces, str) else list(interfaces)
        self._capture = LiveCapture(names, bpf_filter=bpf)
        self.messages: list[str] = []
        """What went wrong so far, in sentences."""
        context = Context(records=records, limit_value=limit_value, spending=Spending(RECORDS_LIMIT))
        self._listening = Listening(
            self._capture,
            self.messages.append,
            options=CallOptions(show_secrets=show_secrets, context=context),
            connections=connections,
            duration_ns=None if seconds is None else round(seconds * 1e9),
            key_log=None if key_log is None else str(key_log),
        )

    @property
    def summary(self) -> Summary:
        """Give what was seen so far."""
        return self._listening.summary

    def __iter__(self) -> Iterator[Item]:
        """Give calls, gaps and reports as they end."""
        for items in self._listening.batches():
            yield from self._where.of(taken_out(items), self.summary)

    def __enter__(self) -> Self:
        """Give it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the interfaces."""
        self.close()

    def stop(self) -> None:
        """Let the iteration end with what waits; may be called by another thread or a signal handler."""
        self._capture.stop()

    def close(self) -> None:
        """Close the interfaces."""
        self._capture.close()


def to_dict(item: Item | Finding) -> dict[str, Any]:
    """Give a call, gap, token, connection or finding as its JSON line has it (docs/json.md)."""
    if isinstance(item, Finding):
        return {"type": "finding", **finding_object(item)}
    found: dict[str, Any] = orjson.loads(_line(item))
    return found


def _line(item: Item) -> bytes:
    if isinstance(item, Call):
        return JsonLines().line(item)
    if isinstance(item, Gap):
        return gap_line(item)
    if isinstance(item, RawToken):
        return token_line(item)
    assert isinstance(item, ConnectionReport)
    return connection_line(item)
