"""The exception of the pipeline."""


class PipelineError(Exception):
    """The pipeline cannot do what was asked; the message is one sentence for whoever asked."""
