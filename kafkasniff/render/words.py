# cython: language_level=3, annotation_typing=False, boundscheck=True, initializedcheck=False
"""Text from the wire made safe to show, and numbers made short to read."""

ELLIPSIS = "…"


def escape(text: str) -> str:
    r"""Give `text` with everything that does not print as `\xNN`, `\uNNNN` or `\UNNNNNNNN`.

    A capture is hostile input: terminal control sequences (C0 and C1), bidirectional overrides and other format
    characters must not reach the terminal. `str.isprintable` is false for exactly these (Unicode categories C* and Z*
    but for the space).
    """
    if text.isprintable():
        return text
    return "".join([character if character.isprintable() else _escaped(character) for character in text])


def _escaped(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def cells(text: str) -> int:
    """Give how many columns of a terminal a text takes: two for each Chinese, Japanese or Korean character."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, columns: int) -> str:
    """Cut `text` to at most so many columns of a terminal, the last one an ellipsis when something was cut."""
    if text.isascii():
        return text if len(text) <= columns else text[: max(columns - 1, 0)] + ELLIPSIS
    from rich.cells import cell_len, chop_cells

    if cell_len(text) <= columns:
        return text
    return (chop_cells(text, columns - 1)[0] if columns > 1 else "") + ELLIPSIS


def shorten_words(text: str, columns: int) -> str:
    """Cut `text` as `shorten` does, but behind a word where there is one."""
    cut = shorten(text, columns)
    if cut == text:
        return text
    behind = text[len(cut) - 1 : len(cut)]
    words = cut[:-1] if behind == " " else cut[:-1].rpartition(" ")[0]
    return f"{words.rstrip()} {ELLIPSIS}" if words.strip() and cells(words) < columns - 1 else cut


def shorten_inside(text: str, columns: int) -> str:
    """Cut the middle of `text`, as names often differ in their last characters only."""
    if cells(text) <= columns:
        return text
    if not text.isascii() or columns < 4:
        return shorten(text, columns)
    tail = (columns - 1) * 2 // 3
    return f"{text[: columns - 1 - tail]}{ELLIPSIS}{text[-tail:]}"


def pad(text: str, columns: int) -> str:
    """Fill `text` up with spaces to so many columns of a terminal."""
    return text + " " * (columns - cells(text))


def show(value: object, length: int = 60) -> str:
    """Give a value from a message as safe text of at most `length` characters."""
    text = str(value)
    if len(text) <= length and text.isprintable():
        return text
    # Cut first: escaping a megabyte to show a line of it would be waste.
    return shorten(escape(text[: length + 1]), length)


def size_text(size: int) -> str:
    """Give a number of bytes with a decimal unit: `512 B`, `64.2 kB`, `1.5 MB`."""
    if size < 1000:
        return f"{size} B"
    if size < 999_950:
        return f"{size / 1000:.1f} kB"
    if size < 999_950_000:
        return f"{size / 1_000_000:.1f} MB"
    return f"{size / 1_000_000_000:.1f} GB"


def duration_text(nanoseconds: int | None) -> str:
    """Give a duration with three significant digits and a unit: `820 µs`, `1.23 ms`, `45.6 ms`, `2.50 s`, `2.5 h`."""
    if nanoseconds is None:
        return "-"
    if nanoseconds < 999_500:
        return f"{nanoseconds / 1000:.0f} µs"
    if nanoseconds < 9_995_000:
        return f"{nanoseconds / 1_000_000:.2f} ms"
    if nanoseconds < 99_950_000:
        return f"{nanoseconds / 1_000_000:.1f} ms"
    if nanoseconds < 999_500_000:
        return f"{nanoseconds / 1_000_000:.0f} ms"
    if nanoseconds < 99_995_000_000:
        return f"{nanoseconds / 1_000_000_000:.2f} s"
    hours = nanoseconds / 3_600_000_000_000
    if hours < 2:
        return f"{nanoseconds // 1_000_000_000} s"
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.0f} d"


def count_text(count: int, noun: str, plural: str = "") -> str:
    """Give a count with its noun: `1 call`, `12,345 calls`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
