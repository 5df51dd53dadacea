"""Summaries of calls that take more than their bodies, or of which nothing is said but the names in them."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from kafkasniff.calls.call import Call
from kafkasniff.protocol.api_keys import ENVELOPE, SASL_AUTHENTICATE, SASL_HANDSHAKE
from kafkasniff.protocol.bodies import find_entities
from kafkasniff.render.text.summaries.lists import MOST_NAMES, NAME_LENGTH
from kafkasniff.render.words import ELLIPSIS, escape, show

_ENTITIES: Final = (("groupId", "group "), ("transactionalId", "transaction "), ("topicName", ""))

Body = dict[str, Any]


def other_summary(call: Call) -> str:
    """Say in a few words what a call was about whose API is not in `SUMMARY_FIELDS`."""
    request = call.request_body.value if call.request_body else None
    response = call.response_body.value if call.response_body else None
    if request is None and response is None:
        return ""
    if call.api_key == SASL_HANDSHAKE:
        return _sasl_handshake(request or {}, response or {})
    if call.api_key == SASL_AUTHENTICATE:
        return _sasl_authenticate(call, response or {})
    if call.api_key == ENVELOPE:
        # The request inside, which a broker forwards to the controller (KIP-590).
        return ", ".join(f"{item['type']} v{item['version']}" for item in call.decoded if item["where"] == "request")
    return _names(call, request, response)


def _sasl_handshake(request: Body, response: Body) -> str:
    """Name the mechanism, and where it is not offered, those that are."""
    mechanism, offered = request.get("mechanism", ""), response.get("mechanisms", [])
    asked = show(mechanism, NAME_LENGTH)
    if not offered or request.get("mechanism") in offered:
        return asked
    return f"{asked} → {_names_text(offered)}" if asked else _names_text(offered)


def _sasl_authenticate(call: Call, response: Body) -> str:
    """Name the principal, and why a login failed or how long it lasts."""
    words = [escape(call.principal)] if call.principal else []
    if response.get("errorMessage"):
        words.append(show(response["errorMessage"]))
    if response.get("sessionLifetimeMs"):
        words.append(f"session of {response['sessionLifetimeMs'] / 1000:g} s")
    return ", ".join(words)


def _names(call: Call, request: Body | None, response: Body | None) -> str:
    """Name what the request is about, or, where it names nothing, the response."""
    assert call.header is not None
    key, version = call.header.api_key, call.header.api_version
    found = find_entities(key, version, "request", request) if request else {}
    if not found and response:
        found = find_entities(key, version, "response", response)
    return ", ".join(label + _names_text(names) for entity, label in _ENTITIES if (names := found.get(entity)))


def _names_text(names: Iterable[object]) -> str:
    shown = list(islice(names, MOST_NAMES + 1))
    text = ", ".join(show(name, NAME_LENGTH) for name in shown[:MOST_NAMES])
    return text if len(shown) <= MOST_NAMES else f"{text}, {ELLIPSIS}"
