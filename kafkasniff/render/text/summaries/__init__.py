"""What a call was about, as the last column of its line.

- Which fields a summary names, and what becomes of them, is data: `fields` gives fields their roles by path, `tables`
  puts these into the tables that the reader of bodies goes by.
- `reader.SummaryReader` is a sink of that reader: in one walk over a body it writes lists of topics, partitions and
  names as they come (`lists`), counts the records of batches and checks their CRCs, and keeps the few strings, numbers
  and counts that stand at other places of the text. No object is made of a body. `summary.Summaries` puts the text
  together from the request's walk and the response's. `known` has those of calls that come again as they were.
- A body that does not decode to its last byte is read again as far as Kafka would take it, after the decoder has said
  in which version that is; then the call's problems, which take a whole decoding, are asked for too.
- Calls of APIs without roles are described from their decoded bodies: `others`.
"""
