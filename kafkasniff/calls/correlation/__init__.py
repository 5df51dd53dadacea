"""Frames and their pairing: requests and responses of one connection.

How it works:

- `frames.FrameCutter` takes the bytes and gaps of one direction and gives its frames: a size of four bytes and a
  message (Kafka protocol guide, "Protocol Primitive Types"). A message that lies whole in a segment is cut from it at
  once. A gap inside a message gives a cut frame; a gap over a size, or an absurd size, ends the alignment, and
  `resync/` finds the next boundary. `uncut` queues bytes that came and are no whole frame yet. `segments` remembers
  how large segments get, by which writes are told apart.
- `pairing.Pairing` pairs first in, first out, as brokers answer the requests of a connection in order; the correlation
  id is checked. Where bytes were lost it pairs by correlation id: a response may wait for a request that comes late in
  the capture, requests before an answered one are given up as `unanswered` or `response-not-captured`.
  Produce with acks=0 waits for no answer.
"""
