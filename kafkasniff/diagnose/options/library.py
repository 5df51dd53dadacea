"""What is known of a client library: the names of its options, and what does the same where it has no such option."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

_PLACE = re.compile(r"\{([^{}]+)\}")
"""A place for an option in a rule's text, such as `{linger.ms}`."""


class Option(NamedTuple):
    """An option, as one writes it in the library, with its default."""

    name: str
    default: str = ""
    source: str = ""
    """File of the library's documentation or source that says so."""

    @property
    def text(self) -> str:
        """Give the option for a sentence."""
        return f"{self.name}, default {self.default}" if self.default else self.name


class Instead(NamedTuple):
    """What does the same in a library that has no such option."""

    name: str
    source: str = ""

    @property
    def text(self) -> str:
        """Give it for a sentence."""
        return f"no option: {self.name}"


class Advice(NamedTuple):
    """Why a rule fires on clients of this library, and what to do, where that is another than with other libraries."""

    cause: str
    fix: str


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """A client library."""

    id: str
    version: str
    """The version that `source` is of."""
    source: str
    """Where names and defaults come from: a repository, to whose files those of the options belong."""
    options: Mapping[str, Option | Instead]
    """By the ids of options: Java's names, and words for what is no option there."""
    software: tuple[str, ...] = ()
    """What it calls itself in ApiVersions (KIP-511)."""
    advice: Mapping[str, Advice] = field(default_factory=dict)
    """By rule."""

    def wrapped(self, name: str, software: tuple[str, ...], options: Mapping[str, Option | Instead]) -> "Library":
        """Give a library that wraps this one, and calls some options otherwise."""
        return replace(self, id=name, software=software, options={**self.options, **options})


def places(text: str) -> list[str]:
    """Give the ids of the options for which a text has places, each once."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def filled(text: str, library: Library | None) -> str:
    """Put options into their places: a library's, or their ids, which are Java's names, where none is known."""
    return _PLACE.sub(lambda place: place[1] if library is None else _text(library, place), text)


def _text(library: Library, place: re.Match[str]) -> str:
    """Give what stands in a place; what is none of ours came from the wire, and stays."""
    option = library.options.get(place[1])
    return option.text if option is not None else place[0]
