"""Definitions of messages: those that come with kafkasniff, and those that a user gives.

How it works:

- `lookup` finds the definition of an API by key, or of another message by name. Those that come with kafkasniff are
  modules below `protocol/apis/` and `protocol/messages/`, which are imported when they are first asked for.
- `sources` reads Kafka's own JSON definitions, from folders and from jars, and the fact files that the modules were
  first written from. `merging` merges what several releases say of one message.
- `building` makes of their JSON what `protocol/fields.py` declares, and the rows of the tables of APIs and messages.
- `loading` does at run time what `tools/import_definitions.py` does when kafkasniff is made: it lays what a user gives
  (`--definitions`) over what is known, in the tables that all others read.
"""

from kafkasniff.protocol.definitions.lookup import api_definition, message_definition

__all__ = ["api_definition", "message_definition"]
