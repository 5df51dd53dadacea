"""Directories of captures into tables, on Spark, with the same layers inside. Needs the extra `kafkasniff[spark]`.

`loading` is a run: it reads what is new (`inputs/`), indexes packets by connection (`indexes/`), makes rows (`rows/`)
and findings (`findings/`). `follow/` does the same in rounds, as files come in. `tasks` and `spreading` are what
Spark's workers run; `session` and `java` start Spark; `source` is `spark.read.format("kafkasniff")`.
"""

import os

from kafkasniff.protocol import DEFINITIONS_VARIABLE

if _paths := os.environ.get(DEFINITIONS_VARIABLE):
    # Spark's workers import this before anything else of kafkasniff, and know nothing of what their driver has read.
    from kafkasniff.protocol.definitions.loading import load_definitions

    load_definitions(_paths.split(os.pathsep))
