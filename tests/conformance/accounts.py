"""One recording's account: each printed call against the brokers' lines, and what is left on either side."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.conformance.log_exceptions import (
    BEGUN_BEFORE_CAPTURE,
    DIRECTORY_IN_LOGS,
    RECORDS_LOGGED_AS_TEXT,
    RENAMED,
    RENAMED_APIS,
    REQUEST_LOGGED_EMPTY,
    Kind,
)
from tests.conformance.recordings import Recording
from tests.conformance.request_logs import Difference, LoggedCall, differences

SASL_APIS = frozenset({"API_VERSIONS", "SASL_HANDSHAKE", "SASL_AUTHENTICATE"})
"""What comes before a connection is authenticated."""


class Excepted(NamedTuple):
    """A call, or a side of one, that is an exception."""

    api: str
    version: int
    place: str


@dataclass
class Account:
    """What came of holding the printed calls against the log."""

    equal: int = 0
    """Logged calls printed once, equal value for value."""
    forwarded: int = 0
    """Of these, calls inside an ENVELOPE."""
    no_answer_expected: int = 0
    """Of these, requests that ask for no answer."""
    logged_empty: int = 0
    """Of these, calls whose request is empty in the log."""
    logged_as_text: int = 0
    """Of these, calls whose records are a text in the log."""
    directories: int = 0
    """Directories in these calls whose name was overwritten in the log alone."""
    envelopes: int = 0
    """Printed and not logged: ENVELOPE itself."""
    exceptions: dict[Kind, list[Excepted]] = field(default_factory=lambda: {kind: [] for kind in Kind})
    different: list[str] = field(default_factory=list)
    """Logged calls that are printed otherwise."""


class Accountant:
    """Holds the printed calls of one recording against its log; `settle` once."""

    def __init__(self, recording: Recording, logged: list[LoggedCall]) -> None:
        """Take the log in its order, in which calls with equal ids follow one another as on the wire."""
        self._release = recording.release
        self._with_sasl = "SASL" in recording.facts["security"]
        self._with_tls = "SSL" in recording.facts["security"]
        self._begun_before = recording.name in BEGUN_BEFORE_CAPTURE
        self._waiting: dict[tuple[str, str, int, int], deque[LoggedCall]] = defaultdict(deque)
        self._forwarded: dict[tuple[str, str, int, int], deque[LoggedCall]] = defaultdict(deque)
        for call in logged:
            lines = self._forwarded if call.forwarded else self._waiting
            lines[call.client, call.server, call.correlation_id, call.api_key].append(call)
        self.account = Account()

    def settle(self, printed: list[dict[str, Any]]) -> Account:
        """Hold every printed call against the log."""
        calls = [line for line in printed if line["type"] == "call"]
        for call in calls:
            if "requestApiKey" in call["requestHeader"]:
                self._settle_call(call)
                self._count_problems(call)
        # By its correlation id alone an answer could take the line of a whole call, so these come last.
        for call in calls:
            if "requestApiKey" not in call["requestHeader"]:
                self._settle_answer(call)
        for lines in (*self._waiting.values(), *self._forwarded.values()):
            for logged in lines:
                self._except_logged(Kind.BEFORE_CAPTURE, logged)
        return self.account

    def _settle_call(self, call: dict[str, Any]) -> None:
        header = call["requestHeader"]
        key = (call["client"], call["server"], header["correlationId"], header["requestApiKey"])
        if self._waiting[key]:
            self._compare(self._waiting[key].popleft(), call)
        else:
            self._settle_unlogged(call)

    def _settle_unlogged(self, call: dict[str, Any]) -> None:
        api = call["requestHeader"]["requestApiKeyName"]
        if self._with_sasl and api in SASL_APIS:
            self._except_printed(Kind.SASL, call)
        elif api == "ENVELOPE":
            self.account.envelopes += 1
            self._settle_envelope(call)
        elif call["outcome"] == "answered":
            self._except_printed(Kind.LOG_LINE_LOST, call)
        elif call["outcome"] == "unanswered":
            self._except_printed(Kind.UNANSWERED, call)
        else:
            self._except_printed(Kind.UNANSWERED_AT_END, call)

    def _settle_envelope(self, call: dict[str, Any]) -> None:
        inner = {entry["where"]: entry for entry in call.get("decoded", ())}
        request, response = inner.get("request"), inner.get("response")
        if request is None or response is None:
            self.account.different.append(f"ENVELOPE {call['requestHeader']} without the messages in it")
            return
        header = request["requestHeader"]
        lines = self._forwarded[call["client"], call["server"], header["correlationId"], header["requestApiKey"]]
        if not lines:
            self.account.different.append(f"ENVELOPE with {header}, which is not logged")
            return
        inner_call = {"requestHeader": header, "request": request["value"], "response": response["value"]}
        before = self.account.equal
        self._compare(lines.popleft(), {**call, **inner_call})
        self.account.forwarded += self.account.equal - before

    def _settle_answer(self, call: dict[str, Any]) -> None:
        for key, lines in self._waiting.items():
            if lines and key[:3] == (call["client"], call["server"], call["requestHeader"]["correlationId"]):
                self._except_logged(Kind.REQUEST_BEFORE_CAPTURE, lines.popleft())
                return
        self.account.different.append(f"an answer that is not logged: {call['connection']} {call['requestHeader']}")

    def _count_problems(self, call: dict[str, Any]) -> None:
        # Those with a path and no offset are of messages within the message.
        problems = [item for item in call.get("problems", ()) if item["offset"] is not None or not item["path"]]
        sides = {problem["where"] for problem in problems}
        if "request" in sides:
            self._except_printed(Kind.BYTES_LEFT_BEHIND, call)
        if "response" in sides:
            self._except_printed(Kind.ANSWER_CUT_OFF, call)

    def _except_logged(self, kind: Kind, call: LoggedCall) -> None:
        self.account.exceptions[kind].append(Excepted(call.api_name, call.api_version, str(call)))

    def _except_printed(self, kind: Kind, call: dict[str, Any]) -> None:
        header = call["requestHeader"]
        place = f"{header['correlationId']} on {call['connection']} at packet {call['requestPacket']}"
        api = header["requestApiKeyName"], header["requestApiVersion"]
        self.account.exceptions[kind].append(Excepted(*api, place))

    def _compare(self, logged: LoggedCall, call: dict[str, Any]) -> None:
        api = logged.api_name, logged.api_version
        found = [*self._header_differences(logged, call["requestHeader"]), *self._client_differences(logged, call)]
        if (self._release, *api) in REQUEST_LOGGED_EMPTY and logged.request == {}:
            self.account.logged_empty += 1
        else:
            found += self._body_differences(logged, "request", logged.request, call["request"])
        if logged.response is None:
            self.account.no_answer_expected += 1
            found += differences(("no-response-expected", None), (call["outcome"], call["response"]), {}, "outcome")
        elif call["outcome"] == "answered":
            found += self._body_differences(logged, "response", logged.response, call["response"])
            # The wire's time begins before the broker's and ends behind it; sending overlaps what is seen of it.
            if call["totalTimeMs"] < logged.broker_ms:
                found.append(Difference("totalTimeMs", f"at least {logged.broker_ms:.3f}", call["totalTimeMs"]))
        elif call["outcome"] == "unanswered":
            self._except_logged(Kind.ANSWER_NEVER_SENT, logged)
        else:
            found += differences("response-not-captured", call["outcome"], {}, "outcome")
            self._except_logged(Kind.ANSWER_BEHIND_CAPTURE, logged)
        if found:
            self.account.different += [f"{logged}: {difference}" for difference in found]
        elif logged.response is None or call["outcome"] == "answered":
            self.account.equal += 1

    def _header_differences(self, logged: LoggedCall, header: dict[str, Any]) -> Iterator[Difference]:
        expected = {
            "requestApiKey": logged.api_key,
            "requestApiKeyName": RENAMED_APIS.get(logged.api_name, logged.api_name),
            "requestApiVersion": logged.api_version,
            "correlationId": logged.correlation_id,
            "clientId": logged.client_id,
        }
        return differences(expected, header, {}, "requestHeader")

    def _client_differences(self, logged: LoggedCall, call: dict[str, Any]) -> Iterator[Difference]:
        yield from differences(logged.security_protocol, call["securityProtocol"], {}, "securityProtocol")
        software = call["clientInformation"]
        # The broker takes the line's software when the request comes, which for ApiVersions is before it tells.
        if logged.api_name == "API_VERSIONS" or logged.forwarded:
            return
        if self._begun_before and software == dict.fromkeys(logged.software):
            return
        yield from differences(logged.software, software, {}, "clientInformation")

    def _body_differences(self, logged: LoggedCall, side: str, body: Any, printed: Any) -> list[Difference]:
        api = logged.api_name, logged.api_version
        renamed = dict(RENAMED.get((self._release, *api), {}))
        text_path = RECORDS_LOGGED_AS_TEXT.get(api, "")
        if text_path.startswith(side):
            renamed[text_path] = text_path.rpartition(".")[2] + "SizeInBytes"
        found = list(differences(body, printed, renamed, side))
        size_for_text = [place for place in found if place.path == text_path and _is_size_for_text(place)]
        self.account.logged_as_text += bool(size_for_text)
        directories = [place for place in found if self._with_tls and _is_renamed_directory(place)]
        self.account.directories += len(directories)
        return [place for place in found if place not in size_for_text and place not in directories]


def _is_size_for_text(place: Difference) -> bool:
    return place.logged == "" and type(place.printed) is int and place.printed >= 0


def _is_renamed_directory(place: Difference) -> bool:
    if place.path != "response.results[].logDir":
        return False
    length = len(DIRECTORY_IN_LOGS)
    return place.logged == DIRECTORY_IN_LOGS + place.printed[length:]
