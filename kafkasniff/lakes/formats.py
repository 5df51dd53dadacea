"""Which formats there are; known without their libraries."""

FORMATS = {"delta": "_delta_log", "iceberg": "metadata"}
"""The folders that tell that a folder is a table of a format."""


class LakeError(Exception):
    """A table cannot be read or changed; the message is one sentence."""
