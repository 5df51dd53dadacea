"""The one exception of this layer."""


class QuestionError(Exception):
    """A question cannot be answered; the message says why."""
