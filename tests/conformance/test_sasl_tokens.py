"""Whom the tokens of SASL logins name, against the principals that the brokers logged."""

import gzip
import json
from base64 import b64decode
from collections.abc import Callable

import pytest

from kafkasniff.calls.call import Call
from kafkasniff.protocol.sasl.tokens import guess_mechanism, read_token
from kafkasniff.reading import read
from tests.conformance.recordings import HEALTHY
from tests.conftest import needs_shared

pytestmark = needs_shared

SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36

RECORDINGS = [
    "admin-all-sasl",
    "sasl-gssapi-java",
    "sasl-gssapi-reauth",
    "sasl-oauthbearer",
    "sasl-plain-java",
    "sasl-plain-many-clients",
    "sasl-reauthentication",
    "sasl-scram-sha-256",
]


def logged_principals(name: str) -> dict[str, str]:
    """Give the principal by the client's address."""
    principals = {}
    with gzip.open(HEALTHY / f"{name}.requestlog.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if entry["securityProtocol"].startswith("SASL"):
                # The broker's address, the client's, then numbers of the broker's own.
                principals[entry["connection"].split("-")[1]] = entry["principal"]
    return principals


@pytest.mark.parametrize("name", RECORDINGS)
def test_tokens_name_the_principals_that_brokers_log(name: str, add_figure: Callable[..., None]) -> None:
    logged = logged_principals(name)
    mechanisms: dict[str, str] = {}
    named: dict[str, str] = {}
    begun: set[str] = set()
    silent: set[str] = set()
    tokens = 0
    for call in read(str(HEALTHY / f"{name}.pcap"), show_secrets=True):
        if not isinstance(call, Call) or call.api_key not in (SASL_HANDSHAKE, SASL_AUTHENTICATE):
            continue
        assert call.request_body is not None
        assert call.request_body.value is not None
        if call.api_key == SASL_HANDSHAKE:
            mechanisms[call.client] = call.request_body.value["mechanism"]
            continue
        answer = call.response_body.value if call.response_body is not None else None
        for from_client, body in ((True, call.request_body.value), (False, answer)):
            if body is None:
                continue
            raw = b64decode(body["authBytes"] or "")
            token = read_token(mechanisms[call.client], from_client, raw)
            tokens += 1
            assert token.kind != "unknown"
            if from_client and call.client not in begun:
                begun.add(call.client)
                guessed = guess_mechanism(raw)
                assert guessed is not None
                assert mechanisms[call.client].startswith(guessed)
            if token.principal is not None:
                named[call.client] = token.principal
            elif from_client and token.kind == "GSSAPI wrap":
                # Cyrus SASL sends no authzid, and Kerberos hides the client in its ticket.
                silent.add(call.client)
    in_both = named.keys() & logged.keys()
    wrong = {client: named[client] for client in in_both if named[client] != logged[client]}
    add_figure(
        "SASL tokens",
        name,
        tokens=tokens,
        logins=len(named),
        logged=len(in_both),
        silent=len(silent),
        different=len(wrong),
    )
    assert wrong == {}
    assert in_both == logged.keys() - silent
