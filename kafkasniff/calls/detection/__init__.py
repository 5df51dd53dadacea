"""Deciding whether a connection speaks Kafka: by what it sends, never by its port.

How it works:

- `conversation.Conversation` takes a connection from its first byte on. A first segment that is one whole request with
  a client id and a body that decodes is proof, and decides at once. Otherwise `undecided.Undecided` holds the bytes,
  and each segment brings more evidence (`resync/evidence.py`) until a request or a response is proven, another protocol
  is recognised, or a bound is reached.
- `first_responses` proves connections of which only the broker's direction was captured; `recognition` names other
  protocols by their first bytes, and finds PROXY headers and Kerberos tokens.
- `encrypted.EncryptedConversation` stands around a conversation inside TLS, `proxied.ProxiedConversation` around either
  behind a PROXY header.
"""
