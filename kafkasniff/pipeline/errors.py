"""The exception of the pipeline."""

from collections.abc import Mapping


class PipelineError(Exception):
    """The pipeline cannot do what was asked; the message is one sentence for whoever asked."""

    def __init__(
        self,
        message: str,
        lost: Mapping[int, str] | None = None,
        outdated: bool = False,
        apart: str | None = None,
        secrets: bytes = b"",
    ) -> None:
        """Say it; `lost` has the reasons where files are not any more what they were, by index.

        `outdated`: what was carried from earlier files does not fit what comes now; `apart`: a ring whose files turned
        out to be a vantage each; `secrets`: a key log that must be known from the beginning on.
        """
        super().__init__(message)
        self.lost = dict(lost or {})
        self.outdated = outdated
        self.apart = apart
        self.secrets = secrets


def outdated(why: str, ring: str | None = None, apart: bool = False, secrets: bytes = b"") -> PipelineError:
    """Say why all has to be read again; `apart`: each file of the `ring` is its own vantage."""
    return PipelineError(why, outdated=True, apart=ring if apart else None, secrets=secrets)
