"""From segments to the byte streams of connections (RFC 9293), as the receiver saw them.

How it works:

- `processing.SegmentProcessor` does what a segment does to its connection: it takes data, acknowledgements, SYNs, FINs
  and RSTs (RFC 9293, 3.10.7).
- `connections.ConnectionTable` finds the connection of a segment by addresses and ports (`flow_keys`), begins one where
  there is none, and ends it: by FIN, RST, a new SYN, idleness, or the end of the capture. Of a lone SYN only a
  `half_open.HalfOpen` is held; `ended` remembers connections that are over, so that late segments begin no new ones.
- `state.ConnectionState` has two `streams.Stream`s. A segment that comes next is delivered at once. One that comes
  early waits as a `chunks.Chunk` behind a `hole.Hole`; one that repeats bytes is compared with what was delivered, and
  the bytes seen first stand.
- `holes` decides when bytes are lost: the receiver acknowledged data behind the hole and time passed, or the buffer is
  full. Then a `StreamGap` says how many bytes lack, and delivery goes on behind it. A gap is never closed by guessing.
- `out_of_window` holds segments whose numbers are far outside the window. When several continue each other, the stream
  leapt there; single ones are damaged or forged and change nothing.
- `timers` runs what is due by the time of packets, never by the clock. `memory` counts all bytes that are held.
- `sequence` compares numbers modulo 2^32 in the one place where that is done.

What comes out is a list of events (`tcp/events.py`), in the order of packets.
"""
