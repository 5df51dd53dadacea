"""Compile a message's definition, for one version, into a function that gives what its JSON line holds.

It decodes as a `Decoder` does, in one pass replaces secrets, and notes error codes and topic ids. There is one for
short messages and one for long ones, in which elements of arrays that came before are not decoded again: their JSON
stands in the value in their place.
"""

from typing import Any, Final, NamedTuple, Protocol

from kafkasniff.protocol.compiler_runtime import RUNTIME
from kafkasniff.protocol.config_secrets import REDACTED
from kafkasniff.protocol.element_memory import PREFIX_BYTES, ElementMemory
from kafkasniff.protocol.fields import Field, Message, covers
from kafkasniff.protocol.noting_writer import NotingWriter
from kafkasniff.protocol.primitives import MAX_ELEMENTS, RecordsField
from kafkasniff.protocol.secrets import CONFIG_ARRAYS, redact_config

SHORT_BYTES: Final = 2048
"""Bytes of the longest message that is short. So few need no bounds on arrays: reading beyond them fails soon."""


class JsonDecoder(Protocol):
    """A compiled decoder for JSON: gives the message at an offset of the data, and the offset after it.

    It adds to the lists where `records` fields lie, path and code of each error code that is not zero, and topic ids;
    `left` is how many array elements a message that is not short may have. Raises ProtocolError as a `Decoder` does.
    """

    __source__: str

    def __call__(
        self,
        data: bytes,
        offset: int,
        records: list[RecordsField],
        errors: list[tuple[str, int]],
        topic_ids: list[str],
        left: int = MAX_ELEMENTS,
        /,
    ) -> tuple[dict[str, Any], int]:
        """Decode one message."""


class Secrets(NamedTuple):
    """What is replaced."""

    fields: frozenset[str] = frozenset()
    """Fields of which the content is secret."""
    configs: bool = False
    """Whether values of configs may be secret, by their names."""


def compile_json_decoder(message: Message, version: int, secrets: Secrets, short: bool) -> JsonDecoder:
    """Give the decoder of one version of `message`, for `short` messages or for long ones."""
    writer = _JsonWriter(covers(message.flexible, version), version, secrets, short)
    source = writer.function(message)
    namespace: dict[str, Any] = RUNTIME | writer.unpackers | {"redact_config": redact_config}
    exec(compile(source, f"<JSON decoder of {message.name} v{version}>", "exec"), namespace)
    decoder: JsonDecoder = namespace["decode"]
    decoder.__source__ = source
    return decoder


class _JsonWriter(NotingWriter):
    """Writes the source of a decoder for JSON."""

    arguments = "data, p, records, errors, topic_ids"

    def __init__(self, flexible: bool, version: int, secrets: Secrets, short: bool) -> None:
        super().__init__(flexible, version)
        self.counts_elements = not short
        self._secrets = secrets

    def _read(self, field: Field, values: dict[str, str]) -> None:
        super()._read(field, values)
        self._note(field, values[field.name])

    def _note(self, field: Field, value: str) -> None:
        super()._note(field, value)
        if field.type == "uuid" and field.name == "topicId":
            self._after_flush.append(f"topic_ids.append({value})")

    def _primitive(self, field: Field, nullable: bool) -> str:
        value = super()._primitive(field, nullable)
        if field.name in self._secrets.fields:
            self._source.line(f"if {value}: {value} = {REDACTED!r}")
        return value

    def _struct_element(self, field: Field) -> str:
        element = super()._struct_element(field)
        if self._secrets.configs and field.name in CONFIG_ARRAYS:
            return f"redact_config({element})"
        return element

    def _elements(self, field: Field, length: str, value: str) -> None:
        if not self.counts_elements or not field.fields or _has_records(field):
            super()._elements(field, length, value)
            return
        memory, find, start, before, errors_before, ids_before = map(self._source.name, "mfseni")
        self.unpackers[memory] = ElementMemory()
        self._source.line(f"{value} = []")
        self._source.line(f"{find} = {memory}.finder({length})")
        with self._loop(field, length):
            prefix = f"data[p:p + {PREFIX_BYTES}]"
            with (
                self._source.block(f"for known, text, size, inside in {find}({prefix}, ()) if {find} else ():"),
                self._source.block("if data.startswith(known, p):"),
            ):
                self._source.line(f"{value}.append(text)")
                self._source.line("p += size")
                with self._source.block("if inside:"):
                    self._source.line("left -= inside[0]")
                    self._source.line("topic_ids.extend(inside[1])")
                self._source.line("break")
            with self._source.block("else:"):
                noted = "p, left, len(errors), len(topic_ids)"
                self._source.line(f"{start}, {before}, {errors_before}, {ids_before} = {noted}")
                element = self._struct_element(field)
                self._flush()
                self._source.line(f"{value}.append({element})")
                with self._source.block(f"if {find} and len(errors) == {errors_before}:"):
                    found = f"{value}[-1], {before} - left, topic_ids[{ids_before}:]"
                    self._source.line(f"{value}[-1] = {memory}.put(data, {start}, p, {found})")
        self._source.line("if left < 0: raise ProtocolError('expected fewer array elements', p)")


def _has_records(field: Field) -> bool:
    return any(inner.type == "records" or _has_records(inner) for inner in field.fields)
