import numpy as np
import pytest

from kafkasniff.pipeline.indexes.pieces import SCHEMA, Piece, as_batch, as_row, pieces_of


def piece(times, keys=None, payload=None):
    times = np.array(times, np.int64)
    count = len(times)
    return Piece(
        7,
        times if keys is None else np.array(keys, np.int64),
        times,
        np.arange(count) * 3 + 1_000_000,
        np.arange(count) * 90 + (5 << 32),
        np.full(count, 60),
        np.full(count, 1514),
        np.arange(count) % 2,
        payload,
    )


@pytest.mark.parametrize(
    "given",
    [
        piece([1_700_000_000_000_000_000, 1_700_000_000_000_000_005]),
        piece([20, 10, 30], keys=[20, 20, 30]),
        piece([1], payload=b"bytes"),
        piece([0, 6_000_000_000]),
        piece([1, 2])._replace(original=np.array([60, 60]), interfaces=np.array([4, 4])),
        piece([1, 2])._replace(interfaces=np.array([4, 3])),
    ],
)
def test_a_piece_comes_out_of_its_row_as_it_went_in(given):
    batch = as_batch([as_row(3, 5, given)])

    assert batch.schema == SCHEMA
    ((ring, found),) = pieces_of([batch])
    assert ring == 5
    assert (found.part, found.payload) == (given.part, given.payload)
    for name in Piece._fields[1:-1]:
        assert getattr(found, name).tolist() == getattr(given, name).tolist(), name


def test_rows_are_sorted_by_the_latest_time_up_to_the_first_packet():
    row = dict(zip(SCHEMA.names, as_row(3, 5, piece([10, 30], keys=[20, 30])), strict=True))

    assert (row["ring"], row["key"], row["part"], row["number"], row["packets"]) == (5, 20, 7, 1_000_000, 2)
