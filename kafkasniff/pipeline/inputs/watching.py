"""Watches directories that captures are written into: which files are whole, and not read yet."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kafkasniff.capture.errors import CaptureError
from kafkasniff.pipeline.inputs.files import Input, files_below, look_at
from kafkasniff.pipeline.inputs.places import real_path, status_of
from kafkasniff.pipeline.inputs.read_files import Read
from kafkasniff.tables.rings import without_compression

SETTLED_S = 2.0
"""How long a file must stand still behind which its ring has a newer one."""

MOST_BYTES = 2 << 30
"""Bytes of files from which on a micro-batch is full."""


class Sight(NamedTuple):
    """What there is to read."""

    whole: list[Input]
    """Files that are whole and not read yet, the oldest up to `MOST_BYTES`, by ring in order of their first packet."""
    lost: list[Input]
    """Files that are not there any more and were not read."""
    gone: list[str]
    """Names of files that were read and are not there any more."""
    more: bool
    """Whether more files are whole."""
    waiting: int = 0
    """Files with content that are not read yet, or not to their end."""
    waiting_bytes: int = 0


class _Look(NamedTuple):
    """A file as it was when it was last looked at."""

    source: Input
    since: float
    """Since when it stands still, on the clock that never steps."""


class Watch:
    """The directories."""

    def __init__(self, folders: Sequence[str], leave_out: str, still_s: float) -> None:
        """Watch all below `folders` but for `leave_out`; a file that stands still for `still_s` seconds is whole."""
        self._folders = folders
        self._leave_out = real_path(leave_out)
        self._still = still_s
        self._looks: dict[str, _Look] = {}

    def find(self, read: Mapping[str, Read], everything: bool = False) -> Sight:
        """Look. `read` has the files that were read, by their path without the ending of a compression.

        With `everything`, all that are there are taken for whole.
        """
        now = time.monotonic()
        paths = self.paths()
        looks: dict[str, _Look] = {}
        candidates: list[_Look] = []
        lost: list[Input] = []
        for name, path in paths.items():
            known = self._looks.get(name)
            look = looks[name] = self._look(path, known, now)
            before = read.get(name)
            if known is not None and _replaced(known.source, look.source) and not _is_read(before, known.source):
                lost.append(_lost(known.source))
            if before is None or not _is_read(before, look.source):
                candidates.append(_rest(look, before))
        gone = [(name, look.source) for name, look in self._looks.items() if name not in paths]
        lost += [
            _lost(each) for name, each in gone if each.first_time is not None and not _is_read(read.get(name), each)
        ]
        self._looks = looks
        whole = [each.source for each in candidates if everything] or list(self._whole(candidates, read, now))
        first = first_of(whole)
        waiting = [each.source.size for each in candidates if each.source.size]
        return Sight(
            first,
            lost,
            [name for name in read if name not in paths],
            len(first) < len(whole),
            len(waiting),
            sum(waiting),
        )

    def paths(self) -> dict[str, str]:
        """Give the files by their path without the ending of a compression; of both, the one without it."""
        found: dict[str, str] = {}
        for folder in self._folders:
            for path in files_below(folder, self._leave_out):
                name = without_compression(path)
                # tcpdump -z compresses a file beside it, and removes it when that is done.
                if name == path or name not in found:
                    found[name] = path
        return found

    def _look(self, path: str, known: _Look | None, now: float) -> _Look:
        try:
            status = status_of(path)
        except (OSError, CaptureError):
            return _Look(look_at(path), now)
        if known is not None and known.source.path == path:
            source = known.source
            if (source.size, source.modified_ns) == (status.size, status.modified_ns):
                return known
        # Of a file that was there before, its own time says since when it stands still.
        age = max(time.time() - status.modified_ns / 1e9, 0.0) if known is None and status.regular else 0.0
        return _Look(look_at(path), now - age)

    def _whole(self, candidates: Iterable[_Look], read: Mapping[str, Read], now: float) -> Iterable[Input]:
        rings: dict[str, list[_Look]] = {}
        for each in candidates:
            rings.setdefault(each.source.ring, []).append(each)
        newest: dict[str, int] = {}
        for before in read.values():
            newest[before.ring] = max(newest.get(before.ring, 0), before.first_time or 0)
        for ring, of_ring in rings.items():
            of_ring.sort(key=_place)
            for number, (source, since) in enumerate(of_ring):
                followed = number + 1 < len(of_ring) or (source.first_time or _LAST) < newest.get(ring, 0)
                still = now - since
                if still < SETTLED_S or not (followed or (still >= self._still and _has_content(source))):
                    # What comes behind it in the ring must not come before it in the tables.
                    break
                yield source


_LAST = 1 << 62


def _place(look: _Look) -> tuple[int, int, str]:
    """Give the place of a file in its ring; one that has no packet yet is the newest."""
    source = look.source
    return _LAST if source.first_time is None else source.first_time, source.modified_ns, source.path


def _has_content(source: Input) -> bool:
    return source.first_time is not None or (source.reason is not None and source.size > 0)


def _is_read(before: Read | None, source: Input) -> bool:
    """Tell whether a file is what was read, also when it was compressed since."""
    if before is None:
        return False
    if before.path == source.path:
        return (before.size, before.modified_ns, before.head) == (source.size, source.modified_ns, source.head)
    return before.first_time is not None and before.first_time == source.first_time


def _replaced(known: Input, source: Input) -> bool:
    """Tell whether another file is in the place of one that held packets (tcpdump -W)."""
    return known.first_time is not None and known.first_time != source.first_time


def _rest(look: _Look, before: Read | None) -> _Look:
    """Pass over what was read of a file before it went on."""
    source = look.source
    if before is None or before.first_time is None or before.head != source.head:
        return look
    return look._replace(source=replace(source, skipped=before.packets))


def _lost(source: Input) -> Input:
    reason = f"{source.path}: was removed or overwritten before it was whole and could be read"
    return Input(source.path, source.size, source.modified_ns, source.head, source.ring, reason=reason, lost=True)


def first_of(sources: Iterable[Input], most: int = MOST_BYTES) -> list[Input]:
    """Give as many as fill a micro-batch of `most` bytes, the oldest first, in order by ring."""
    found: list[Input] = []
    size = 0
    for each in sorted(sources, key=lambda each: (each.first_time or 0, each.path)):
        if size >= most:
            break
        found.append(each)
        size += each.size
    return sorted(found, key=lambda each: (each.ring, each.first_time or 0, each.path))
