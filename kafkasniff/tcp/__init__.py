"""TCP: packets in, the byte streams of connections out, with gaps where the capture lacks bytes.

- `packets/` finds the TCP segment in a packet; `reassembly/` makes streams of segments; `tls/` decrypts streams where
  keys are known.
- `reassembler.Reassembler` is the one loop over packets. It reads the headers of usual packets itself, and calls
  `packets/` for all others.
- `events` is what comes out: `StreamData`, `StreamGap`, `StreamConflict`, and the ends of connections. A `Receiver`
  takes them, and segments that come next without an event. `limits` has the bounds, and the counters of what happened.

Nothing here knows of Kafka, or of where packets come from.
"""
