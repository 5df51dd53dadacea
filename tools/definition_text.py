"""Give definitions as Python text: one module per API and message, the index tables, the error codes."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from kafkasniff.protocol.definitions.building import ATTRIBUTES, api_of, message_module, message_of, other_message_of
from kafkasniff.protocol.definitions.merging import Json
from kafkasniff.protocol.definitions.sources import Definitions
from kafkasniff.protocol.fields import Field, Message

WRITTEN_BY = "\n\nWritten by tools/import_definitions.py.\n"


def module_texts(definitions: Definitions) -> dict[str, str]:
    """Give the text of each generated file by its path below the protocol folder."""
    texts = {
        "apis/__init__.py": '"""One definition per API, over all versions."""\n',
        "messages/__init__.py": '"""One definition per message that is no API, over all versions."""\n',
    }
    for key, api in sorted(definitions.apis.items()):
        texts[f"apis/{api['apiName'].lower()}.py"] = api_text(key, api)
    for name, message in sorted(definitions.messages.items()):
        texts[f"messages/{message_module(name)}.py"] = message_text(message)
    texts["api_table.py"] = api_table_text(definitions)
    texts["api_releases.py"] = api_releases_text(definitions)
    texts["message_table.py"] = message_table_text(definitions)
    if definitions.errors:
        texts["error_codes/codes.py"] = error_codes_text(definitions.errors)
    return texts


def api_text(key: int, api: Json) -> str:
    """Give the module of one API."""
    name = re.sub(r"Request$", "", api["request"]["name"])
    versions = api["request"]["validVersions"]
    return (
        f'"""{name} (API key {key}), versions {versions}.{WRITTEN_BY}"""\n\n'
        "from kafkasniff.protocol.fields import Field, Message\n\n"
        f"REQUEST = {definition_text(message_of(api['request']))}\n\n"
        f"RESPONSE = {definition_text(message_of(api['response']))}\n"
    )


def message_text(message: Json) -> str:
    """Give the module of one message that is no API."""
    place = f" in {message['topic']}" if message.get("topic") else ""
    imports = "Field, Message" if message["fields"] else "Message"
    return (
        f'"""{message["name"]}{place}, versions {message["validVersions"]}.{WRITTEN_BY}"""\n\n'
        f"from kafkasniff.protocol.fields import {imports}\n\n"
        f"MESSAGE = {definition_text(message_of(message))}\n"
    )


def definition_text(message: Message) -> str:
    """Give the `Message(…)` of a definition."""
    return (
        f'Message("{message.name}", versions="{message.versions}", '
        f'flexible="{message.flexible}", fields={fields_text(message.fields)})'
    )


def fields_text(fields: tuple[Field, ...]) -> str:
    """Give a tuple of `Field(…)`."""
    return "(" + "".join(f"{field_text(field)}," for field in fields) + ")"


def field_text(field: Field) -> str:
    """Give the `Field(…)` of one field; what is not said keeps Field's default."""
    parts = [quoted(field.name), quoted(field.type), quoted(field.versions)]
    for _, name in ATTRIBUTES:
        if (value := getattr(field, name)) != Field._field_defaults[name]:
            parts.append(f"{name}={literal(value)}")
    if field.fields:
        parts.append(f"fields={fields_text(field.fields)}")
    return f"Field({', '.join(parts)})"


def quoted(text: str) -> str:
    """Give a Python string literal with double quotes."""
    return f'"{text}"'


def literal(value: Any) -> str:
    """Give a Python literal of a default."""
    return quoted(value) if isinstance(value, str) else repr(value)


def api_table_text(definitions: Definitions) -> str:
    """Give the index of the APIs."""
    rows = [f"{key}: {row_text(api_of(key, api))}," for key, api in sorted(definitions.apis.items())]
    return (
        f'"""The APIs by key, so that no definition needs to be imported to know of them.{WRITTEN_BY}"""\n\n'
        "from typing import Final\n\nfrom kafkasniff.protocol.fields import Api\n\n"
        f"APIS: Final[dict[int, Api]] = {{{''.join(rows)}}}\n"
    )


def row_text(row: NamedTuple) -> str:
    """Give `Api(…)` or `OtherMessage(…)`."""
    values = [tuple_text(map(quoted, value)) if isinstance(value, tuple) else literal(value) for value in row]
    return f"{type(row).__name__}({', '.join(values)})"


def tuple_text(parts: Iterable[str]) -> str:
    """Give a tuple of literals."""
    texts = list(parts)
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def api_releases_text(definitions: Definitions) -> str:
    """Give the versions of each API per release."""
    rows = []
    for key in sorted(definitions.apis):
        ranges = []
        for release, versions in definitions.releases.items():
            if key in versions:
                row = versions[key]
                numbers = f"{row['lowest']}, {row['highest']}, {row['highest_stable']}"
                ranges.append(f'"{release}": ReleasedVersions({numbers}),')
        rows.append(f"{key}: {{{''.join(ranges)}}},")
    return (
        f'"""The versions of each API in releases of Kafka, by API key and release.{WRITTEN_BY}"""\n\n'
        "from typing import Final\n\nfrom kafkasniff.protocol.fields import ReleasedVersions\n\n"
        f"RELEASES: Final = {tuple_text(quoted(release) for release in definitions.releases)}\n\n"
        f"API_RELEASES: Final[dict[int, dict[str, ReleasedVersions]]] = {{{''.join(rows)}}}\n"
    )


def message_table_text(definitions: Definitions) -> str:
    """Give the index of the messages that are no API."""
    rows = [
        f'"{name}": {row_text(other_message_of(message))},' for name, message in sorted(definitions.messages.items())
    ]
    return (
        f'"""The messages that are no API, by name.{WRITTEN_BY}"""\n\n'
        "from typing import Final\n\nfrom kafkasniff.protocol.fields import OtherMessage\n\n"
        f"MESSAGES: Final[dict[str, OtherMessage]] = {{{''.join(rows)}}}\n"
    )


def error_codes_text(errors: list[Json]) -> str:
    """Give the table of error codes."""
    rows = "".join(f'{row["code"]}: ErrorCode({row["code"]}, "{row["name"]}", {row["retriable"]}),' for row in errors)
    return (
        f'"""Kafka\'s error codes: number, name, whether a client may retry.{WRITTEN_BY}"""\n\n'
        "from typing import Final\n\nfrom kafkasniff.protocol.fields import ErrorCode\n\n"
        f"ERROR_CODES: Final[dict[int, ErrorCode]] = {{{rows}}}\n\n\n"
        "def error_name(code: int) -> str:\n"
        '    """Give the name of an error code; `UNKNOWN(9999)` of one that has none."""\n'
        "    known = ERROR_CODES.get(code)\n"
        '    return known.name if known is not None else f"UNKNOWN({code})"\n'
    )
