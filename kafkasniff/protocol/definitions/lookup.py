"""Find definitions: of APIs by key, of other messages by name. Their modules are imported when first asked for."""

from functools import cache
from importlib import import_module
from typing import Final, cast

from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.fields import Kind, Message
from kafkasniff.protocol.message_table import MESSAGES

GIVEN_SIDES: Final[dict[tuple[int, Kind], Message]] = {}
"""Requests and responses that a user defined, by API key; they have all that was known before."""

GIVEN_MESSAGES: Final[dict[str, Message]] = {}
"""The same of messages that are no API, by name."""


@cache
def api_definition(api_key: int, kind: Kind) -> Message:
    """Give the definition of an API's request or response; raises KeyError for an unknown key."""
    if (api_key, kind) in GIVEN_SIDES:
        return GIVEN_SIDES[api_key, kind]
    module = import_module(f"kafkasniff.protocol.apis.{APIS[api_key].module}")
    return cast(Message, module.REQUEST if kind == "request" else module.RESPONSE)


@cache
def message_definition(name: str) -> Message:
    """Give the definition of a message that is no API, by Kafka's name; raises KeyError for an unknown name."""
    if name in GIVEN_MESSAGES:
        return GIVEN_MESSAGES[name]
    module = import_module(f"kafkasniff.protocol.messages.{MESSAGES[name].module}")
    return cast(Message, module.MESSAGE)
