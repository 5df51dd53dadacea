"""The Kafka protocol: from bytes to messages, for every API in every version."""

from typing import Final

DEFINITIONS_VARIABLE: Final = "KAFKASNIFF_DEFINITIONS"
"""Environment variable with the folders and jars of definitions that are known too, with `os.pathsep` between."""
