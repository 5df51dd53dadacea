"""The exception of the pipeline."""

from collections.abc import Mapping


class PipelineError(Exception):
    """The pipeline cannot do what was asked; the message is one sentence for whoever asked."""

    def __init__(self, message: str, lost: Mapping[int, str] | None = None) -> None:
        """Say it; `lost` has the reasons where files are not any more what they were, by index."""
        super().__init__(message)
        self.lost = dict(lost or {})
