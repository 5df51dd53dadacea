"""Calls: from byte streams to requests paired with their responses.

- `detection/` decides by evidence whether a connection speaks Kafka; `streams.KafkaStreams` is such a connection: two
  directions cut into frames (`correlation/`), with boundaries found again behind gaps (`resync/`). Its
  `correlator.Correlator` pairs the frames and makes calls of them.
- `engine.Engine` takes batches of packets and gives `items`: calls, gaps, raw SASL tokens, and reports of connections.
  `conversations` hands what the packets bring to the connections that it is of; `counts` is what was seen so far.
- `call.Call` is a request with its response, each a `frame.Frame`. It decodes nothing by itself: bodies are read when
  they are asked for. `contents` opens what bodies hold (record batches, messages of groups, envelopes), `records` the
  records, within what `spending` allows a run.
- `reports` has what is said of connections beside their calls: gaps, and what each connection was.
- `enrichment/` notes on calls what others tell: names of topic ids, Fetch sessions, who logged in.
- `context` and `options` are what a user asked for; `limits` has the bounds, and the budget of bytes that all
  connections share.

Nothing here knows where bytes come from, or how calls are shown.
"""
