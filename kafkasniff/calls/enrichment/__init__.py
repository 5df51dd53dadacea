"""What calls tell of each other.

- `learning.Learning` is told all calls as they end, of all connections. It learns the names of topic ids (`topics`)
  from Metadata, CreateTopics, DescribeTopicPartitions and the metadata log, follows Fetch sessions (KIP-227,
  `fetch_sessions`, with what `fetch_topics` reads of a request), and remembers which protocol a group uses.
- `identity.Identity` follows one connection: its client's software (KIP-511), SASL, and as whom it logged in
  (`authentication`), also where SASL tokens come without Kafka's headers.
- `long_names` cuts names that are remembered: a hash stands for the rest.

A call knows the names that were known when it ended, and none that came later.
"""
