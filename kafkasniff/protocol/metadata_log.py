"""The topic of the metadata log (KIP-595)."""

from typing import Final

CLUSTER_METADATA: Final = "__cluster_metadata"
CLUSTER_METADATA_TOPIC_ID: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
"""Uuid.METADATA_TOPIC_ID, under which Fetch from version 13 on names the topic; no Metadata answer tells it."""
