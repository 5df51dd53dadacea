"""Calls, gaps and connections as JSON, one object a line (fields: docs/json.md).

How it works:

- `lines.JsonLines` writes the lines of calls into one buffer, from which the caller takes bytes. A line's beginning and
  end are text made once for all calls of a client, server, API and client id (`parts`), with times and durations
  (`times`); in between the sink of the reader of bodies (`protocol.bodies.json_writer`) writes both bodies from their
  bytes, `batches` the headers of record batches and `records` their records. Neither a body nor a record becomes an
  object.
- A line of which anything is unusual is cut off and made again by way of the decoded bodies (`found.decoded_parts`):
  bodies that do not decode whole or to their last byte, messages that the capture cuts, APIs whose messages hold other
  messages.
- Errors, decoded messages, problems, and batches or records of which anything is unusual, such as those of internal
  topics, are few: `found` makes their members in Python.
- `safe` replaces what a terminal would obey. Text that came from the wire is looked at as it is written, so that most
  lines need no second look (`TextBuffer.is_unsafe`).
- `items` has the objects of what is no call: gaps, SASL tokens, connections.

Modules with a `.pxd` beside them are compiled; the same files run as plain Python.
"""
