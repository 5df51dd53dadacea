"""Running totals of calls, for whoever watches while packets come: `live --top`, `--every` and `--metrics`.

`totals.py` takes calls as the same rows of the table `calls` that `stats` counts (`tables/call_tables.py`), and adds
them up with NumPy, a block of rows at a time, into one `Breakdown` for each kind of key: API and broker, client id,
topic, group, error and API. A breakdown (`breakdown.py`) has a row for each of a bounded number of keys, and one
called `other` for all keys beyond; a row has the sums and a histogram of latencies (`histogram.py`).

A `Snapshot` is a copy of all that at one moment. Two of them give what came between (`Snapshot.since`): the screen
(`screen.py`) and the lines (`lines.py`) show that. Prometheus takes the sums of one snapshot (`exposition.py`,
`serving.py`), and makes rates itself. No number is computed a second time for one of them.

Names come from the wire: they are escaped and cut when a key is first seen, so that none of those who show them has to.
"""
