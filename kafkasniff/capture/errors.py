"""The one exception of the capture layer."""


class CaptureError(Exception):
    """A capture that cannot be read, or not to its end.

    The text names the file, the byte offset where known, what was expected and what was found.
    """
