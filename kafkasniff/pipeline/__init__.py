"""Directories of captures into tables, on Spark, with the same layers inside. Needs the extra `kafkasniff[spark]`."""

import os

from kafkasniff.protocol import DEFINITIONS_VARIABLE

if _paths := os.environ.get(DEFINITIONS_VARIABLE):
    # Spark's workers import this before anything else of kafkasniff, and know nothing of what their driver has read.
    from kafkasniff.protocol.definitions.loading import load_definitions

    load_definitions(_paths.split(os.pathsep))
