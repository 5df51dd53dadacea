"""Calls as lines for people: one line each, cut and coloured on a terminal, whole and plain elsewhere.

How it works:

- `lines.CallLines` writes lines into one buffer, from which the caller takes bytes. It remembers the widths of columns
  and which broker answers at which address (`brokers`). What stands before and behind the correlation id is text made
  once for all calls of a client, server, API and client id. `clock` writes the time.
- The last column says what a call was about: its summary (`summaries/`), and which call it repeats (`repeats`).
- What few lines have is plain Python: `parts`, `notes` (gaps, tokens, connections), `detail` with `tree` and `hexdump`
  (`-v`, `-vv`).

Modules with a `.pxd` beside them are compiled; the same files run as plain Python.
"""
