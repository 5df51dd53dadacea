"""The third stage: events into findings, by the rules of `diagnose`.

`events` packs of each call what rules look at; `event_spans` sends many in a row of the shuffle and puts them in
order again; `event_reader` gives them to rules as the engine would. `clusters` tells which capture points see the
same cluster, `clocks` how far their clocks are apart. `diagnosing` runs the rules of one cluster in a task; `shares`
divides a large cluster among tasks.
"""
