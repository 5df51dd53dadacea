"""The second stage: the packets of a bucket into rows of the tables.

`reassembly` runs the engine of `read` over a bucket. `writing` turns what it gives into rows and, for the rules, into
events. `naming` puts topic names into rows that came before the name of their topic id was known. `output` writes
Parquet (schemas in `schemas`) under temporary names, and all at once when the run is complete.
"""
