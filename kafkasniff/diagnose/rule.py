# cython: language_level=3, annotation_typing=False, boundscheck=True
"""What every rule is: what it says of itself, its thresholds, and its states by key."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from kafkasniff.calls.call import Call, FieldError
from kafkasniff.calls.enrichment.authentication import RawToken
from kafkasniff.calls.reports import ConnectionReport, Gap
from kafkasniff.diagnose.facts.clients import Client, host_of
from kafkasniff.diagnose.facts.facts import Facts
from kafkasniff.diagnose.facts.profiles import MOST_ADDRESSES, Profile
from kafkasniff.diagnose.finding import Finding, Severity, Subject
from kafkasniff.diagnose.memory.bounded import Bounded
from kafkasniff.diagnose.memory.tallies import Names, Tally
from kafkasniff.diagnose.options.library import Library, filled, places
from kafkasniff.diagnose.seen.seen_call import SeenCall

State = TypeVar("State")

MOST_KEPT = 1_000
"""Findings kept of keys that had to be given up."""

MOST_CLIENTS_NAMED = 12

_MOST_QUOTED = 3

_GIVEN = ("facts", "limits")
"""Attributes of a rule that it is made with."""

_MOST_LIBRARIES = 3
"""Libraries of one finding whose names of options it tells."""
OTHER_NAMES = "(Names of options as in Java, where it has them; `kafkasniff explain {}` has those of each library.)"
"""Stands behind a fix for a client whose library is not known."""

ANY_API = frozenset({-1})
"""For `Rule.apis`: calls of every API."""
WITH_STATES = 1 << 16
"""For `Rule.only`: all calls while the rule has states."""


class Threshold(NamedTuple):
    """A number that decides whether a rule fires."""

    name: str
    default: float
    unit: str
    source: str
    """Where the default comes from: a client's default setting, a KIP, a measurement."""


class Rule(Generic[State]):
    """One kind of misbehaviour. A subclass declares the class variables and says what it makes of calls and reports.

    A state belongs to one key of the rule's scope and to no other, so that the work can be divided by key.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity]
    scope: ClassVar[str]
    """What a finding is about: `client`, `connection`, `group`, `topic`, `transactional id`, `producer id`, …"""
    state_type: ClassVar[type[Any]]
    """What is kept of each key; `new_state` makes it, where it does not begin with nothing."""
    looks_across_clients: ClassVar[bool] = False
    """Whether a state holds what several clients do; of all other rules it is of one client, by whose address the
    work may be divided."""
    thresholds: ClassVar[tuple[Threshold, ...]] = ()
    apis: ClassVar[frozenset[int]] = frozenset()
    """API keys of the calls that `call` takes; empty when it takes none."""
    only: ClassVar[Mapping[int, int]] = {}
    """By API, where `call` takes some calls only: those with one of these traits of `seen_call`, or all while the rule
    has states (`WITH_STATES`)."""
    request_fields: ClassVar[frozenset[str]] = frozenset()
    """Names of the fields that `call` reads in requests, with those of the structures around them."""
    response_fields: ClassVar[frozenset[str]] = frozenset()
    """The same of responses."""
    sampled: ClassVar[frozenset[int]] = frozenset()
    """API keys of the calls of which `samples` takes some."""
    used: ClassVar[frozenset[int]] = ANY_API
    """API keys of the calls that `uses` takes."""
    meaning: ClassVar[str]
    wire: ClassVar[str]
    """How it looks on the wire."""
    cause: ClassVar[str]
    """Why it happens. Here and in `fix` options stand in braces, by the ids of `options`: `{linger.ms}`."""
    fix: ClassVar[str]

    def __init__(self, facts: Facts, settings: Mapping[str, float]) -> None:
        """Begin; `settings` holds the values of thresholds that are not the default."""
        self.facts = facts
        self.limits = {threshold.name: threshold.default for threshold in self.thresholds} | dict(settings)
        self.states: Bounded[State] = Bounded(evicted=self._keep)
        self.given_up = 0
        """Keys whose state was dropped as there were too many."""
        self.failed: Counter[str] = Counter()
        """How often the rule itself failed, by the names of exceptions."""
        self._kept: list[Finding] = []

    def remembered(self) -> dict[str, Any]:
        """Give what the rule knows of what it saw, by attribute, for a snapshot."""
        return {name: value for name, value in vars(self).items() if name not in _GIVEN}

    def recall(self, remembered: Mapping[str, Any]) -> None:
        """Know that, and nothing else. Raises ValueError where it is of another kind of rule."""
        if remembered.keys() != self.remembered().keys():
            raise ValueError(f"expected what {self.id} remembers, found {sorted(remembered)}")
        vars(self).update(remembered)
        self.states.evicted = self._keep

    def new_state(self) -> State:
        """Give the state of a key that nothing is known of."""
        state: State = self.state_type()
        return state

    def finding(self, key: Any, state: State) -> Finding | None:
        """Give what a state amounts to, None when all is well."""
        raise NotImplementedError

    def call(self, seen: SeenCall) -> None:
        """Take a call of one of `apis`, answered or not."""

    def version(self, api_key: int, version: int) -> bool:
        """Tell whether calls of one of `apis` in this version are to be taken."""
        return True

    def serves(self, seen: SeenCall) -> None:
        """Take the first call of a connection that shows that its client is served, or wants to log in."""

    def waits(self, seen: SeenCall, wait_ms: int) -> None:
        """Take a call whose answer says how long to wait, or that comes after such an answer (then with 0)."""

    def slow(self, seen: SeenCall) -> None:
        """Take a call of any API whose answer took a second or longer from the request's first byte on."""

    def samples(self, seen: SeenCall) -> None:
        """Take one answered call without errors a second of each connection and each API of `sampled`."""

    def unanswered(self, call: Call) -> None:
        """Take a call of any API whose answer was wanted and did not come, or was not captured."""

    def unrequested(self, call: Call) -> None:
        """Take an answer whose request was not captured."""

    def begins(self, seen: SeenCall) -> None:
        """Take the first call of a connection, or the first under another client id."""

    def uses(self, seen: SeenCall) -> None:
        """Take the first call of a connection of each API of `used`."""

    def token(self, token: RawToken) -> None:
        """Take a SASL token without Kafka's headers."""

    def connection(self, report: ConnectionReport) -> None:
        """Take the report of a connection that ended."""

    def gap(self, gap: Gap) -> None:
        """Take bytes that the capture lacks."""

    def recovers(self, seen: SeenCall) -> None:
        """Take a call without error, the first of its API since the client got an error there that nobody took."""

    def left(self, call: Call, errors: list[FieldError]) -> None:
        """Take a call with those of its errors that no rule that counts error codes takes."""

    def findings(self) -> Iterator[Finding]:
        """Give the findings so far."""
        yield from self._kept
        for key, state in self.states.items():
            finding = self._found(key, state)
            if finding is not None:
                yield finding

    def state(self, key: Hashable) -> State:
        """Give the state of a key, a new one where there is none."""
        return state_of(self, key)

    def _keep(self, key: Hashable, state: State) -> None:
        self.given_up += 1
        finding = self._found(key, state) if len(self._kept) < MOST_KEPT else None
        if finding is not None:
            self._kept.append(finding)

    def _found(self, key: Hashable, state: State) -> Finding | None:
        try:
            finding = self.finding(key, state)
        except Exception as error:
            # A state is asked again and again.
            self.failed.setdefault(type(error).__name__, 1)
            return None
        if finding is not None:
            finding.key = key
        return finding

    def make(
        self,
        tally: Tally,
        subject: Subject,
        summary: str,
        *,
        count: int | None = None,
        cause: str | None = None,
        fix: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """Give a finding of this rule; None in the subject means that it does not apply.

        Where the rule has a threshold `again`, what came fewer times is an info.
        """
        if severity is None:
            severity = "info" if tally.count < self.limits.get("again", 0) else self.severity
        assert tally.first is not None
        assert tally.last is not None
        profiles = self._profiles(tally, subject)
        cause, fix = self._advice(set().union(*(profile.libraries() for profile in profiles)), cause, fix)
        return Finding(
            self.id,
            severity,
            self._completed(subject, tally, profiles),
            tally.first.time,
            tally.last.time,
            tally.count if count is None else count,
            summary,
            cause,
            fix,
            list(tally.evidence),
        )

    def _profiles(self, tally: Tally, subject: Subject) -> list[Profile]:
        """Give who the clients are that a finding is about."""
        client_ids, addresses = listed(subject.get("clientId")), listed(subject.get("client"))
        profiles = self.facts.profiles
        if not client_ids:
            return profiles.nameless(addresses)
        return profiles.known(client_ids, [host_of(address) for address in (*addresses, *tally.clients)])

    def _completed(self, subject: Subject, tally: Tally, profiles: list[Profile]) -> Subject:
        """Give a subject with what else is known of who is concerned; what the rule names stands."""
        more = self._addresses(subject, tally, profiles)
        for name, values in (
            ("softwareName", [name for profile in profiles for name, _ in profile.software]),
            ("softwareVersion", [version for profile in profiles for _, version in profile.software]),
            ("principal", [each for profile in profiles for each in profile.principals]),
        ):
            more[name] = _one_of(list(dict.fromkeys(values)))
        more["topics"] = list(tally.topics) if len(tally.topics) > 1 and not subject.get("topic") else None
        if isinstance(subject.get("server"), str) and (broker := self.facts.broker(subject["server"])) is not None:
            more["brokerId"] = broker.node_id
        group = subject.get("group")
        members = [profile.members[group] for profile in profiles if group in profile.members]
        if len(members) == 1 and not subject.get("groupInstanceId"):
            more["memberId"], more["groupInstanceId"] = members[0]
        found = {**subject, **{name: value for name, value in more.items() if subject.get(name) is None}}
        # What a rule sets to None does not apply.
        unsaid = {name for name, value in subject.items() if value is None} - {"client", "memberId", "groupInstanceId"}
        return {name: value for name, value in found.items() if value not in (None, "", []) and name not in unsaid}

    def _addresses(self, subject: Subject, tally: Tally, profiles: list[Profile]) -> Subject:
        """Give where the clients are: the one address, or the first of several with their number."""
        if any(":" in str(each) for each in listed(subject.get("client"))):
            return {}
        addresses, count = sorted(tally.clients), len(tally.clients)
        if profiles:
            theirs = sorted({address for profile in profiles for address in profile.addresses})
            count = sum(profile.connections for profile in profiles)
            # Those on which it was seen, where all of the clients' are known.
            addresses = [each for each in addresses if each in theirs] if count <= MOST_ADDRESSES else []
            enough = addresses and len(addresses) >= len(profiles)
            addresses, count = (addresses, len(addresses)) if enough else (theirs, count)
        if count == 1 and not subject.get("client"):
            return {"client": addresses[0]}
        more = count if count > MOST_ADDRESSES and (profiles or not tally.clients.more) else None
        return {"addresses": addresses[:MOST_ADDRESSES], "addressCount": more} if count > 1 else {}

    def _advice(self, libraries: set[Library | None], cause: str | None, fix: str | None) -> tuple[str, str]:
        """Give cause and fix in the library's words; what the rule says of this finding alone stands.

        Of several libraries the names of each stand behind those of Java.
        """
        library = next(iter(libraries)) if len(libraries) == 1 else None
        advice = library.advice.get(self.id) if library is not None else None
        fix = fix or (advice.fix if advice is not None else self.fix)
        cause = cause or (advice.cause if advice is not None else self.cause)
        options = places(f"{cause} {fix}")
        known = sorted((each for each in libraries if each is not None), key=lambda each: each.id)
        note = ""
        if library is None and options:
            named = [
                f"{each.id}: {', '.join(filled('{' + option + '}', each) for option in options)}" for each in known
            ]
            note = (
                f" (In {'; '.join(named)}.)" if 0 < len(named) <= _MOST_LIBRARIES else f" {OTHER_NAMES.format(self.id)}"
            )
        return filled(cause, library), filled(fix, library) + note


def state_of(rule: Rule[State], key: Hashable) -> State:
    """Give the state of a rule's key: of what is compiled, a function of C, for rules that many calls go to."""
    states = rule.states
    state = states.used(key)
    if state is None:
        state = rule.new_state()
        states.put(key, state)
    return state


def _one_of(value: Any) -> Any:
    """Give the value where a list holds only one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def listed(value: Any) -> list[Any]:
    """Give the values of a name in a subject."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def client_subject(client: Client, connections: Names | None = None) -> Subject:
    """Name a client by its client id, and by its connection where there is only one; without id by its connections."""
    if not client.client_id:
        return {"client": (connections_subject(connections) if connections is not None else None) or client.host}
    return {"clientId": client.client_id, "client": connections.only if connections is not None else None}


def connections_subject(connections: Names) -> str | list[str] | None:
    """Give the connections' clients for a subject; None when there are too many to name."""
    if connections.more or len(connections) > MOST_CLIENTS_NAMED:
        return None
    return connections.only or list(connections) or None


def quoted(texts: Names) -> str:
    """Quote what clients say, the first few of it."""
    said = [f"“{text}”" for text in texts][:_MOST_QUOTED]
    return " and ".join(said) + (", …" if len(texts) > _MOST_QUOTED else "")


def seconds_text(nanoseconds: int) -> str:
    """Give a duration in seconds, one digit behind the point."""
    return f"{nanoseconds / 1e9:.1f} s"


def rough_text(nanoseconds: int) -> str:
    """Give a duration roughly, so that equal ones are said once."""
    seconds = nanoseconds / 1e9
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def counted(count: int, noun: str) -> str:
    """Give a count with its noun: `1 request`, `2,000 requests`."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def times_text(count: int) -> str:
    """Give how often: `once`, `2,000 times`."""
    return "once" if count == 1 else f"{count:,} times"
