"""Bodies of requests and responses, and the messages that are no API: one reader, which goes by tables, and its sinks.

How it works:

- A definition (`protocol/apis/`, `protocol/messages/`) becomes the table of one version: `tables.make_table`. A table
  is a tree of `FieldTable`, one for each field in the order of the wire, with all that its reading takes as plain
  numbers: kind, size, compact or not, nullable, tagged. It is made when a layout is first met, in about 0.1 ms, so that
  nothing is made at the start, and definitions may be given at run time.
- When a table is first read by, it is settled which of its fields are wanted. Then `steps.Steps` makes of it what the
  walk goes through: a row of small numbers for each thing to do, without a tree, in which fields that nobody wants are
  passed over together, and an array goes back to its first step for each element.
- `walk.read_message` walks a message once, from its first byte to its last. Before every read it compares with the
  end; lengths and counts are held against the bytes left before anything is made of them, and array elements are
  counted against a bound. It raises `ProtocolError` with what was expected and found, the offset, and the path: that
  follows from the field's table and the indices of the arrays around it, so that the walk keeps no path.
- `reader.BodyReader` is what is walked: the bytes, and where in them the walk stands. What a message holds goes to a
  sink, a subclass of it that overrides its `take_…`, `begin_…`, `end_…` methods. Fields that nobody wants
  (`FieldTable.is_wanted`) are passed over, and still checked. Of itself the reader notes error codes and where
  `records` fields lie. The sinks:
    - `values.ValueTaker` makes values of fields, which a subclass puts somewhere: `values.ValueReader` into a dict, of
      all fields or of those wanted, and of a message that fails what came before (`is_partial`);
      `collecting.FieldCollector` into lists, of fields with a role, wherever they stand.
    - `json_writer.JsonWriter` writes JSON text, with secrets replaced.
    - `offsets.OffsetReader` notes every field with its bytes.
- Tagged fields come last on the wire and may come in any order; Kafka's JSON has them where the definition has them,
  and leaves out those that hold their default. Both sinks put them in their places when the tag section ends.
- On top of it, in plain Python: `decoding` (bodies as dicts, with problems), `scanning` (a few fields), `finders`
  (errors and entities in a dict); `json_tables` has the tables by which JSON is written.

Modules with a `.pxd` beside them are compiled; the same files run as plain Python. In a `.pxd` stand the types of
attributes and the methods that are C functions; a name that is used across modules is `cimport`ed there.
"""

from kafkasniff.protocol.bodies.decoding import (
    DecodedBody,
    decode_body,
    decode_defined,
    decode_message,
    fits,
    is_unsupported_version,
)
from kafkasniff.protocol.bodies.finders import find_entities, find_errors

__all__ = [
    "DecodedBody",
    "decode_body",
    "decode_defined",
    "decode_message",
    "find_entities",
    "find_errors",
    "fits",
    "is_unsupported_version",
]
