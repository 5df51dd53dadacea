"""Answers as tables: columns that fit the terminal, and the other formats of the same.

`answers` prints rows in the format that is asked for, by `table` on a screen. `cells` makes text of values, `sparkline`
a line of bars. `columns` are those of calls that `--columns` chooses.
"""
