"""The last column of lines of calls that repeat others byte for byte, as those that ask for metadata mostly do."""

from typing import Final

from kafkasniff.calls.columns.calls import CallColumns, Numbers
from kafkasniff.calls.learning import names_topic_ids

LONGEST: Final = 4096
"""Bytes of the longest request and of the longest answer that is remembered."""

MOST: Final = 4096
"""Calls that are remembered; more, and all are forgotten."""

_REPEATING = frozenset({3, 18, 60})
"""Metadata, ApiVersions, DescribeCluster, whose texts depend on nothing but the messages: clusters change rarely."""

_CORRELATION_ID = 4
"""Bytes that an answer begins with."""

_TRIES = 1024
"""Calls of an API and version that are looked up in any case; beyond that it must pay in one of `_RARE`."""

_RARE = 4

_Key = tuple[int, bytes, bytes]


class RememberedTexts:
    """Texts by what the messages hold."""

    def __init__(self) -> None:
        """Remember nothing."""
        self._texts: dict[_Key, bytes] = {}
        self._sought: dict[int, int] = {}
        self._found: dict[int, int] = {}

    def may_know(self, layout: int) -> bool:
        """Tell whether to look for calls of a `layout`: API key << 16 | version."""
        if layout >> 16 not in _REPEATING or names_topic_ids(layout >> 16, layout & 0xFFFF):
            return False
        sought = self._sought.get(layout, 0)
        return sought < _TRIES or self._found[layout] * _RARE >= sought

    def look_up(self, columns: CallColumns, layout: int, rows: Numbers) -> "Repeats":
        """Look for some rows of a layout."""
        data = columns.data
        places = (columns.body, columns.request_end, columns.response + _CORRELATION_ID, columns.response_end)
        ends = zip(*(place[rows].tolist() for place in places), strict=True)
        repeats = Repeats(
            [(layout, data[body:end], data[answer:stop]) for body, end, answer, stop in ends], self._texts
        )
        self._sought[layout] = self._sought.get(layout, 0) + len(rows)
        self._found[layout] = self._found.get(layout, 0) + len(rows) - len(repeats.new)
        return repeats

    def add(self, repeats: "Repeats") -> None:
        """Remember the texts that were made of those that were not known."""
        for key, text in repeats.made():
            if max(len(key[1]), len(key[2])) <= LONGEST:
                if len(self._texts) >= MOST:
                    self._texts.clear()
                self._texts[key] = text


class Repeats:
    """Calls of which each is like one that is remembered, or like one of themselves."""

    def __init__(self, keys: list[_Key], known: dict[_Key, bytes]) -> None:
        """Look each up among those known."""
        self._keys = keys
        self._texts = {key: known.get(key) for key in keys}
        unknown = {key: index for index, key in reversed([*enumerate(keys)]) if self._texts[key] is None}
        self.new = sorted(unknown.values())
        """Which of them are neither known nor like one before them: of these the text is to be made."""

    def take(self, texts: list[bytes]) -> list[bytes]:
        """Take the texts of those that are new; give the texts of all."""
        self._texts.update(zip((self._keys[index] for index in self.new), texts, strict=True))
        return [self._texts[key] or b"" for key in self._keys]

    def made(self) -> list[tuple[_Key, bytes]]:
        """Give what was taken."""
        return [(key, self._texts[key] or b"") for key in (self._keys[index] for index in self.new)]
