"""Every row of the API vectors, cut at twenty places: never whole, never an exception past the layer."""

from collections.abc import Callable

import pytest

from kafkasniff.protocol.bodies import decode_body
from tests.conformance.vector_rows import API_FILES, name_of, rows

CUTS = 20


@pytest.mark.parametrize("file", API_FILES)
def test_cut_bodies_are_never_whole(file: str, add_figure: Callable[..., None]) -> None:
    cut_bodies = 0
    whole = []
    without_place = []
    for row in rows(file):
        body = bytes.fromhex(row["body_hex"])
        for length in sorted({len(body) * part // CUTS for part in range(CUTS)} - {len(body)}):
            cut_bodies += 1
            decoded = decode_body(row["api_key"], row["api_version"], row["kind"], body[:length], 0)
            if decoded.value is not None:
                whole.append(f"{name_of(row)} cut to {length}")
                continue
            [(offset, path, message)] = decoded.problems
            if offset is None or not 0 <= offset <= length or not path or not message:
                without_place.append(f"{name_of(row)} cut to {length}")
    add_figure("Cut API vectors", file, bodies=cut_bodies, whole=len(whole), without_place=len(without_place))
    assert whole == []
    assert without_place == []
