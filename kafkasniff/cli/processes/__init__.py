"""Several processes for one capture, and commands that go on until they are stopped.

With `--jobs N` each process (`jobs`) reads the whole capture. For a list they take turns in printing (`turns`); for
`diagnose` each runs a share of the rules (`shares`). `following` is the loop of `pipeline --follow`; `stopping` ends
it, and `live`, on SIGINT and SIGTERM.
"""
