"""Reads `kafkasniff.toml` of the working folder, which may be a stranger's: its size and nesting are bounded."""

import os
import tomllib
from typing import Any

import typer

from kafkasniff.capture.errors import CaptureError
from kafkasniff.capture.files.regular_file import open_regular

FILE = "kafkasniff.toml"

LARGEST = 64 << 10
"""Bytes of the file."""

_MOST_DOTS = 32
"""Dots in a line; rules and thresholds need two. tomllib takes memory by the square of the parts of a key."""


def read_settings() -> dict[str, Any] | None:
    """Give the table `diagnose` of the file, None where there is no file; raises typer.BadParameter."""
    content = _content()
    if content is None:
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{FILE}: expected UTF-8, found something else at byte {error.start}.") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_DOTS and not line.lstrip().startswith("#"):
            raise typer.BadParameter(f"{FILE}: line {number}: expected at most {_MOST_DOTS} dots, found more.")
    try:
        table = tomllib.loads(text).get("diagnose", {})
    except RecursionError:
        raise typer.BadParameter(f"{FILE}: arrays or tables are nested too deep.") from None
    except ValueError as error:  # of TOML, and of integers with thousands of digits
        raise typer.BadParameter(f"{FILE} is no TOML: {error}.") from None
    if not isinstance(table, dict):
        raise typer.BadParameter(f"{FILE}: expected `diagnose` to be a table, found something else.")
    return dict(table)


def _content() -> bytes | None:
    """Give what is in the file, None where there is none."""
    if not os.path.lexists(FILE):
        return None
    try:
        with open_regular(FILE, "remove or rename it") as stream:
            content = stream.read(LARGEST + 1)
    except CaptureError as error:
        raise typer.BadParameter(f"{error}.") from None
    except OSError as error:
        raise typer.BadParameter(f"{FILE}: cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise typer.BadParameter(f"{FILE}: expected at most {LARGEST >> 10} KiB, found more.")
    return content
