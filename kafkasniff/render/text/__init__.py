"""Calls as lines for people: one line each, cut and coloured on a terminal, whole and plain elsewhere.

How it works:

- `lines.CallLines` writes lines into one buffer, from which the caller takes bytes. It remembers the widths of columns
  and which broker answers at which address (`brokers`). What stands before and behind the correlation id is text made
  once for all calls of a client, server, API and client id. `clock` writes the time.
- The last column says what a call was about: its summary. Which fields it names, and what becomes of them, is data:
  `summary_fields` gives fields their roles by path, `summary_tables` puts these into the tables that the reader of
  bodies goes by.
- `summary_reader.SummaryReader` is a sink of that reader: in one walk over a body it writes lists of topics, partitions
  and names as they come (`summary_lists`), counts the records of batches and checks their CRCs, and keeps the few
  strings, numbers and counts that stand at other places of the text. No object is made of a body. `summary.Summaries`
  puts the text together from the request's walk and the response's.
- A body that does not decode to its last byte is read again as far as Kafka would take it, after the decoder has said
  in which version that is; then the call's problems, which take a whole decoding, are asked for too.
- Calls of APIs without roles are described from their decoded bodies: `other_summaries`.
- What few lines have is plain Python: `parts`, `notes` (gaps, tokens, connections), `detail` with `tree` and `hexdump`
  (`-v`, `-vv`).

Modules with a `.pxd` beside them are compiled; the same files run as plain Python.
"""
