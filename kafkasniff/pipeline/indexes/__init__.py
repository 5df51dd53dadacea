"""The first stage: which packets each file has, sorted by connection.

A task of `indexing` reads one file, or one of the `ranges` of a large one, and gives rows (`pieces`) that say where
packets lie, sorted into buckets by connection (`packet_keys`). Bytes travel only where they must (fragments,
tunnels). Spark shuffles the rows; `index` is what comes of it. `merging` reads a bucket's packets where they lie and
merges them by time, as `read` merges files. `reports` holds what each task says of its range; `interfaces` numbers
the interfaces of a run.
"""
