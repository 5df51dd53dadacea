"""What `text_buffer.pxd` has in C, for where nothing is compiled: `to` is what was written so far, and not a place."""


def kafkasniff_add(to: bytes, text: bytes) -> bytes:
    """Write a whole text."""
    return to + text


def kafkasniff_number(to: bytes, number: int) -> bytes:
    """Write a number."""
    return to + b"%d" % number


def kafkasniff_zeros(to: bytes, number: int, digits: int) -> bytes:
    """Write the last digits of a number that is not negative, zeros before it."""
    return to + (b"%0*d" % (digits, number))[-digits:]
