"""Findings, and what leads to them, for a screen and for tables.

`diagnosis` puts findings in order, with what they explain, and folds what is alike; `findings` writes one of them.
`rows` makes rows of the table `findings`. `timelines` and `lags` show what a group or a client did, and how far behind
it is.
"""
