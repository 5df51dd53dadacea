"""Text broken at words for the width at hand; no word is broken that fits."""

import textwrap
from collections.abc import Sequence


def paragraph(text: str, width: int, indent: str = "", hanging: str | None = None) -> str:
    """Break a text at words; `hanging` stands before its second line and those after it, where they differ."""
    return textwrap.fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=True,
        break_on_hyphens=False,
    )


def definitions(entries: Sequence[tuple[str, str]], width: int) -> str:
    """Give names with what they mean beside them, or below those that are long."""
    names = max((len(name) for name, _ in entries if len(name) <= width // 3), default=0)
    margin = " " * (names + 4)
    lines = []
    for name, text in entries:
        if len(name) > names:
            lines += [f"  {name}", paragraph(text, width, margin)]
        else:
            lines.append(paragraph(text, width, f"  {name:<{names}}  ", margin))
    return "\n".join(lines) + "\n"
