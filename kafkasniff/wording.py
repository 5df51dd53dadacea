"""What several layers say in the same words."""


def file_name(path: str) -> str:
    """Give a path as JSON can hold it: bytes that are not UTF-8, which Python keeps as surrogates, as U+FFFD."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def failure_text(error: Exception) -> str:
    """Say that something cannot be shown or judged since an exception came where none may come."""
    return f"cannot be shown ({type(error).__name__}): a fault of kafkasniff, not of the capture"
