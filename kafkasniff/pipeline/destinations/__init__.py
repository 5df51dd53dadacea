"""Where a run writes: into a folder that all workers see (`folder`), or into an object store (`store`).

`files` is what tasks need of both. `ledger` of `follow/` says what is written when.
"""
