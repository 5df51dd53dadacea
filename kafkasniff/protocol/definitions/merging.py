"""Merge what several releases say of one message: versions that a newer one dropped stay as they were."""

from typing import Any

Json = dict[str, Any]

MOST_VERSIONS = 256
"""`4+` is taken as 4 to 255: versions are int16 on the wire, but no message comes near a hundred."""


class DefinitionError(Exception):
    """A source of definitions that cannot be read; the message is a sentence for whoever gave it."""


def versions_of(text: str) -> frozenset[int]:
    """Give the versions that `0-3`, `4+`, `7` or `none` names."""
    if text == "none":
        return frozenset()
    if text.endswith("+"):
        return frozenset(range(int(text[:-1]), MOST_VERSIONS))
    first, _, last = text.partition("-")
    return frozenset(range(int(first), int(last or first) + 1))


def version_texts(versions: frozenset[int]) -> list[str]:
    """Give the text of each run of `versions`."""
    starts = sorted(version for version in versions if version - 1 not in versions)
    ends = sorted(version for version in versions if version + 1 not in versions)
    texts = []
    for first, last in zip(starts, ends, strict=True):
        if last == MOST_VERSIONS - 1:
            texts.append(f"{first}+")
        else:
            texts.append(str(first) if first == last else f"{first}-{last}")
    return texts


def version_text(versions: frozenset[int]) -> str:
    """Give the text of versions without a hole; raises DefinitionError."""
    texts = version_texts(versions)
    if len(texts) > 1:
        raise DefinitionError(f"versions {' and '.join(texts)} leave a hole")
    return texts[0] if texts else "none"


def merged(older: Json | None, newer: Json) -> Json:
    """Give `newer`, with the versions that only `older` has as `older` defines them."""
    newest = {"newestVersions": newer["validVersions"]}
    if older is None:
        return newer | newest
    own = versions_of(newer["validVersions"])
    kept = versions_of(older["validVersions"]) - own
    if not kept:
        return newer | newest
    if not own:
        return older | newest
    return (
        older
        | newer
        | newest
        | {
            "validVersions": version_text(own | kept),
            "flexibleVersions": merged_versions(older["flexibleVersions"], newer["flexibleVersions"], kept),
            "fields": merged_fields(older["fields"], newer["fields"], kept),
        }
    )


def merged_versions(older: str, newer: str, kept: frozenset[int]) -> str:
    """Give the versions of `newer`, but those of `older` for the versions in `kept`."""
    return version_text((versions_of(older) & kept) | (versions_of(newer) - kept))


def merged_fields(older: list[Json], newer: list[Json], kept: frozenset[int]) -> list[Json]:
    """Merge two lists of fields: `older` holds for the versions in `kept`, `newer` for all others.

    Each list's own order stays. A field that both have becomes one where that order allows it, else it stands twice,
    with versions of its own each time.
    """
    result: list[Json] = []
    older_left = [member for member in older if versions_of(member["versions"]) & kept]
    for member in newer:
        if member["name"] not in [candidate["name"] for candidate in older_left]:
            result += restricted([member], None, kept)
            continue
        while older_left[0]["name"] != member["name"]:
            result += restricted([older_left.pop(0)], kept, frozenset())
        result += merged_field(older_left.pop(0), member, kept)
    return result + restricted(older_left, kept, frozenset())


def merged_field(older: Json, newer: Json, kept: frozenset[int]) -> list[Json]:
    """Merge a field that both have: as one where bytes and JSON are the same, else as two with their own versions."""
    about = ("type", "default", "tag", "flexibleVersions")
    if any(older.get(key, ...) != newer.get(key, ...) for key in about):
        return restricted([older], kept, frozenset()) + restricted([newer], None, kept)
    member = dict(newer)
    for key in ("versions", "nullableVersions", "taggedVersions"):
        if key in newer or key in older:
            member[key] = merged_versions(older.get(key, "none"), newer.get(key, "none"), kept)
    if "fields" in newer:
        member["fields"] = merged_fields(older["fields"], newer["fields"], kept)
    return [member]


def restricted(members: list[Json], only: frozenset[int] | None, without: frozenset[int]) -> list[Json]:
    """Give `members` with their versions cut to `only` (None: all) less `without`; without any they are dropped."""
    result = []
    for member in members:
        versions = versions_of(member["versions"]) - without
        if only is not None:
            versions &= only
        for text in version_texts(versions):
            result.append(member | {"versions": text})
    return result
