"""Finding where messages begin: behind lost bytes, and in connections whose beginning is not in the capture.

How it works:

- `held.HeldStream` keeps the bytes of a direction while it is not known where its frames begin, within a bound.
  `writes` tells where its sender began to write: behind a segment that is shorter than it could have been.
- `search.BoundarySearch` goes over places that may begin a frame and asks `evidence` or
  `response_evidence` for a score of each. A size and a
  header that read well are not enough: it takes a body that decodes to its last byte, a frame that follows where this
  one ends, an answer with the same correlation id, or a client id that is known. `agreement` judges messages whose end
  is missing, `fitting` whether any API has such a response, `lone_responses` streams without any request.
- `lookback` goes back from the first proven message to those right before it.
- `boundaries` does this for both directions of a connection that is known to be Kafka, with the ids of requests that
  the capture lacks (`lost_ids`). `gaps` and `contradictions` say what was lost, and what was sent twice with other
  bytes.

Nothing is invented: where proof is missing, bytes are left unread and a note says so.
"""
