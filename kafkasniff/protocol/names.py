"""Finds APIs and errors by what people call them."""

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from kafkasniff.near_names import did_you_mean, plain
from kafkasniff.protocol.api_table import APIS
from kafkasniff.protocol.error_codes.codes import ERROR_CODES
from kafkasniff.protocol.fields import Api, ErrorCode

OTHER_ERROR_NAMES: Final[dict[str, int]] = {
    "UNKNOWN": -1,
    "NO_ERROR": 0,
    "INVALID_MSG": 2,
    "CORRUPT_RECORD": 2,
    "INVALID_MESSAGE": 2,
    "UNKNOWN_TOPIC_OR_PART": 3,
    "INVALID_MSG_SIZE": 4,
    "NOT_LEADER_FOR_PARTITION": 6,
    "TIMEOUT": 7,
    "MSG_SIZE_TOO_LARGE": 10,
    "MESSAGE_SIZE_TOO_LARGE": 10,
    "RECORD_TOO_LARGE": 10,
    "STALE_CTRL_EPOCH": 11,
    "CONTROLLER_MOVED": 11,
    "OFFSETS_LOAD_IN_PROGRESS": 14,
    "OFFSET_LOAD_IN_PROGRESS": 14,
    "GROUP_LOAD_IN_PROGRESS": 14,
    "CONSUMER_COORDINATOR_NOT_AVAILABLE": 15,
    "GROUP_COORDINATOR_NOT_AVAILABLE": 15,
    "NOT_COORDINATOR_FOR_CONSUMER": 16,
    "NOT_COORDINATOR_FOR_GROUP": 16,
    "TOPIC_EXCEPTION": 17,
    "RECORD_BATCH_TOO_LARGE": 18,
    "TOPIC_AUTHORIZATION": 29,
    "GROUP_AUTHORIZATION": 30,
    "CLUSTER_AUTHORIZATION": 31,
    "TOPIC_EXISTS": 36,
    "INVALID_CONFIGURATION": 40,
    "OUT_OF_ORDER_SEQUENCE": 45,
    "DUPLICATE_SEQUENCE": 46,
    "INVALID_PID_MAPPING": 49,
    "INVALID_TXN_TIMEOUT": 50,
    "TRANSACTIONAL_ID_AUTHORIZATION": 53,
    "SASL_AUTHENTICATION": 58,
    "DELEGATION_TOKEN_DISABLED": 61,
    "UNSUPPORTED_BY_AUTHENTICATION": 64,
    "DELEGATION_TOKEN_AUTHORIZATION": 65,
    "GROUP_NOT_EMPTY": 68,
    "PRINCIPAL_DESERIALIZATION": 97,
}
"""Names that errors had in earlier releases (Kafka 0.8 to 2.5), and those of Java's exceptions and librdkafka's codes
where they say something else than Kafka's Errors."""

_ENDS: Final = ("exception", "error", "code")
_SHORTEST_BEGIN: Final = 3
_BEGINS: Final = ("rdkafkaresperr", "errors", "err")


def find_api(text: str) -> Api | None:
    """Find an API by key or name, in any case, with or without underscores or hyphens; None where there is none."""
    wanted = text.strip()
    if wanted.isdecimal():
        return next((api for api in APIS.values() if str(api.key) == wanted), None)
    name = plain(wanted)
    return next((api for api in APIS.values() if plain(api.name) == name), None)


def no_api(text: str) -> str:
    """Say that no API has this name or key, with the names nearest to it."""
    near = did_you_mean(text, (camel_case(api.name) for api in APIS.values()))
    return f"no API has the name or key {text!r}{near or '; `kafkasniff apis` lists them all.'}"


def find_error(text: str) -> ErrorCode | None:
    """Find an error by its code or its name in any form; None where there is none such.

    Forms are those of Kafka's Errors in any case, its names of earlier releases, and those of clients:
    `NotLeaderOrFollowerException`, `NotLeaderForPartitionError`, `RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION`.
    """
    wanted = text.strip()
    if wanted.removeprefix("-").isdecimal():
        return next((error for error in ERROR_CODES.values() if str(error.code) == wanted), None)
    names = {plain(name): code for name, code in OTHER_ERROR_NAMES.items()}
    names |= {plain(error.name): error.code for error in ERROR_CODES.values()}
    names |= {_bare(name): code for name, code in names.items() if _bare(name) not in names}
    name = plain(wanted)
    code = names.get(name, names.get(_bare(name)))
    return None if code is None else ERROR_CODES[code]


def find_error_by_begin(text: str) -> ErrorCode | None:
    """Find the one error whose name begins so, such as `NOT_LEADER`; None where there is none or several."""
    begin = plain(text)
    found = [error for error in ERROR_CODES.values() if plain(error.name).startswith(begin)]
    return found[0] if len(begin) > _SHORTEST_BEGIN and len(found) == 1 else None


def no_error(text: str) -> str:
    """Say that no error has this name or code, with the names nearest to it."""
    near = did_you_mean(text, (*(error.name for error in ERROR_CODES.values()), *OTHER_ERROR_NAMES))
    return f"no error has the code or name {text!r}{near or '; `kafkasniff errors` lists them all.'}"


def camel_case(name: str) -> str:
    """Give Kafka's constant name as its messages spell it: `LIST_OFFSETS` becomes `ListOffsets`."""
    return "".join(word.capitalize() for word in name.split("_"))


def message_names(text: str, kept: Collection[str] = ()) -> str:
    """Give a text for people: names of Kafka's ApiKeys in it as its messages spell them, but for those in `kept`."""
    return _api_names().sub(lambda found: found[0] if found[0] in kept else camel_case(found[0]), text)


@cache
def _api_names() -> re.Pattern[str]:
    names = "|".join(sorted((api.name for api in APIS.values()), key=len, reverse=True))
    return re.compile(rf"(?<![\w.-])(?:{names})(?![\w-])", re.ASCII)


def _bare(name: str) -> str:
    """Give a plain name without what clients put around it."""
    for begin in _BEGINS:
        name = name.removeprefix(begin)
    for end in _ENDS:
        name = name.removesuffix(end)
    return name
