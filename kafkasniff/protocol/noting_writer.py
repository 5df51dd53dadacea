"""Write decoders that note error codes on their way."""

from kafkasniff.protocol.compiler import DecoderWriter
from kafkasniff.protocol.fields import Field
from kafkasniff.protocol.visitors import is_error_code


class NotingWriter(DecoderWriter):
    """Writes a function that adds path and code of each error code that is not zero to the list `errors`."""

    def __init__(self, flexible: bool, version: int) -> None:
        """Write for one version."""
        super().__init__(flexible, version)
        self._after_flush: list[str] = []

    def _flush(self) -> None:
        super()._flush()
        for line in self._after_flush:
            self._source.line(line)
        self._after_flush.clear()

    def _tagged_field(self, field: Field) -> str:
        value = super()._tagged_field(field)
        self._note(field, value)
        return value

    def _note(self, field: Field, value: str) -> None:
        """Note the value of a field that was read, where it is an error code."""
        if is_error_code(field):
            self._after_flush.append(f'if {value}: errors.append((f"{self._path}{field.name}", {value}))')
