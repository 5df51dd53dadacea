"""Calls in temporary files, by their numbers, however many there are.

- `layout`: how they lie there. `keeping` writes them, `kept` reads them at the same time in another process.
- `matches`: which of them a filter wants.
"""
