"""What rules keep of what they saw, bounded whatever comes.

- `bounded.Bounded` holds states by key. When there are too many, the one that was not touched for the longest goes; the
  rule is told of it, and makes its finding first.
- `tallies.Tally` counts how often something was seen. The first few packets and the latest stay as evidence, with the
  first few names of clients and topics.
- `rates` has what happens within a window of time, busy seconds, and how one figure depends on another.

Rules derive their states from `Tally`. A state holds nothing of a call's bytes.
"""
