"""Standard output and standard error.

- `output`: writes both, escapes nothing (renderers do), and ends quietly when a reader has gone.
- `pager`: PAGER or `less` for long output on a terminal. `progress`: one line on standard error.
- `prompt`: the prompt of `kafkasniff sql`.
"""
